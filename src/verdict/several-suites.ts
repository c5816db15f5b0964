import type { Decision } from '../model/verdict.ts';
import { holm } from '../stats/holm.ts';
import { type Stratum, strataCounts, strataMarginP, strataWorseP } from '../stats/strata.ts';
import { tango } from '../stats/tango.ts';
import type { Interval } from '../stats/wilson.ts';
import { combine } from './decide.ts';
import { type GateResult, nonInferiorityGate, pText } from './gates.ts';
import { SHOWN_LEVEL, TEST_LEVEL } from './levels.ts';

/** What one suite brings to the verdict over all of them. */
export interface SuiteEvidence {
  readonly suite: string;
  readonly decision: Decision;
  /** Empty for an INVALID run. */
  readonly gates: readonly GateResult[];
  /** Its pairs by task; null without comparable pairs, and for a run that may have stopped where its data said so. */
  readonly strata: readonly Stratum[] | null;
  /** Largest allowed drop, as a rate. */
  readonly margin: number;
}

/** The mean of several suites against their baselines, every suite with the same weight. Differences as rates. */
export interface AverageOfSuites {
  readonly suites: readonly string[];
  readonly delta: number;
  /** 95 %. */
  readonly interval: Interval;
  readonly regressed: number;
  readonly fixed: number;
  readonly decision: Decision;
}

interface Together {
  /** Of each suite, in the given order. */
  readonly decisions: readonly Decision[];
  /** Null for one suite, and where a suite has no comparable pairs. */
  readonly average: AverageOfSuites | null;
}

/**
 * The verdicts of suites that are judged together. PASS asks every suite and their average, each at full level: that all
 * of them hold needs no correction. FAIL of a difference asks that it shows after Holm over all that were tested (suites,
 * anchors, average): four equal suites of 100 pairs would else give some FAIL in 14 % of runs. Floors are no tests and stay. Pure.
 */
export function decideTogether(suites: readonly SuiteEvidence[]): Together {
  const mean = averageGate(suites);
  const families = suites.map(({ gates }) => gates);
  const tested = [...families.flat(), ...(mean === null ? [] : [mean.gate])].filter(
    ({ p }) => p !== undefined,
  );
  const adjusted = holm(tested.map(({ p = 1 }) => p));
  const holmOf = new Map(tested.map((gate, index) => [gate, adjusted[index] ?? 1]));
  const decisions = suites.map(({ decision, gates }) => afterHolm(decision, gates, holmOf));
  if (mean === null) return { decisions, average: null };
  const { gate, ...average } = mean;
  const alone = { verdict: combine([gate]), reasons: [gate.reason], warnings: gate.notes.slice() };
  return { decisions, average: { ...average, decision: afterHolm(alone, [gate], holmOf) } };
}

/** A difference that does not show among all that were looked at is no FAIL. */
function afterHolm(
  decision: Decision,
  gates: readonly GateResult[],
  holmOf: ReadonlyMap<GateResult, number>,
): Decision {
  if (decision.verdict !== 'FAIL') return decision;
  const weak = gates.filter((gate) => gate.result === 'fail' && (holmOf.get(gate) ?? 0) > TEST_LEVEL);
  if (weak.length === 0) return decision;
  const left = gates.map((gate) => (weak.includes(gate) ? { result: 'inconclusive' as const } : gate));
  const softened = new Map(
    weak.map((gate) => {
      const text = `${gate.reason.text} Among ${holmOf.size} comparisons that is no proof yet (${pText(holmOf.get(gate) ?? 1)} after Holm).`;
      return [gate.reason, { code: 'cannot_tell_among_several', text }];
    }),
  );
  const reasons = decision.reasons.map((reason) => softened.get(reason) ?? reason);
  const first = reasons.filter((reason) =>
    gates.some((gate) => gate.reason === reason && gate.result === 'fail'),
  );
  return {
    ...decision,
    verdict: combine(left),
    reasons: [...first, ...reasons.filter((reason) => !first.includes(reason))],
  };
}

/** The gate of the average and its figures; null where there is none. */
function averageGate(
  suites: readonly SuiteEvidence[],
): (Omit<AverageOfSuites, 'decision'> & { readonly gate: GateResult }) | null {
  if (suites.length < 2) return null;
  // A suite weighs one, and so do its tasks among themselves.
  const strata = suites.flatMap(({ strata: own }) => {
    const tasks = (own ?? []).filter(({ differences }) => differences.length > 0);
    return tasks.map((task) => ({ ...task, weight: task.weight / tasks.length }));
  });
  const counts = strataCounts(strata)?.counts;
  const every = suites.every(({ strata: own }) => own?.some(({ differences }) => differences.length > 0));
  const interval = counts === undefined ? null : tango(counts, SHOWN_LEVEL);
  if (counts === undefined || interval === null || !every) return null;
  const delta = (counts.fixed - counts.regressed) / counts.n;
  const margin = Math.min(...suites.map((suite) => suite.margin));
  const against = `the baselines, mean of ${suites.length} suites`;
  const p = { worse: strataWorseP(strata), marginal: strataMarginP(strata, margin) };
  const gate = nonInferiorityGate({ delta, interval, against, ...p }, margin);
  const changes = strata.flatMap(({ differences }) => differences);
  return {
    suites: suites.map(({ suite }) => suite),
    delta,
    interval,
    regressed: changes.filter((change) => change < 0).length,
    fixed: changes.filter((change) => change > 0).length,
    gate: { ...gate, reason: { code: `average_${gate.reason.code}`, text: `Average: ${gate.reason.text}` } },
  };
}
