import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { errorOf } from '../errors/rb-error.ts';
import { fileFailure } from './problems.ts';

/** Makes a folder's directory entries durable: a file is only sure to exist once its folder was synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const PRIVATE = 0o700;

/**
 * Creates a folder with its parents, and makes each new name durable. Returns silently when it exists.
 * @throws RbError RB219 when something else has its name.
 */
export async function makeFolder(folder: string): Promise<void> {
  const created = await fs.mkdir(folder, { recursive: true }).catch((error: unknown) => {
    if (errorCode(error) === 'EEXIST') throw fileFailure(folder, 'make the folder', error);
    throw error;
  });
  if (created === undefined) return;
  for (let at = folder; ; at = path.dirname(at)) {
    await syncFolder(path.dirname(at));
    if (at === created || at === path.dirname(at)) return;
  }
}

/**
 * Creates a folder that only this user may enter; one that is there is narrowed to that. False, and nothing is changed,
 * when it belongs to another user.
 * @throws RbError RB219 when something else has its name.
 */
export async function makePrivateFolder(folder: string): Promise<boolean> {
  await makeFolder(path.dirname(folder));
  const failure = await fs.mkdir(folder, { mode: PRIVATE }).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure === null) {
    await syncFolder(path.dirname(folder));
    return true;
  }
  if (errorCode(failure) !== 'EEXIST') throw failure;
  const stats = await fs.lstat(folder);
  if (!stats.isDirectory()) throw fileFailure(folder, 'make the folder', failure);
  if (process.getuid !== undefined && stats.uid !== process.getuid()) return false;
  if ((stats.mode & 0o777) !== PRIVATE) await fs.chmod(folder, PRIVATE);
  return true;
}

/** An append-only file of lines. What `append` returned from is on the disk. */
export interface DurableLines {
  /**
   * Writes all lines with one sync, or none of them. Calls are queued, never interleaved.
   * @throws RbError RB219 when the system cannot write them.
   */
  append(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a line file for appending. `exclusive` fails with EEXIST when it exists; `mode` is that of a new file. An existing file whose last line was
 * cut off by a crash gets a newline first, so that the cut line stays alone.
 * @throws RbError RB213 when the file is a link, which would lead anywhere.
 */
export async function openDurableLines(
  file: string,
  options: { readonly exclusive: boolean; readonly mode?: number },
): Promise<DurableLines> {
  await makeFolder(path.dirname(file));
  const handle = await openToAppend(file, options);
  await syncFolder(path.dirname(file));
  if (await endsTorn(handle)) await handle.write('\n');
  let { size } = await handle.stat();
  let tail: Promise<void> = Promise.resolve();
  const write = async (lines: readonly string[]): Promise<void> => {
    if (lines.length === 0) return;
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    try {
      await handle.writeFile(text);
      await handle.datasync();
      size += text.byteLength;
    } catch (error) {
      // A full disk takes a part of the text: without this the next line would grow onto half a line.
      await handle.truncate(size).catch(() => undefined);
      if (errorCode(error) === null) throw error;
      throw fileFailure(file, 'write the file', error);
    }
  };
  return {
    append(lines) {
      const done = tail.then(() => write(lines));
      // The next append must still run after a failed one; the failure itself goes to the caller of this append.
      tail = done.catch(() => undefined);
      return done;
    },
    async close() {
      await tail;
      await handle.close();
    },
  };
}

async function openToAppend(
  file: string,
  { exclusive, mode = 0o644 }: { readonly exclusive: boolean; readonly mode?: number },
): Promise<fs.FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_EXCL } = constants;
  try {
    return await fs.open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | (exclusive ? O_EXCL : 0), mode);
  } catch (error) {
    if (errorCode(error) !== 'ELOOP') throw error;
    throw errorOf(
      'RB213',
      {
        where: file,
        message: 'it is a link, and links are not followed.',
        fix: 'Put the file itself in this place.',
      },
      { cause: error },
    );
  }
}

async function endsTorn(handle: fs.FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}
