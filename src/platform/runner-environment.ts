import { readFileSync } from 'node:fs';

const SWITCH = 'ROLLOUT_BENCH_ALLOW_FORKS';
/** Name of the runner's process that executes a job. */
const WORKER = 'Runner.Worker';
/** Deeper than any chain of shells between the runner and us. */
const MAX_ANCESTORS = 32;

/**
 * Whether the operator allows forks in the environment of the runner itself. Our own environment cannot tell: a
 * workflow, which a fork can edit, adds to it. So the environment of the runner's worker process is read, the
 * outermost one of that name among our ancestors. False wherever that cannot be read.
 */
export function runnerAllowsForks(pid: number = process.ppid): boolean {
  let allowed = false;
  let current = pid;
  for (let depth = 0; depth < MAX_ANCESTORS && current > 1; depth++) {
    const status = read(current, 'status');
    if (status === null) return allowed;
    if (/^Name:\t(.*)$/m.exec(status)?.[1] === WORKER) {
      allowed = (read(current, 'environ') ?? '').split('\0').includes(`${SWITCH}=true`);
    }
    current = Number(/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? 0);
  }
  return allowed;
}

function read(pid: number, file: 'status' | 'environ'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
