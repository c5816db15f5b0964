import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { makeFolder, syncFolder } from './durable-lines.ts';
import { type FileDigest, hashFile } from './hash-file.ts';
import { digestOf, PieceDigest, textPieces } from './text-pieces.ts';

/**
 * Writes a new file durably (file and folder synced). A file that is there with the same content is left alone, so
 * that sealing can be repeated after a crash.
 * @throws RbError RB701 when it is there with other content: evidence is never replaced.
 */
export async function writeOnce(root: string, name: string, content: string): Promise<FileDigest> {
  return writeOnceParts(root, name, [content]);
}

/**
 * The same for content that is too large to be in memory at once. A new file is taken away again when its content
 * cannot be made to the end, since a part of it would stand in the way of the whole.
 * @param look sees every piece before it is written; what it throws ends the writing.
 */
export async function writeOnceParts(
  root: string,
  name: string,
  parts: Iterable<string>,
  look: (piece: Uint8Array) => void = () => {},
): Promise<FileDigest> {
  const looked = lookedAt(parts, look);
  const file = path.join(root, name);
  await makeFolder(path.dirname(file));
  let handle: fs.FileHandle;
  try {
    handle = await fs.open(file, 'wx', 0o644);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const digest = digestOf(looked);
    if (hashFile(file).sha256 !== digest.sha256) throw replaced(file, error);
    return digest;
  }
  try {
    const digest = await writeAll(handle, looked);
    await handle.close();
    await syncFolder(path.dirname(file));
    return digest;
  } catch (error) {
    await handle.close();
    await fs.rm(file, { force: true });
    throw error;
  }
}

async function writeAll(handle: fs.FileHandle, pieces: Iterable<Uint8Array>): Promise<FileDigest> {
  const digest = new PieceDigest();
  for (const piece of pieces) {
    await handle.writeFile(piece);
    digest.add(piece);
  }
  await handle.sync();
  return digest.end();
}

function* lookedAt(parts: Iterable<string>, look: (piece: Uint8Array) => void): Generator<Uint8Array> {
  for (const piece of textPieces(parts)) {
    look(piece);
    yield piece;
  }
}

function replaced(file: string, cause: unknown): RbError {
  return errorOf(
    'RB701',
    {
      where: file,
      message: 'The file is there already, with other content.',
    },
    { cause },
  );
}
