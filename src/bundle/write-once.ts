import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { EXIT, RbError } from '../errors/rb-error.ts';
import { makeFolder, syncFolder } from '../journal/durable-lines.ts';
import { hashFile } from './hash-file.ts';

/**
 * Writes a new file durably (file and folder synced). A file that is there with the same content is left alone, so
 * that sealing can be repeated after a crash.
 * @throws RbError RB701 when it is there with other content: evidence is never replaced.
 */
export async function writeOnce(root: string, name: string, content: string | Uint8Array): Promise<void> {
  await writeOnceParts(root, name, [content]);
}

/** The same for content that is too large to be in memory at once. */
export async function writeOnceParts(
  root: string,
  name: string,
  parts: Iterable<string | Uint8Array>,
): Promise<void> {
  const file = path.join(root, name);
  await makeFolder(path.dirname(file));
  let handle: fs.FileHandle;
  try {
    handle = await fs.open(file, 'wx', 0o644);
  } catch (error) {
    if (!isExisting(error)) throw error;
    if (hashFile(file).sha256 !== hashOf(parts)) throw replaced(file, error);
    return;
  }
  try {
    for (const piece of inPieces(parts)) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(path.dirname(file));
}

/** Small parts together, so that thousands of them are not thousands of writes. */
function* inPieces(parts: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    const next = typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
    waiting.push(next);
    bytes += next.byteLength;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}

const PIECE_BYTES = 1024 * 1024;

function hashOf(parts: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function replaced(file: string, cause: unknown): RbError {
  return new RbError(
    EXIT.refused,
    [
      {
        code: 'RB701',
        where: file,
        message: 'The file is there already, with other content.',
        fix: 'Keep this attempt as it is and start the next one.',
        severity: 'fatal',
      },
    ],
    { cause },
  );
}
