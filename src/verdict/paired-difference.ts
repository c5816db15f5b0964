import { signFlip } from '../stats/seeds.ts';
import type { PairedCounts } from '../stats/tango.ts';
import { type Difference, pairedDifference } from './gates.ts';
import { type Pair, pairsByTask } from './pairing.ts';

/** The counts a paired comparison is decided on, and how they came about. */
export interface DecisiveCounts {
  /** Whole numbers with one run per initial state and equally many pairs per task, else weighted. */
  readonly counts: PairedCounts;
  /** Several runs on one initial state: the state is the unit. */
  readonly byState: boolean;
  /** Tasks have unequally many states: every task weighs the same. */
  readonly byTask: boolean;
}

/**
 * Counts for Tango's interval from pairs, in any order.
 *
 * One run per state and equally many pairs per task: fixes and regressions as they are. Several runs per state: the
 * state is the unit, for its runs are not independent; its mean difference counts as a fraction of a fix or
 * regression, which is conservative (stats/tango.ts). Unequal tasks: rates are averaged over tasks and put on
 * T²/Σ(1/n_t) pairs, the number with the same variance as the macro difference (stats/macro-difference.ts).
 */
export function decisiveCounts(pairs: readonly Pair[]): DecisiveCounts {
  const tasks = [...pairsByTask(pairs).values()].map((group) => stateCounts(differencesOfTask(group)));
  const states = tasks.reduce((sum, task) => sum + task.n, 0);
  const byState = states !== pairs.length;
  const byTask = tasks.some((task) => task.n !== tasks[0]?.n);
  return { counts: byTask ? weighted(tasks) : summed(tasks), byState, byTask };
}

/** The difference a paired comparison is decided on; null without pairs. */
export function differenceOfPairs(pairs: readonly Pair[], against: string): Difference | null {
  const { counts, byState } = decisiveCounts(pairs);
  const difference = pairedDifference(counts, against);
  if (difference === null || !byState) return difference;
  return { ...difference, dropConfirmed: signFlip(differencesByState(pairs)).worse <= 0.05 };
}

/** Mean difference of each (task, initial state) over its runs. Sorted, so that the order of pairs cannot matter. */
export function differencesByState(pairs: readonly Pair[]): number[] {
  return [...pairsByTask(pairs).values()].flatMap(differencesOfTask).sort((a, b) => a - b);
}

function differencesOfTask(pairs: readonly Pair[]): number[] {
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

function stateCounts(differences: readonly number[]): PairedCounts {
  let fixed = 0;
  let regressed = 0;
  for (const d of differences) {
    if (d > 0) fixed += d;
    else regressed -= d;
  }
  return { n: differences.length, fixed, regressed };
}

function summed(tasks: readonly PairedCounts[]): PairedCounts {
  const sum = (pick: (task: PairedCounts) => number): number =>
    tasks.reduce((total, task) => total + pick(task), 0);
  return { n: sum((t) => t.n), fixed: sum((t) => t.fixed), regressed: sum((t) => t.regressed) };
}

function weighted(tasks: readonly PairedCounts[]): PairedCounts {
  const size = tasks.length ** 2 / tasks.reduce((sum, task) => sum + 1 / task.n, 0);
  const mean = (pick: (task: PairedCounts) => number): number =>
    tasks.reduce((sum, task) => sum + pick(task) / task.n, 0) / tasks.length;
  return { n: size, fixed: size * mean((t) => t.fixed), regressed: size * mean((t) => t.regressed) };
}
