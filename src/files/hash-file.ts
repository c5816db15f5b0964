import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../base/error-code.ts';
import { sha256Of } from '../base/sha256.ts';
import type { Breathe } from '../platform/breathe.ts';
import { READ_PLAIN } from './read-within.ts';

/** Far below a megabyte, from which on a text made of it is kept outside the heap until a collection. */
const CHUNK_BYTES = 256 * 1024;

export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** What a file is read into on its way to a hash. Whoever hashes many files hands one to all of them. */
export const hashBuffer = (): Buffer => Buffer.allocUnsafe(CHUNK_BYTES);

/**
 * Size and SHA-256 (hex) of a plain file, read in pieces so that its size never matters; a link is not
 * followed (ELOOP). `onChunk` sees every piece as it is read; the buffer is reused, so it must not be kept.
 */
export function hashFile(
  file: string,
  onChunk?: (chunk: Buffer) => void,
  buffer: Buffer = hashBuffer(),
): FileDigest {
  const handle = openSync(file, READ_PLAIN);
  try {
    if (!fstatSync(handle).isFile()) throw new Error('not a plain file');
    const hash = createHash('sha256');
    let bytes = 0;
    for (;;) {
      const length = readSync(handle, buffer, 0, buffer.length, null);
      if (length === 0) return { bytes, sha256: hash.digest('hex') };
      bytes += length;
      const chunk = buffer.subarray(0, length);
      hash.update(chunk);
      onChunk?.(chunk);
    }
  } finally {
    closeSync(handle);
  }
}

export interface HashTurns {
  readonly breathe: Breathe;
  /** From `hashBuffer`; filled and used without waiting in between. */
  readonly buffer: Buffer;
  /** Told of every piece that was read, in bytes. */
  readonly onBytes?: (length: number) => void;
}

/**
 * The same of a file that somebody else may have made, in turns: another size than `bytes` is said before anything is
 * read. Null stands for what cannot be read as a plain file.
 */
export async function hashInTurns(
  file: string,
  bytes: number,
  { breathe, buffer, onBytes }: HashTurns,
): Promise<FileDigest | { readonly bytes: number; readonly sha256: null } | null> {
  let handle: number;
  try {
    handle = openSync(file, READ_PLAIN);
  } catch (error) {
    if (errorCode(error) !== null) return null;
    throw error;
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return null;
    if (stat.size !== bytes) return { bytes: stat.size, sha256: null };
    const hash = createHash('sha256');
    for (let left = bytes; left >= 0; ) {
      const length = readSync(handle, buffer, 0, buffer.length, null);
      if (length === 0) return { bytes: bytes - left, sha256: hash.digest('hex') };
      left -= length;
      hash.update(buffer.subarray(0, length));
      onBytes?.(length);
      await breathe();
    }
    return { bytes: bytes + 1, sha256: null };
  } finally {
    closeSync(handle);
  }
}

/** Size and hash of content in memory. */
export function hashOfBytes(content: Uint8Array): FileDigest {
  return { bytes: content.byteLength, sha256: sha256Of(content) };
}

/** SHA-256 (hex) of a text that is made piece by piece. */
export async function sha256OfParts(parts: Iterable<string>, breathe: Breathe): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(part);
    await breathe();
  }
  return hash.digest('hex');
}
