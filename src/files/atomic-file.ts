import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, realpath, rename, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { errorOf, type Problem } from '../errors/rb-error.ts';
import { fileFailure, systemReason } from './problems.ts';

interface ReplaceOptions {
  /** Mode of the file when it does not exist yet. Left out: a missing file is refused. */
  readonly createMode?: number;
  /** Called right before the rename; `false` drops the new text and leaves the file as it is. */
  readonly confirm?: () => boolean | Promise<boolean>;
}

/**
 * Replaces a file so that a reader sees either the old or the new content, also after a power cut: temporary file in the
 * same folder, fsync, rename, fsync of the folder. The new file has the owner and the mode of the old one.
 *
 * Returns false when `confirm` said no. Throws RbError and leaves the file untouched: RB213 for links and special files,
 * RB215 when owner or mode cannot be kept, RB219 when it cannot be written.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  options: ReplaceOptions = {},
): Promise<boolean> {
  const old = await oldFile(path, options.createMode);
  const temporary = join(dirname(path), `.${basename(path)}.rb-${randomBytes(6).toString('hex')}.tmp`);
  let handle: FileHandle | null = null;
  try {
    handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(content);
    await keepOwnerAndMode(handle, path, old, options.createMode ?? 0o600);
    await handle.sync();
    await handle.close();
    handle = null;
    if (options.confirm !== undefined && !(await options.confirm())) {
      await unlink(temporary);
      return false;
    }
    await rename(temporary, path);
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    if (errorCode(error) === null) throw error;
    throw fileFailure(path, 'write the file', error);
  }
  await syncFolder(dirname(path));
  return true;
}

async function oldFile(path: string, createMode: number | undefined): Promise<Stats | null> {
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && createMode !== undefined) return null;
    throw fileFailure(path, 'look at the file', error);
  }
  if (!stats.isFile()) throw notRegular(path, stats);
  return stats;
}

function notRegular(path: string, stats: Stats): Error {
  return errorOf('RB213', {
    where: path,
    message: stats.isSymbolicLink()
      ? 'it is a link, and links are not followed.'
      : 'it is not a regular file.',
    fix: 'Put the file itself in this place.',
  });
}

async function keepOwnerAndMode(
  handle: FileHandle,
  path: string,
  old: Stats | null,
  createMode: number,
): Promise<void> {
  try {
    const fresh = await handle.stat();
    if (old !== null && (fresh.uid !== old.uid || fresh.gid !== old.gid))
      await handle.chown(old.uid, old.gid);
    // After chown, which may clear bits of the mode.
    await handle.chmod((old === null ? createMode : old.mode) & 0o7777);
  } catch (error) {
    throw errorOf(
      'RB215',
      {
        where: path,
        message: `the file belongs to user ${old?.uid} group ${old?.gid}, which cannot be kept: ${systemReason(error)}.`,
        fix: 'Run the benchmark as the user that owns the workspace files.',
      },
      { cause: error },
    );
  }
}

/** Makes a rename or a new file in this folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems cannot sync folders; the rename itself has happened.
    if (errorCode(error) !== 'EINVAL') throw fileFailure(folder, 'sync the folder', error);
  } finally {
    await handle.close();
  }
}

/**
 * What would keep {@link replaceFile} from replacing this existing file, found without writing: a link, a foreign owner, a
 * folder without write permission. Empty when it can be replaced.
 */
export async function replacementProblems(path: string): Promise<Problem[]> {
  const stats = await lstat(path);
  const base = { where: path, severity: 'fatal', consequence: 'nothing can be queued' } as const;
  if (!stats.isFile()) {
    const message = stats.isSymbolicLink()
      ? 'it is a link, and links are not followed.'
      : 'it is not a regular file.';
    return [{ ...base, code: 'RB213', message, fix: 'Put the file itself in this place.' }];
  }
  const problems: Problem[] = [];
  const [uid, groups] = [
    process.geteuid?.() ?? 0,
    new Set([process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])]),
  ];
  if (uid !== 0 && (stats.uid !== uid || !groups.has(stats.gid))) {
    const message = `the file belongs to user ${stats.uid} group ${stats.gid}; user ${uid} cannot keep that when replacing it.`;
    problems.push({
      ...base,
      code: 'RB215',
      message,
      fix: 'Run the benchmark as the user that owns the workspace files.',
    });
  }
  try {
    await access(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    const message = `the folder of the file cannot be written: ${systemReason(error)}.`;
    problems.push({
      ...base,
      code: 'RB219',
      message,
      fix: 'Give the user running this write permission on the folder.',
    });
  }
  return problems;
}

/**
 * Reads a regular file of at most `maxBytes` bytes, without following a link at its end. Throws RbError: RB213 for links
 * and special files, RB214 when it is larger, RB219 when it cannot be read.
 */
export async function readCapped(path: string, maxBytes: number): Promise<Buffer> {
  let handle: FileHandle;
  try {
    // Non-blocking, or opening a pipe would wait for its writer for ever.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ELOOP') throw notRegular(path, await lstat(path));
    throw fileFailure(path, 'read the file', error);
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(path, stats);
    if (stats.size > maxBytes) throw tooLarge(path, stats.size, maxBytes);
    const buffer = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw fileFailure(path, 'read the file', error);
  } finally {
    await handle.close();
  }
}

function tooLarge(path: string, size: number, limit: number): Error {
  return errorOf('RB214', {
    where: path,
    message: `the file has ${size} bytes, more than the ${limit} allowed.`,
    value: `${size} bytes`,
  });
}

/** As {@link readCapped}, as text. Throws RbError RB203 when it is not UTF-8, which the runtime would refuse as well. */
export async function readTextCapped(path: string, maxBytes: number): Promise<string> {
  const bytes = await readCapped(path, maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw errorOf(
      'RB203',
      { fix: 'Save the file as UTF-8.', where: path, message: 'the file is not valid UTF-8.' },
      { cause: error },
    );
  }
}

/**
 * The absolute path of something inside the workspace, safe to open: no part below the workspace is a link, and nothing
 * leads out of it. The last parts may not exist yet. Throws RbError RB216 or RB213.
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  const base = await realpath(root).catch((error: unknown) => {
    throw fileFailure(root, 'open the workspace', error, 'RB231');
  });
  // An absolute path is taken when it names a place in the workspace by either of its names.
  const inside =
    isAbsolute(path) && !isWithin(base, path) && isWithin(resolve(root), path)
      ? relative(resolve(root), path)
      : path;
  const target = resolve(base, inside);
  if (path.includes('\0') || !isWithin(base, target)) {
    throw errorOf('RB216', {
      where: path.replaceAll('\0', '\\0'),
      message: 'the path leads out of the workspace.',
    });
  }
  let current = base;
  for (const part of relative(base, target)
    .split(sep)
    .filter((each) => each !== '')) {
    current = join(current, part);
    const stats = await lstat(current).catch(() => null);
    if (stats === null) break;
    if (stats.isSymbolicLink()) throw notRegular(current, stats);
  }
  return target;
}

function isWithin(base: string, path: string): boolean {
  const way = relative(base, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
