import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;

export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Size and SHA-256 (hex) of a plain file, read in pieces of 1 MiB so that its size never matters; a link is not
 * followed (ELOOP). `onChunk` sees every piece as it is read; the buffer is reused, so it must not be kept.
 */
export function hashFile(file: string, onChunk?: (chunk: Buffer) => void): FileDigest {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(handle).isFile()) throw new Error('not a plain file');
    const hash = createHash('sha256');
    return { bytes: readAll(handle, hash, onChunk), sha256: hash.digest('hex') };
  } finally {
    closeSync(handle);
  }
}

function readAll(handle: number, hash: Hash, onChunk?: (chunk: Buffer) => void): number {
  let bytes = 0;
  for (;;) {
    const length = readSync(handle, sharedBuffer, 0, CHUNK_BYTES, null);
    if (length === 0) return bytes;
    bytes += length;
    const chunk = sharedBuffer.subarray(0, length);
    hash.update(chunk);
    onChunk?.(chunk);
  }
}

/** Everything here is synchronous, so one buffer serves all files. */
const sharedBuffer = Buffer.allocUnsafe(CHUNK_BYTES);

export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Size and hash of content in memory. */
export function hashOfBytes(content: Uint8Array): FileDigest {
  return { bytes: content.byteLength, sha256: sha256Of(content) };
}
