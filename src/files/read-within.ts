import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import * as path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { errorCode } from '../base/error-code.ts';
import { isPlainName } from '../base/plain-name.ts';

/** `unreadable` says why in words that fit after "could not be used: ". */
export type FileReading =
  | { readonly state: 'present'; readonly bytes: Buffer }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly reason: string };

/**
 * Reads a plain file below `root` without following a link anywhere below it, and never more than `maxBytes`.
 * `root` itself comes from the operator and may be reached through links; what is below it may be made by others.
 * Synchronous: there are thousands of small files, and waiting for each would cost more than reading it.
 */
export function readWithinNow(root: string, parts: readonly string[], maxBytes: number): FileReading {
  const odd = parts.find((part) => !isPlainName(part));
  if (odd !== undefined) return { state: 'unreadable', reason: 'its path is not made of plain names' };
  try {
    for (let depth = 1; depth < parts.length; depth += 1) {
      const stat = lstatSync(path.join(root, ...parts.slice(0, depth)));
      if (stat.isSymbolicLink()) return { state: 'unreadable', reason: linkReason(parts, depth) };
      if (!stat.isDirectory()) return { state: 'absent' };
    }
    return readPlainFile(path.join(root, ...parts), maxBytes);
  } catch (error) {
    const failure = fileFailure(error);
    const isLink = failure.state === 'unreadable' && failure.reason === LINK;
    return isLink ? { state: 'unreadable', reason: linkReason(parts, parts.length) } : failure;
  }
}

/** The same for callers that wait anyway. */
export async function readWithin(
  root: string,
  parts: readonly string[],
  maxBytes: number,
): Promise<FileReading> {
  return readWithinNow(root, parts, maxBytes);
}

function linkReason(parts: readonly string[], depth: number): string {
  return `${parts.slice(0, depth).join('/')} is a link`;
}

const LINK = 'it is a link';

/** O_NOFOLLOW refuses a link in the last place; O_NONBLOCK keeps a pipe from blocking us. */
export const READ_PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * One plain file, no link, at most `maxBytes`. Throws what the system says.
 * @param shared holds the bytes of a file that is smaller, until the next one is read into it. Whoever reads thousands of
 * files spares as many buffers, which stay outside the heap until a collection.
 */
export function readPlainFile(file: string, maxBytes: number, shared?: Buffer): FileReading {
  const handle = openSync(file, READ_PLAIN);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { state: 'unreadable', reason: 'it is not a plain file' };
    if (stat.size > maxBytes) return { state: 'unreadable', reason: `it is larger than ${maxBytes} bytes` };
    // One byte more than expected tells whether the file grew past the cap while it was read.
    const isSmall = shared !== undefined && stat.size < shared.length;
    const buffer = isSmall ? shared.subarray(0, stat.size + 1) : Buffer.allocUnsafe(stat.size + 1);
    let length = 0;
    for (;;) {
      const bytesRead = readSync(handle, buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0) return { state: 'present', bytes: buffer.subarray(0, length) };
      if (length === buffer.length) return { state: 'unreadable', reason: 'it grew while it was read' };
    }
  } finally {
    closeSync(handle);
  }
}

/** Text files of lines are read in pieces, so that their size never matters. */
const PIECE_BYTES = 256 * 1024;

/**
 * The lines of a plain file, without their line feeds, and last what follows the last line feed. Nothing but a piece is
 * in memory at a time.
 * @returns what is wrong when the file cannot be read to its end; null when it was.
 */
export function* linesWithin(
  root: string,
  name: string,
  limits: { readonly bytes: number; readonly line: number },
): Generator<string, FileReading | null> {
  if (!isPlainName(name)) return { state: 'unreadable', reason: 'its path is not made of plain names' };
  let handle: number;
  try {
    handle = openSync(path.join(root, name), READ_PLAIN);
  } catch (error) {
    return fileFailure(error);
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { state: 'unreadable', reason: 'it is not a plain file' };
    if (stat.size > limits.bytes)
      return { state: 'unreadable', reason: `it is larger than ${limits.bytes} bytes` };
    const decoder = new StringDecoder('utf8');
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let rest = '';
    for (let total = 0; total <= limits.bytes; ) {
      const length = readSync(handle, piece, 0, PIECE_BYTES, null);
      if (length === 0) {
        yield rest + decoder.end();
        return null;
      }
      total += length;
      const lines = (rest + decoder.write(piece.subarray(0, length))).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > limits.line)
        return { state: 'unreadable', reason: `a line is longer than ${limits.line} characters` };
      yield* lines;
    }
    return { state: 'unreadable', reason: 'it grew while it was read' };
  } finally {
    closeSync(handle);
  }
}

/** What a system error means for a reader. Anything without a system code is a bug and goes on. */
export function fileFailure(error: unknown): FileReading {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'absent' };
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      state: 'unreadable',
      reason: 'it belongs to another user (the runtime writes it for its own user only)',
    };
  }
  if (code === 'ELOOP') return { state: 'unreadable', reason: LINK };
  if (code === null) throw error;
  return { state: 'unreadable', reason: `the system says ${code}` };
}
