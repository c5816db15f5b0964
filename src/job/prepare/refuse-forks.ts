import * as path from 'node:path';
import { EXIT, RbError } from '../../errors/rb-error.ts';
import { isThere } from '../../files/is-there.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { forkGuard } from '../../platform/fork-guard.ts';
import { runnerAllowsForks } from '../../platform/runner-environment.ts';
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
