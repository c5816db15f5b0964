import * as path from 'node:path';
import { attemptFolder } from '../../bundle/layout.ts';
import { errorOf, type RbError } from '../../errors/rb-error.ts';
import { isThere } from '../../files/is-there.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { AttemptEntry } from './run-entry.ts';

/**
 * Inputs whose baseline may be the id of a run of this host, as `inventory` lists it: it becomes the folder of the run's
 * newest sealed attempt. Whatever exists as a path stays a path.
 * @throws RbError RB612 (exit 2) when the run is here without such an attempt, RB520 when the runs cannot be looked at.
 */
export async function withBaselineOfHost(inputs: Inputs): Promise<Inputs> {
  const { baseline, workspace } = inputs;
  if (baseline.kind !== 'path' || workspace === null || (await isThere(baseline.path))) return inputs;
  const root = path.resolve(workspace);
  const runId = baseline.path;
  const { scanRuns } = await import('./scan-runs.ts');
  const run = (await scanRuns(root)).runs.find((each) => each.runId === runId);
  if (run === undefined) return inputs;
  const newest = run.attempts.findLast(isComparable);
  if (newest === undefined) throw nothingToCompareWith(runId, run.attempts);
  return {
    ...inputs,
    baseline: { ...baseline, path: path.join(root, attemptFolder(runId, newest.attempt)) },
  };
}

function isComparable(attempt: AttemptEntry): boolean {
  return attempt.state === 'sealed' && !attempt.rawRemoved;
}

function nothingToCompareWith(runId: string, attempts: readonly AttemptEntry[]): RbError {
  const states = attempts.map(
    ({ attempt, state, rawRemoved }) =>
      `attempt ${attempt} is ${rawRemoved ? 'without its raw evidence' : state}`,
  );
  return errorOf('RB612', {
    where: 'input baseline',
    message: `this run has no sealed attempt to compare with: ${states.join(', ') || 'it has none at all'}.`,
    value: runId,
    fix: 'Take a sealed run with its evidence, as `rollout-bench inventory` lists them.',
  });
}
