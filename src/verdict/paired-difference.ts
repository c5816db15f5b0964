import { signFlip } from '../stats/seeds.ts';
import type { PairedCounts } from '../stats/tango.ts';
import { type Difference, pairedDifference } from './gates.ts';
import { countPairs, type Pair } from './pairing.ts';

/**
 * The difference a paired comparison is decided on.
 *
 * One run per initial state: Tango on the discordant pairs. Several runs: the state is the unit, because runs on
 * the same state are not independent. Sums of positive and negative state differences enter Tango's interval,
 * which is conservative, and a drop counts only when the sign-flip test over states agrees.
 */
export function differenceOfPairs(pairs: readonly Pair[], against: string): Difference | null {
  const states = differencesByState(pairs);
  if (states.length === pairs.length) return pairedDifference(countPairs(pairs), against);
  const difference = pairedDifference(stateCounts(states), against);
  return difference === null ? null : { ...difference, dropConfirmed: signFlip(states).worse <= 0.05 };
}

/** Mean difference of each (task, initial state) over its runs, in planned order. */
export function differencesByState(pairs: readonly Pair[]): number[] {
  const states = new Map<string, { sum: number; runs: number }>();
  for (const pair of pairs) {
    const key = `${pair.taskId}/${pair.initStateId}`;
    const state = states.get(key) ?? { sum: 0, runs: 0 };
    state.sum += Number(pair.candidate) - Number(pair.baseline);
    state.runs += 1;
    states.set(key, state);
  }
  return [...states.values()].map(({ sum, runs }) => sum / runs);
}

/** Paired counts with the state as the unit; whole numbers when every state has one run. */
export function stateCounts(differences: readonly number[]): PairedCounts {
  let fixed = 0;
  let regressed = 0;
  for (const d of differences) {
    if (d > 0) fixed += d;
    else regressed -= d;
  }
  return { n: differences.length, fixed, regressed };
}
