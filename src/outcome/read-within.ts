import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import * as path from 'node:path';
import { isPlainName } from '../workspace/plain-name.ts';

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

/** One plain file, no link, at most `maxBytes`. Throws what the system says. */
export function readPlainFile(file: string, maxBytes: number): FileReading {
  // O_NOFOLLOW refuses a link in the last place; O_NONBLOCK keeps a pipe from blocking us.
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { state: 'unreadable', reason: 'it is not a plain file' };
    if (stat.size > maxBytes) return { state: 'unreadable', reason: `it is larger than ${maxBytes} bytes` };
    // One byte more than expected tells whether the file grew past the cap while it was read.
    const buffer = Buffer.allocUnsafe(stat.size + 1);
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

/** What a system error means for a reader. Anything without a system code is a bug and goes on. */
export function fileFailure(error: unknown): FileReading {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'absent' };
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      state: 'unreadable',
      reason: 'it belongs to another user (the runtime writes it for its own user only)',
    };
  }
  if (code === 'ELOOP') return { state: 'unreadable', reason: LINK };
  if (code === '') throw error;
  return { state: 'unreadable', reason: `the system says ${code}` };
}
