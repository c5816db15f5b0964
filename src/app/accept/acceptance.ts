import type { Problem } from '../../errors/rb-error.ts';
import type { Measurement } from '../../results/merge-shards.ts';
import { assessSuite } from '../report/assess-suite.ts';

const CURE = 'Measure again, complete, and accept that bundle.';

/**
 * Why a measurement must not become a baseline, not even by a person's decision; none when it may. A rate below a
 * floor is no reason: a person may know why. Pure.
 */
export function acceptanceProblems(measurement: Measurement): Problem[] {
  const { plan, run, results } = measurement;
  const where = `${plan.suite} ${run.runId}`;
  if (run.evidenceClass !== 'planned') {
    return [
      problem(
        where,
        'its sessions were queued by others; nothing was planned.',
        'Measure the policy with `rollout-bench run` and accept that bundle.',
      ),
    ];
  }
  const { end } = results;
  if (end?.kind !== 'complete') {
    const how = end === null ? 'never ended' : `ended ${end.kind}: ${end.reason ?? 'no reason is known'}`;
    return [problem(where, `the run ${how}.`)];
  }
  if (results.earlyStop?.stopped != null) {
    return [
      problem(
        where,
        'the run stopped early, so it does not hold all the cells that later runs are paired with.',
      ),
    ];
  }
  const { verdict, reasons } = assessSuite(measurement, null).decision;
  return verdict === 'INVALID' ? reasons.map(({ text }) => problem(where, text)) : [];
}

function problem(where: string, message: string, fix = CURE): Problem {
  return {
    code: 'RB613',
    where,
    message,
    fix,
    severity: 'fatal',
  };
}
