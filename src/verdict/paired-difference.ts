import { type Stratum, strataCounts, strataMarginP, strataWorseP } from '../stats/strata.ts';
import { tango } from '../stats/tango.ts';
import type { PairedCounts } from '../stats/tango-score.ts';
import type { Difference } from './gates.ts';
import { SHOWN_LEVEL } from './levels.ts';
import { type PairOutcomes, pairsByTask } from './pairing.ts';

/** The counts a paired comparison is decided on, and how they came about. */
interface DecisiveCounts {
  /** Whole numbers with one run per initial state and equally many states per task, else weighted. */
  readonly counts: PairedCounts;
  /** Several runs on one initial state: the state is the unit. */
  readonly byState: boolean;
  /** Tasks have unequally many states: every task weighs the same. */
  readonly byTask: boolean;
}

/**
 * The pairs as strata, one for each task and all of one weight: the suite's number is the mean of its tasks. The unit is
 * the initial state, for its runs are not independent: it has the mean difference of its runs. Any order of pairs.
 */
export function strataOf(
  pairs: readonly PairOutcomes[],
  weightOf: (taskId: number) => number = () => 1,
): Stratum[] {
  return [...pairsByTask(pairs)].map(([taskId, group]) => {
    const differences = differencesOfTask(group);
    return { weight: weightOf(taskId), differences, repeated: differences.length !== group.length };
  });
}

/** Counts for Tango's interval and for what is said beside it; null without pairs. */
export function decisiveCounts(strata: readonly Stratum[]): DecisiveCounts | null {
  const found = strataCounts(strata);
  if (found === null) return null;
  return {
    counts: found.counts,
    byState: strata.some(({ repeated }) => repeated),
    byTask: !found.balanced,
  };
}

/** The difference a paired comparison is decided on; null without pairs. */
export function differenceOfPairs(
  pairs: readonly PairOutcomes[],
  against: string,
  margin: number,
): Difference | null {
  const strata = strataOf(pairs);
  const counts = strataCounts(strata)?.counts;
  const interval = counts === undefined ? null : tango(counts, SHOWN_LEVEL);
  if (counts === undefined || interval === null) return null;
  const delta = (counts.fixed - counts.regressed) / counts.n;
  return { delta, interval, against, worse: strataWorseP(strata), marginal: strataMarginP(strata, margin) };
}

function differencesOfTask(pairs: readonly PairOutcomes[]): number[] {
  const states = new Map<number, { sum: number; runs: number }>();
  for (const pair of pairs) {
    const difference = Number(pair.candidate) - Number(pair.baseline);
    const state = states.get(pair.initStateId);
    if (state === undefined) {
      states.set(pair.initStateId, { sum: difference, runs: 1 });
    } else {
      state.sum += difference;
      state.runs += 1;
    }
  }
  return Array.from(states.values(), ({ sum, runs }) => sum / runs).sort((a, b) => a - b);
}
