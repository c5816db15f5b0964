import { type Problem, problemOf } from '../../errors/rb-error.ts';
import type { Measurement } from '../../results/measurement.ts';
import { assessSuite } from './assess-suite.ts';

const CURE = 'Measure again, complete, and accept that bundle.';

/**
 * Why a measurement must not become a baseline, not even by a person's decision; none when it may. A rate below a
 * floor is no reason: a person may know why. Pure.
 */
export function acceptanceProblems(measurement: Measurement): Problem[] {
  const { plan, run } = measurement;
  const where = `${plan.suite} ${run.runId}`;
  if (run.evidenceClass === 'unplanned') {
    return [
      problem(
        where,
        'its sessions were queued by others; nothing was planned.',
        'Measure the policy with `rollout-bench run` and accept that bundle.',
      ),
    ];
  }
  return unsoundReasons(measurement).map((reason) => problem(where, reason));
}

/** Why the numbers of a measurement cannot be set beside those of another one; none when they can. Pure. */
export function unsoundReasons(measurement: Measurement): string[] {
  const { end, earlyStop } = measurement.results;
  // Where another tool says nothing of its plan, whoever accepts its numbers answers for them.
  const unsaid = end === null && measurement.run.evidenceClass === 'imported';
  if (end?.kind !== 'complete' && !unsaid) {
    const how = end === null ? 'never ended' : `ended ${end.kind}: ${end.reason ?? 'no reason is known'}`;
    return [`the run ${how}.`];
  }
  if (earlyStop?.stopped != null) {
    return ['the run stopped early, so it does not hold all the cells that other runs are paired with.'];
  }
  const { verdict, reasons } = assessSuite(measurement, null).decision;
  return verdict === 'INVALID' ? reasons.map(({ text }) => text) : [];
}

function problem(where: string, message: string, fix = CURE): Problem {
  return problemOf('RB613', {
    where,
    message,
    fix,
  });
}
