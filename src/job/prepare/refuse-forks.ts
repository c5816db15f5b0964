import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { EXIT, RbError } from '../../errors/rb-error.ts';
import { isThere } from '../../files/is-there.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { forkGuard } from '../../platform/fork-guard.ts';
import type { Environment } from '../verb.ts';

/**
 * Refuses code of a fork on a self-hosted runner, before anything of the host is touched.
 * @throws RbError RB360 (exit 3).
 */
export async function refuseForks(
  env: Environment,
  payload: unknown,
  workspace: string | null,
): Promise<void> {
  const operatorAllows = runnerAllowsForks() || (await allowedByFile(workspace));
  const { problem } = forkGuard({ env, payload, operatorAllows });
  if (problem !== null) throw new RbError(EXIT.refused, [problem]);
}

/** The file lies outside of any checkout, where only the operator of the host can put it. */
async function allowedByFile(workspace: string | null): Promise<boolean> {
  if (workspace === null) return false;
  const file = path.join(hostFolder(path.resolve(workspace)).root, 'allow-forks');
  return isThere(file);
}

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
