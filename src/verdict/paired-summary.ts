import { holm } from '../stats/holm.ts';
import { mcnemar } from '../stats/mcnemar.ts';
import { detectableDrop } from '../stats/power.ts';
import { type Stratum, strataWorseP } from '../stats/strata.ts';
import { type Median, medianWithInterval } from '../stats/summaries.ts';
import { tango } from '../stats/tango.ts';
import type { PairedCounts } from '../stats/tango-score.ts';
import { twoStageInterval } from '../stats/two-stage.ts';
import { type Interval, wilson } from '../stats/wilson.ts';
import { SHOWN_LEVEL } from './levels.ts';
import { decisiveCounts, strataOf } from './paired-difference.ts';
import { countPairs, type Pair, type Pairing, pairsByTask } from './pairing.ts';
import { exceeds } from './tally.ts';

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
  /** Initial states with a valid pair; fewer than the table's pairs when a state ran more than once. */
  readonly states: number;
  /** Mean over the states. */
  readonly delta: number;
  readonly interval: Interval;
  /** One-sided p "worse" over initial states, after Holm over the tasks of the suite. */
  readonly holmP: number;
  /** The task collapsed: holmP ≤ 5 %. */
  readonly flagged: boolean;
}

/** Everything the report says about a paired comparison. */
export interface PairedSummary {
  readonly baseline: string;
  readonly planned: number;
  readonly lost: number;
  /** Episode by episode: each pair counts once, also those of one state and of tasks with more pairs. */
  readonly table: PairTable;
  /** What decides speaks of this one: the mean of the tasks, each the mean of its states. */
  readonly delta: number;
  /** 95 %, of delta. */
  readonly interval: Interval;
  /** 95 %, of delta with the tasks as a sample of a family; null below five tasks and where nothing varies. */
  readonly family: Interval | null;
  /** Fixes and regressions whose difference is delta; whole where every state ran once and tasks are equal. */
  readonly counts: PairedCounts;
  /**
   * P(candidate worse | data), of the same weighting as delta; null where states or tasks have weights, and the p that
   * decides about delta stands in.
   */
  readonly pWorse: number | null;
  /** p of "no worse", of delta; null beside a `pWorse`. */
  readonly weightedP: number | null;
  /** Share of pairs whose arms disagree. */
  readonly discordance: number;
  /** Smallest drop this comparison would have seen with 80 % power; null when none. */
  readonly detectableDrop: number | null;
  /** The pairs by task, for the average of several suites. */
  readonly strata: readonly Stratum[];
  readonly byState: boolean;
  readonly byTask: boolean;
  /** Planned cells that the baseline was never asked for, so that they are in no pair; left out: none. */
  readonly added?: number;
  readonly tasks: readonly TaskComparison[];
  /** Largest drop; null when no task is below its baseline. */
  readonly worstTask: TaskComparison | null;
  readonly regressed: readonly Pair[];
  readonly fixed: readonly Pair[];
  /** Candidate's less baseline's steps where both succeeded and both are known; null without such pairs. */
  readonly stepsDifference: Median | null;
}

/** Summarises a pairing; null when there is no pair. Order of the pairs does not matter. */
export function summarisePairs(pairing: Pairing, baseline: string): PairedSummary | null {
  const { pairs } = pairing;
  const strata = strataOf(pairs);
  const decisive = decisiveCounts(strata);
  const interval = decisive === null ? null : tango(decisive.counts, SHOWN_LEVEL);
  if (decisive === null || interval === null) return null;
  const { counts, byState, byTask } = decisive;
  const weighted = byState || byTask;
  const table = countPairs(pairs);
  const tasks = compareTasks(pairs);
  return {
    baseline,
    planned: pairing.planned,
    lost: pairing.lost.length,
    table,
    delta: (counts.fixed - counts.regressed) / counts.n,
    interval,
    family: twoStageInterval(
      strata.map(({ differences }) => differences),
      { level: SHOWN_LEVEL },
    ),
    counts,
    pWorse: weighted ? null : mcnemar(table.regressed, table.fixed).pWorse,
    weightedP: weighted ? strataWorseP(strata) : null,
    discordance: (table.fixed + table.regressed) / table.n,
    detectableDrop: visibleDrop(counts.n, counts.fixed),
    strata,
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

/** Each task over its initial states: several runs of one are no more evidence than one. */
function compareTasks(pairs: readonly Pair[]): TaskComparison[] {
  const groups = [...pairsByTask(pairs)].map(([taskId, group]) => ({
    taskId,
    table: countPairs(group),
    strata: strataOf(group),
  }));
  // Sharpest where Holm's first step decides.
  const level = FLAG_LEVEL / Math.max(1, groups.length);
  const adjusted = holm(groups.map(({ strata }) => strataWorseP(strata, level)));
  return groups.map(({ taskId, table, strata }, index) => {
    const counts = decisiveCounts(strata)?.counts ?? { n: 0, fixed: 0, regressed: 0 };
    const holmP = adjusted[index] ?? 1;
    return {
      taskId,
      table,
      states: counts.n,
      delta: (counts.fixed - counts.regressed) / counts.n,
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
