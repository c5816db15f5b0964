import { createHash } from 'node:crypto';
import type { FileDigest } from './hash-file.ts';

/** Bytes of a piece: large enough that thousands of small parts are not thousands of writes. */
const PIECE_BYTES = 128 * 1024;

/**
 * A text that is made part by part, as UTF-8 in pieces of one size. All pieces share one buffer: each is to be used up
 * before the next is asked for. Nothing of a large text is in memory twice, however long its parts are.
 */
export function* textPieces(parts: Iterable<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  let filled = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const text = part.slice(at, endOf(part, at));
      // A UTF-16 unit takes three bytes at most, so a slice always fits into an empty buffer.
      const { read, written } = encoder.encodeInto(text, buffer.subarray(filled));
      at += read;
      filled += written;
      if (read === text.length && PIECE_BYTES - filled >= LEAST_ROOM) continue;
      yield buffer.subarray(0, filled);
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** A character takes four bytes at most: with less room than that nothing may fit. */
const LEAST_ROOM = 4;
const SLICE = 32 * 1024;

/** Never between the halves of a surrogate pair, which would give two replacement characters. */
function endOf(part: string, at: number): number {
  const end = Math.min(part.length, at + SLICE);
  const last = part.charCodeAt(end - 1);
  return end < part.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

/** Size and SHA-256 (hex) of what comes in pieces. */
export class PieceDigest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.#bytes += piece.byteLength;
  }

  end(): FileDigest {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** The same of all pieces at once. */
export function digestOf(pieces: Iterable<Uint8Array>): FileDigest {
  const digest = new PieceDigest();
  for (const piece of pieces) digest.add(piece);
  return digest.end();
}

/** The same of a text in parts. */
export function textDigest(parts: Iterable<string>): FileDigest {
  return digestOf(textPieces(parts));
}
