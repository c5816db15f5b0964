import { holm } from '../stats/holm.ts';
import { type MacroDifference, macroDifference } from '../stats/macro-difference.ts';
import { mcnemar } from '../stats/mcnemar.ts';
import { detectableDrop } from '../stats/power.ts';
import { type SignFlip, signFlip } from '../stats/seeds.ts';
import { type Median, medianWithInterval } from '../stats/summaries.ts';
import { nonInferiorityP, tango } from '../stats/tango.ts';
import { type Interval, wilson } from '../stats/wilson.ts';
import { decisiveCounts, differencesByState } from './paired-difference.ts';
import { countPairs, type Pair, type Pairing, pairsByTask } from './pairing.ts';
import { exceeds } from './tally.ts';
import { GATE_LEVEL } from './thresholds.ts';

/** Level of the intervals people read; gates use GATE_LEVEL. */
export const SHOWN_LEVEL = 0.95;
/** Familywise level of the per-task flags. */
const FLAG_LEVEL = 0.05;

interface PairTable {
  readonly n: number;
  readonly both: number;
  readonly fixed: number;
  readonly regressed: number;
  readonly neither: number;
}

/** One task against the baseline. Rates and differences as rates, p values between 0 and 1. */
export interface TaskComparison {
  readonly taskId: number;
  readonly table: PairTable;
  readonly delta: number;
  readonly interval: Interval;
  /** One-sided mid-p "worse" after Holm over the tasks of the suite. */
  readonly holmP: number;
  /** The task collapsed: holmP ≤ 5 %. */
  readonly flagged: boolean;
}

/** Everything the report says about a paired comparison. */
export interface PairedSummary {
  readonly baseline: string;
  readonly planned: number;
  readonly lost: number;
  readonly table: PairTable;
  readonly delta: number;
  /** 95 %. */
  readonly interval: Interval;
  /** 90 %: the one-sided 95 % bounds that gate. */
  readonly gateInterval: Interval;
  /** P(candidate worse | data); null with several runs per state, where the sign-flip test stands in. */
  readonly pWorse: number | null;
  readonly signFlip: SignFlip | null;
  /** One-sided p of "really `margin` worse". */
  readonly nonInferiorityP: number;
  /** Share of pairs whose arms disagree. */
  readonly discordance: number;
  /** Smallest drop this comparison would have seen with 80 % power; null when none. */
  readonly detectableDrop: number | null;
  /** Mean over tasks with its normal interval; shown when tasks have unequally many pairs. `interval` decides. */
  readonly macro: MacroDifference | null;
  readonly byState: boolean;
  readonly byTask: boolean;
  readonly tasks: readonly TaskComparison[];
  /** Largest drop; null when no task is below its baseline. */
  readonly worstTask: TaskComparison | null;
  readonly regressed: readonly Pair[];
  readonly fixed: readonly Pair[];
  /** Candidate's less baseline's steps where both succeeded and both are known; null without such pairs. */
  readonly stepsDifference: Median | null;
}

/** Summarises a pairing; null when there is no pair. Order of the pairs does not matter. */
export function summarisePairs(pairing: Pairing, baseline: string, margin: number): PairedSummary | null {
  const { pairs } = pairing;
  const { counts, byState, byTask } = decisiveCounts(pairs);
  const interval = tango(counts, SHOWN_LEVEL);
  const gateInterval = tango(counts, GATE_LEVEL);
  const p = nonInferiorityP(counts, margin);
  if (interval === null || gateInterval === null || p === null) return null;
  const table = countPairs(pairs);
  const tasks = compareTasks(pairs);
  return {
    baseline,
    planned: pairing.planned,
    lost: pairing.lost.length,
    table,
    delta: (counts.fixed - counts.regressed) / counts.n,
    interval,
    gateInterval,
    pWorse: byState ? null : mcnemar(table.regressed, table.fixed).pWorse,
    signFlip: byState ? signFlip(differencesByState(pairs)) : null,
    nonInferiorityP: p,
    discordance: (table.fixed + table.regressed) / table.n,
    detectableDrop: visibleDrop(counts.n, counts.fixed),
    macro: byTask ? macroDifference(tasks.map((task) => task.table)) : null,
    byState,
    byTask,
    tasks,
    worstTask: worstOf(tasks),
    regressed: pairs.filter((pair) => pair.baseline && !pair.candidate),
    fixed: pairs.filter((pair) => pair.candidate && !pair.baseline),
    stepsDifference: stepsDifference(pairs),
  };
}

/**
 * The "could not have seen" line at the observed rate of fixes. None observed counts as one: a rate below one in n
 * cannot be told from zero, and zero would promise too much.
 */
function visibleDrop(pairs: number, fixed: number): number | null {
  const n = Math.floor(pairs);
  return n === 0 ? null : detectableDrop(n, Math.max(1, fixed) / n);
}

function compareTasks(pairs: readonly Pair[]): TaskComparison[] {
  const groups = [...pairsByTask(pairs)].map(([taskId, group]) => ({
    taskId,
    table: countPairs(group),
    group,
  }));
  const adjusted = holm(groups.map(({ table }) => mcnemar(table.regressed, table.fixed).midPWorse));
  return groups.map(({ taskId, table, group }, index) => {
    const { counts } = decisiveCounts(group);
    const holmP = adjusted[index] ?? 1;
    return {
      taskId,
      table,
      delta: (table.fixed - table.regressed) / table.n,
      interval: tango(counts, SHOWN_LEVEL) ?? { low: -1, high: 1 },
      holmP,
      flagged: holmP <= FLAG_LEVEL,
    };
  });
}

function worstOf(tasks: readonly TaskComparison[]): TaskComparison | null {
  return tasks.reduce<TaskComparison | null>(
    (worst, task) => (task.delta < (worst?.delta ?? 0) ? task : worst),
    null,
  );
}

/** Compared only where both succeeded: otherwise the arm that fails hard episodes looks faster. */
function stepsDifference(pairs: readonly Pair[]): Median | null {
  const differences = pairs.flatMap(({ candidate, baseline, candidateSteps, baselineSteps }) =>
    candidate && baseline && candidateSteps !== null && baselineSteps !== null
      ? [candidateSteps - baselineSteps]
      : [],
  );
  return medianWithInterval(differences);
}

/** How often two runs of one protocol and policy disagree on the same cell. */
export interface RerunNoise {
  readonly pairs: number;
  readonly disagreeing: number;
  readonly rate: number;
  readonly interval: Interval;
}

/** Rerun noise ψ₀ from two baseline runs of one fingerprint; null without pairs. */
export function rerunNoise(pairing: Pairing): RerunNoise | null {
  const { n, fixed, regressed } = countPairs(pairing.pairs);
  const interval = wilson(fixed + regressed, n, SHOWN_LEVEL);
  if (interval === null) return null;
  return { pairs: n, disagreeing: fixed + regressed, rate: (fixed + regressed) / n, interval };
}

/** True when every pair agrees in outcome and, where known on both sides, in steps; needs one known step count. */
export function sameEverywhere(pairs: readonly Pair[]): boolean {
  const known = pairs.filter((pair) => pair.candidateSteps !== null && pair.baselineSteps !== null);
  return (
    known.length > 0 &&
    !exceeds(pairs.length - known.length, pairs.length, 0.5) &&
    pairs.every((pair) => pair.candidate === pair.baseline) &&
    known.every((pair) => pair.candidateSteps === pair.baselineSteps)
  );
}
