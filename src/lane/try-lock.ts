import { RbError } from '../errors/rb-error.ts';
import { acquireLock, type FileLock } from '../files/lock.ts';

/** Takes a file lock, or null when it is not free within `timeoutMs` or the signal aborts first. */
export async function tryLock(
  file: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<FileLock | null> {
  try {
    return await acquireLock(file, { timeoutMs, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    if (signal?.aborted === true) return null;
    if (error instanceof RbError && error.problems.some(({ code }) => code === 'RB218')) return null;
    throw error;
  }
}
