import type { EpisodeRecord } from '../model/episode-record.ts';
import { HELD_OUT_SCHEMA_ID, type HeldOutSummary } from '../model/held-out-summary.ts';
import type { Plan } from '../model/plan.ts';
import type { Results } from '../model/results.ts';
import type { Decision, Reason } from '../model/verdict.ts';
import { marginP } from '../stats/margin-test.ts';
import { givenPercent, percentBeside } from '../stats/rounding.ts';
import { wholeCounts } from '../stats/strata.ts';
import { tango } from '../stats/tango.ts';
import { worseP } from '../stats/worse-test.ts';
import { assess } from './from-records.ts';
import { type Difference, type GateResult, nonInferiorityGate } from './gates.ts';
import { GATE_LEVEL, SHOWN_LEVEL, TEST_LEVEL } from './levels.ts';
import { overallVerdict } from './overall.ts';
import { tallyArm } from './record-checks.ts';
import type { Tally } from './tally.ts';
import { type Rules, reaches } from './thresholds.ts';

/** A held-out bundle that was sealed on this host. */
interface HeldOutEvidence {
  readonly plan: Plan;
  readonly planDigest: string;
  readonly records: readonly EpisodeRecord[];
  readonly results: Results;
  readonly manifestSha256: string;
}

/** The aggregate that may leave the host. Pure. @throws Error for a plan that holds nothing out (a bug). */
export function heldOutSummary(evidence: HeldOutEvidence): HeldOutSummary {
  const { plan, planDigest, records, results, manifestSha256 } = evidence;
  if (plan.heldOut === undefined) throw new Error('this plan holds nothing out');
  const { commitment, count } = plan.heldOut;
  const changed = results.run.arms.flatMap(({ changed: text }) => (text === null ? [] : [text]));
  const policyChanged = changed.length === 0 ? undefined : changed.join('; ');
  const assessment = assess(plan, records, { policyChanged });
  return {
    schema: HELD_OUT_SCHEMA_ID,
    commitment,
    count,
    runId: results.run.runId,
    attempt: results.run.attempt,
    planDigest,
    manifestSha256,
    verdict: assessment.decision.verdict,
    reasons: [...new Set(assessment.decision.reasons.map(({ code }) => code))].slice(0, 50),
    arms: results.arms.map(({ arm, planned, recorded, valid, outcomes, successRate }) => {
      const { states } = tallyArm(plan, records, arm);
      const several = states === undefined ? {} : { states: { valid: states.valid, score: states.score } };
      return { arm, planned, recorded, valid, outcomes, successRate, ...several };
    }),
    taskFloor: taskFloorOf(plan, tallyArm(plan, records, 'candidate')),
    paired: pairedOf(assessment.paired),
  };
}

function taskFloorOf({ thresholds }: Plan, { tasks }: Tally): HeldOutSummary['taskFloor'] {
  const { minTaskSuccessRate: floor, thresholdMode } = thresholds;
  if (floor === null) return null;
  return { floor, missed: tasks.filter((task) => !reaches(task, floor, thresholdMode)).length };
}

function pairedOf(paired: ReturnType<typeof assess>['paired']): HeldOutSummary['paired'] {
  if (paired === null) return null;
  const { table, delta, counts, weightedP } = paired;
  const { low, high } = tango(counts, GATE_LEVEL) ?? { low: -1, high: 1 };
  const worse = weightedP ?? worseP(counts);
  return {
    pairs: table.n,
    fixed: table.fixed,
    regressed: table.regressed,
    delta,
    low,
    high,
    dropConfirmed: worse <= TEST_LEVEL,
    tested: { ...wholeCounts(counts), worse },
  };
}

/**
 * The verdict with the held-out cells, where the plan has any: INVALID without their aggregate, then floors and margin on
 * it by the same rules, which may be stricter here than on the host. The worse of both counts. Pure.
 */
export function withHeldOut(
  decision: Decision,
  { heldOut, thresholds }: Pick<Plan, 'heldOut' | 'thresholds'>,
  summary: HeldOutSummary | null,
): Decision {
  if (heldOut === undefined || heldOut.salt !== undefined) return decision;
  const invalid = invalidReasons(heldOut, summary);
  if (summary === null || invalid.length > 0) {
    const own = decision.verdict === 'INVALID' ? decision.reasons : [];
    return { ...decision, verdict: 'INVALID', reasons: [...own, ...invalid] };
  }
  if (decision.verdict === 'INVALID') return decision;
  const gates = heldOutGates(summary, thresholds);
  const found = gates.map(({ result, reason }): Decision => {
    const verdict = result === 'pass' ? 'PASS' : result === 'fail' ? 'FAIL' : 'INCONCLUSIVE';
    return { verdict, reasons: [reason], warnings: [] };
  });
  const verdict = overallVerdict([decision, ...found]) ?? decision.verdict;
  const ordered = [decision, ...found].toSorted(
    (left, right) => Number(right.verdict === verdict) - Number(left.verdict === verdict),
  );
  return { ...decision, verdict, reasons: ordered.flatMap(({ reasons }) => reasons) };
}

