import { EXIT, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { isThere } from '../is-there.ts';

/**
 * A mistyped path must not cost a whole run before it makes the verdict INVALID.
 * @throws RbError RB612 (exit 2) when the baseline that is named by path is not there.
 */
export async function requireBaseline({ baseline, mode }: Pick<Inputs, 'baseline' | 'mode'>): Promise<void> {
  if (mode === 'run' || baseline.kind !== 'path') return;
  if (await isThere(baseline.path)) return;
  throw new RbError(EXIT.usage, [
    {
      code: 'RB612',
      where: 'input baseline',
      message: 'nothing is at this path, and it is no run of this host.',
      value: baseline.path,
      fix: 'Give the path of a bundle, results.json or episodes.jsonl, the id of a run, a count such as 486/500, auto or none.',
      severity: 'fatal',
    },
  ]);
}
