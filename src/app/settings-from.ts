import * as path from 'node:path';
import { EXIT, problemOf, RbError } from '../errors/rb-error.ts';
import { isThere } from '../files/is-there.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { readEvent } from '../job/read-event.ts';
import type { Environment } from '../job/verb.ts';
import { runContext } from '../platform/run-context.ts';
import { checkoutOf } from '../policy-process/git-commit.ts';

const SHORT = 10;

/**
 * What a step says of the config file that it read.
 * @param named whether the step named the file itself.
 * @throws RbError RB116 (exit 2) for a file that was found and belongs to a checkout of a commit that this job is not about: a
 *   runner of one's own keeps the folder, so a job without a checkout would find what another job left there.
 */
export async function settingsText(
  { config }: Pick<Inputs, 'config'>,
  { env, named }: { readonly env: Environment; readonly named: boolean },
): Promise<string | null> {
  if (config === null) return null;
  const root = env.GITHUB_WORKSPACE ?? '';
  if (named || root === '' || !(await isThere(path.join(root, '.git')))) return `Settings of ${config}.`;
  const checkout = await checkoutOf(root, env);
  if (checkout === null) return `Settings of ${config}; git does not tell of which commit.`;
  const { headCommit, baseCommit } = runContext(env, await readEvent(env));
  const own = [env.GITHUB_SHA, headCommit, baseCommit];
  const commit = checkout.commit.slice(0, SHORT);
  if (own.includes(checkout.commit)) return `Settings of ${config} at ${commit}.`;
  throw new RbError(EXIT.usage, [
    problemOf('RB116', {
      where: config,
      message: `the folder of this job is a checkout of ${commit}, and the job is about ${(headCommit ?? env.GITHUB_SHA ?? 'another commit').slice(0, SHORT)}: another job may have left it there.`,
      fix: `Check out the commit of this job before this step, or name the file with \`config: ${config}\`.`,
    }),
  ]);
}