function invalidReasons(claim: NonNullable<Plan['heldOut']>, summary: HeldOutSummary | null): Reason[] {
  if (summary === null) {
    const text = `The plan holds ${claim.count} cells out, and nothing is known about them.`;
    return [{ code: 'heldout_missing', text }];
  }
  if (summary.commitment !== claim.commitment || summary.count !== claim.count) {
    const text = 'The held-out result is of another list than the plan committed to.';
    return [{ code: 'heldout_missing', text }];
  }
  if (summary.verdict !== 'INVALID') return [];
  const codes = summary.reasons.join(', ');
  return [{ code: 'heldout_invalid', text: `The held-out episodes decide nothing (${codes}).` }];
}

type Gate = Pick<GateResult, 'result' | 'reason'>;

function heldOutGates(summary: HeldOutSummary, rules: Rules): Gate[] {
  const gates: Gate[] = [];
  if (rules.minSuccessRate !== null) gates.push(floorGate(summary, rules, rules.minSuccessRate));
  if (rules.minTaskSuccessRate !== null) gates.push(taskGate(summary, rules.minTaskSuccessRate));
  const { paired } = summary;
  if (paired !== null) {
    const { result, reason } = nonInferiorityGate(
      heldOutDifference(paired, rules.maxRegression),
      rules.maxRegression,
    );
    gates.push({ result, reason: { code: `heldout_${reason.code}`, text: `Held-out: ${reason.text}` } });
  }
  const { k, n } = summary.arms.find(({ arm }) => arm === 'candidate')?.successRate ?? { k: 0, n: 0 };
  if (gates.length > 0 && k === 0 && n > 0) {
    const text = `Held-out: no episode of ${n} succeeded, so there is nothing that could have got worse.`;
    gates.push({ result: 'inconclusive', reason: { code: 'heldout_nothing_to_show', text } });
  }
  return gates;
}

/**
 * A summary of an earlier version has no `tested`. Its counts are the data where they give its difference, else its
 * interval speaks: a bound beyond the margin, or below 0, has a one-sided error of 5 %.
 */
function heldOutDifference(paired: NonNullable<HeldOutSummary['paired']>, margin: number): Difference {
  const { pairs: n, fixed, regressed, delta, low, high, dropConfirmed } = paired;
  const against = 'the baseline arm';
  const plain = Math.abs(delta - (fixed - regressed) / n) < 1e-9 ? { n, fixed, regressed } : null;
  const counts = paired.tested ?? plain;
  if (counts === null) {
    const worse = high < 0 && dropConfirmed ? TEST_LEVEL : 1;
    return { delta, interval: null, against, worse, marginal: low > -margin ? TEST_LEVEL : 1 };
  }
  return {
    delta,
    interval: tango(counts, SHOWN_LEVEL),
    against,
    worse: paired.tested?.worse ?? worseP(counts),
    marginal: marginP(counts, margin),
  };
}

function floorGate({ arms }: HeldOutSummary, rules: Rules, floor: number): Gate {
  const own = arms.find(({ arm }) => arm === 'candidate');
  const { k, n } = own?.successRate ?? { k: 0, n: 0 };
  const states = own?.states === undefined ? {} : { states: { planned: own.states.valid, ...own.states } };
  const ok = reaches({ successes: k, valid: n, ...states }, floor, rules.thresholdMode);
  const bound = rules.thresholdMode === 'point' ? '' : ' with its one-sided 95% lower bound';
  const text = `Held-out: ${k}/${n} = ${n === 0 ? '–' : percentBeside(k, n, floor)}% ${ok ? 'reaches' : 'misses'} the floor of ${givenPercent(floor)}%${bound}.`;
  return {
    result: ok ? 'pass' : 'fail',
    reason: { code: ok ? 'heldout_floor_reached' : 'heldout_floor', text },
  };
}

function taskGate({ taskFloor }: HeldOutSummary, floor: number): Gate {
  const wanted = `${givenPercent(floor)}%`;
  if (taskFloor === null || taskFloor.floor < floor) {
    const text = `Held-out: whether every task reaches ${wanted} was not decided on the host, and cannot be from its aggregate.`;
    return { result: 'inconclusive', reason: { code: 'heldout_task_floor_unknown', text } };
  }
  if (taskFloor.missed === 0) {
    const text = `Held-out: every task reaches the per-task floor of ${wanted}.`;
    return { result: 'pass', reason: { code: 'heldout_task_floor_reached', text } };
  }
  const text = `Held-out: ${taskFloor.missed} tasks miss the per-task floor of ${givenPercent(taskFloor.floor)}%.`;
  return { result: 'fail', reason: { code: 'heldout_task_floor', text } };
}
