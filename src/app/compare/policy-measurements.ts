import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { unsoundReasons } from '../../job/judge/acceptance.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import type { Measurement, Part } from '../../results/measurement.ts';
import { mergeParts } from '../../results/merge-shards.ts';
import { MOST_POLICIES } from '../../verdict/many-policies.ts';

/**
 * The bundles of each policy put together: for each policy its measurements, one a suite. Shards belong together by their policy reference and
 * checkpoint; whole runs without either stand for themselves. Pure.
 * @throws RbError RB610 and RB611 for bundles of one policy that do not fit together (exit 5), RB672 for a run that means
 * nothing (exit 3), RB673 for one policy or more than 50 (exit 2).
 */
export function policyMeasurements(parts: readonly Part[]): (readonly Measurement[])[] {
  const groups = groupsOf(parts);
  if (groups.length < 2 || groups.length > MOST_POLICIES) throw wrongNumber(groups.length);
  const merged = groups.map((group) => mergeParts(group));
  const problems = merged.flatMap((each) => each.problems);
  if (problems.length > 0) throw new RbError(EXIT.verifyMismatch, problems);
  const measurements = merged.flatMap((each) => each.measurements);
  const unsound = measurements.flatMap(unsoundProblems);
  if (unsound.length > 0) throw new RbError(EXIT.refused, unsound);
  return merged.map((each) => each.measurements);
}

/** How many policies the bundles declare; null when one of them does not say which it is of. Pure. */
export function declaredPolicies(parts: readonly Part[]): number | null {
  const keys = parts.map(({ run }) => declaredKey(run));
  return keys.includes(null) ? null : new Set(keys).size;
}

function groupsOf(parts: readonly Part[]): Part[][] {
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const { run, planDigest } = part;
    const key = declaredKey(run) ?? (run.shard === null ? `run ${run.runId}` : `shards ${planDigest}`);
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()];
}

function declaredKey({ arms }: Pick<RunFacts, 'arms'>): string | null {
  const arm = arms.find((each) => each.arm === 'candidate');
  if (arm === undefined || (arm.policyRef === null && arm.checkpointDigest === null)) return null;
  return `policy ${JSON.stringify([arm.policyRef, arm.checkpointDigest])}`;
}

function unsoundProblems(measurement: Measurement): Problem[] {
  const { plan, run } = measurement;
  return unsoundReasons(measurement).map((message) =>
    problemOf('RB672', {
      where: `${plan.suite} ${run.runId}`,
      message,
    }),
  );
}

function wrongNumber(found: number): RbError {
  const few = found < 2;
  const problem: Problem = problemOf('RB673', {
    where: 'bundles',
    message: few
      ? 'the bundles are of one policy, and a comparison needs two.'
      : `the bundles are of more than ${MOST_POLICIES} policies.`,
    value: String(found),
    fix: few
      ? 'Name bundles of several policies; `policy-ref` of their runs tells them apart. What one bundle says is in its report.'
      : 'Compare fewer at a time.',
  });
  return new RbError(EXIT.usage, [problem]);
}
