import { errorCode } from '../base/error-code.ts';
import type { ErrorCode } from '../errors/catalogue/index.ts';
import { type Problem, problemOf, type RbError, refusal } from '../errors/rb-error.ts';

/** A failed system call on a workspace file, said so that an operator can act. */
export function fileFailure(path: string, doing: string, error: unknown, code: ErrorCode = 'RB219'): RbError {
  return refusal(
    {
      code,
      where: path,
      message: `could not ${doing}: ${systemReason(error)}.`,
      fix: isFull(error)
        ? ROOM_CURE
        : 'Check that the file exists and that the user running this may read and write it and its folder.',
    },
    { cause: error },
  );
}

const ROOM_CURE =
  'Free some room, start the watchdog again if it has ended (a full disk ends it), then go on with the command that `rollout-bench status` shows.';

/** A refusal of ours whose cause is that the file is not there. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === 'ENOENT';
}

/** Is there no room left, for anybody or for this user? */
function isFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** What only the host can mend. A file that is missing (ENOENT) may as well be a bug, and stays one. */
const HOST_CODES: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENAMETOOLONG',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ETXTBSY',
  'ESTALE',
  'ENODEV',
  'ENOMEM',
]);

/** The problem behind a system call that failed for a reason of the host, null for any other error. */
export function hostFailure(error: unknown): Problem | null {
  const code = errorCode(error);
  if (!(error instanceof Error) || code === null || !HOST_CODES.has(code) || !('syscall' in error))
    return null;
  const where = 'path' in error && typeof error.path === 'string' ? error.path : 'the host';
  return problemOf('RB219', {
    where,
    message: `${String(error.syscall)} failed: ${systemReason(error)}.`,
    fix: isFull(error)
      ? ROOM_CURE
      : 'Mend that on the host, then run `rollout-bench clean` to take out what may be left, and start again.',
  });
}

/** `permission denied (EACCES)` for a system error, its message for any other. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  const words: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'not permitted',
    ENOENT: 'it does not exist',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    EDQUOT: 'the disk quota is used up',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of the path is not a folder',
    EEXIST: 'something else has this name',
  };
  if (code === null) return error instanceof Error ? error.message : String(error);
  return `${words[code] ?? 'system error'} (${code})`;
}

/** A value as short text for a message. */
export function shown(value: unknown, limit = 80): string {
  let text: string;
  if (typeof value === 'string') text = JSON.stringify(value);
  else if (typeof value === 'bigint') text = String(value);
  else if (Array.isArray(value)) text = `a list of ${value.length}`;
  else if (value === undefined) text = 'nothing';
  else if (value !== null && typeof value === 'object')
    text = 'text' in value ? String(value.text) : 'a mapping';
  else text = String(value);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
