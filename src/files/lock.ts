import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { errorCode } from '../base/error-code.ts';
import { errorOf, RbError } from '../errors/rb-error.ts';
import { fileFailure } from './problems.ts';

/** An exclusive flock(2) that is held until `release` (idempotent) or until this process ends, however it ends. */
export interface FileLock {
  readonly isHeld: boolean;
  release(): void;
}

export type LockHelper = 'flock' | 'perl';

interface LockOptions {
  /** Milliseconds to wait; 0 tries once; left out waits for ever. */
  readonly timeoutMs?: number;
  /** Stops the waiting; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Programs to try, in this order. */
  readonly helpers?: readonly LockHelper[];
}

const BUSY = 75;
const FAILED = 66;

/*
 * Perl has no timeout for flock, so it polls; without a limit it blocks in the kernel. The lock is taken on descriptor 3,
 * whose open file description belongs to us as well: it stays locked when perl has ended.
 */
const PERL_SCRIPT = `
open(F, ">>&=", 3) or exit ${FAILED};
my $limit = $ARGV[0];
if ($limit < 0) { flock(F, 2) or exit ${FAILED}; exit 0; }
for (;;) { flock(F, 6) and exit 0; exit ${BUSY} if $limit <= 0; select(undef, undef, undef, 0.05); $limit -= 0.05; }`;

/**
 * Takes the exclusive lock on a lock file, which is created when missing (mode 0644) and never removed. This is the lock
 * the runtime takes (flock, not record locks): each excludes the other.
 *
 * Node cannot call flock itself, but a lock belongs to the open file: a short-lived `flock` program locks the descriptor
 * it inherits, and the lock stays with ours after that program has ended. Throws RbError RB218 (exit 75) when the time is
 * up, RB217 when neither `flock` nor `perl` is there, RB213 when the path is a link, RB219 when it cannot be opened.
 */
export async function acquireLock(file: string, options: LockOptions = {}): Promise<FileLock> {
  const deadline = options.timeoutMs === undefined ? null : Date.now() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    const descriptor = openLockFile(file, constants.O_CREAT);
    if (descriptor === null) continue;
    try {
      const left = deadline === null ? null : Math.max(0, deadline - Date.now());
      await lockDescriptor(file, descriptor, left, options);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    // Somebody may have replaced the file while we waited; then this lock excludes nobody.
    if (isStillThere(file, descriptor)) return lockOn(descriptor);
    closeSync(descriptor);
  }
}

/**
 * Whether nobody holds the lock of a file, waiting up to `timeoutMs` for that; the lock is not kept. A file that is not
 * there is free, and is not made. Throws as {@link acquireLock} does, apart from RB218.
 */
export async function becomesFree(file: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  signal?.throwIfAborted();
  const descriptor = openLockFile(file, 0);
  if (descriptor === null) return true;
  try {
    await lockDescriptor(file, descriptor, timeoutMs, signal === undefined ? {} : { signal });
    return true;
  } catch (error) {
    if (error instanceof RbError && error.problems.some(({ code }) => code === 'RB218')) return false;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function lockOn(descriptor: number): FileLock {
  let held = true;
  return {
    get isHeld() {
      return held;
    },
    release() {
      if (!held) return;
      held = false;
      closeSync(descriptor);
    },
  };
}

/** Null when the file is not there and is not to be made (`create` is 0 or O_CREAT). */
function openLockFile(file: string, create: number): number | null {
  try {
    // Readable and writable, as the runtime opens it: some network file systems emulate flock only then.
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | create;
    return openSync(file, flags, 0o644);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && create === 0) return null;
    if (errorCode(error) === 'ELOOP') {
      throw errorOf('RB213', {
        where: file,
        message: 'the lock file is a link.',
        fix: 'Remove the link; the runtime makes the file itself.',
      });
    }
    throw fileFailure(file, 'open the lock file', error);
  }
}

function isStillThere(file: string, descriptor: number): boolean {
  try {
    const now = statSync(file, { bigint: true });
    const ours = fstatSync(descriptor, { bigint: true });
    return now.ino === ours.ino && now.dev === ours.dev;
  } catch {
    return false;
  }
}

async function lockDescriptor(
  file: string,
  descriptor: number,
  left: number | null,
  options: LockOptions,
): Promise<void> {
  const failures: string[] = [];
  for (const helper of options.helpers ?? ['flock', 'perl']) {
    const result = await runHelper(helper, descriptor, left, options.signal);
    if (result.code === 0) return;
    if (result.code === BUSY) throw busy(file, options.timeoutMs ?? 0);
    failures.push(`${helper}: ${result.reason}`);
  }
  throw errorOf('RB217', {
    where: file,
    message: `the lock cannot be taken (${failures.join('; ')}).`,
    fix: 'Install flock (Debian package util-linux) or perl on this machine.',
  });
}

function busy(file: string, timeoutMs: number): RbError {
  return errorOf('RB218', {
    where: file,
    message: `another process has held the lock for ${(timeoutMs / 1000).toFixed(1)} s.`,
    fix: 'Wait until the runtime or the other program has finished, then try again.',
  });
}

function helperArguments(helper: LockHelper, left: number | null): string[] {
  if (helper === 'perl') return ['-e', PERL_SCRIPT, '--', left === null ? '-1' : String(left / 1000)];
  const wait = left === null ? [] : left <= 0 ? ['-n'] : ['-w', String(left / 1000)];
  return ['-x', '-E', String(BUSY), ...wait, '3'];
}

function runHelper(
  helper: LockHelper,
  descriptor: number,
  left: number | null,
  signal: AbortSignal | undefined,
): Promise<{ code: number; reason: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(helper, helperArguments(helper, left), {
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
      ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' as const }),
    });
    let complaint = '';
    child.stderr?.on('data', (part: Buffer) => {
      if (complaint.length < 400) complaint += part.toString('utf8');
    });
    child.once('error', (error) => {
      if (signal?.aborted === true) reject(signal.reason instanceof Error ? signal.reason : error);
      else resolve({ code: FAILED, reason: errorCode(error) === 'ENOENT' ? 'not installed' : error.message });
    });
    child.once('close', (code) => {
      resolve({ code: code ?? FAILED, reason: complaint.trim() || `ended with ${code ?? 'a signal'}` });
    });
  });
}
