import { problemsOf } from '../../github/failure.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { Connection } from '../connection.ts';
import type { VerbContext } from '../verb.ts';
import { fileAt, rulingFiles } from './base-files.ts';
import { inputsAtBase } from './rules.ts';

/**
 * May what cameras saw be shown to whoever reads the repository? In a public one only by `record-public` of the config
 * file, and for a pull request of that at its base commit: whoever may be measured does not decide on it. What cannot be
 * read is a no.
 */
export async function mayShowFrames(
  { inputs, env }: Pick<VerbContext, 'inputs' | 'env'>,
  { publicRepository, baseCommit }: Pick<RunContext, 'publicRepository' | 'baseCommit'>,
  github: Connection | null,
): Promise<boolean> {
  if (!publicRepository) return true;
  if (!inputs.recordPublic || inputs.origins['record-public'] !== 'config') return false;
  if (baseCommit === null) return true;
  if (github === null) return false;
  try {
    const config = (await rulingFiles(env, inputs.config)).find(({ kind }) => kind === 'config');
    const before = config === undefined ? null : await fileAt(github, config.path, baseCommit);
    return before !== null && inputsAtBase(before, inputs).recordPublic;
  } catch (error) {
    if (problemsOf(error) === null) throw error;
    return false;
  }
}
