import { type Problem, problemOf } from '../errors/rb-error.ts';
import { binomialUpperTail } from '../stats/binomial-tail.ts';
import { wilson } from '../stats/wilson.ts';
import { GATE_LEVEL, TEST_LEVEL } from './levels.ts';
import { isMargin } from './margin.ts';
import { type Counted, unitsOf } from './tally.ts';

type ThresholdMode = 'point' | 'lower-bound';

/** Rates between 0 and 1; null: no such gate. */
export interface Rules {
  readonly minSuccessRate: number | null;
  readonly minTaskSuccessRate: number | null;
  readonly thresholdMode: ThresholdMode;
  /** Non-inferiority margin as a rate, 0 < m < 1. */
  readonly maxRegression: number;
  /** Margin against the anchor as a rate; left out: twice `maxRegression`. */
  readonly maxRegressionSinceAnchor?: number | undefined;
  /** Tasks of the baseline may be left out; left out: not. */
  readonly allowDroppedTasks?: true | undefined;
}

/** The margin against the anchor, as a rate. A merge may lose `maxRegression`, many merges together twice that. */
export function anchorMargin(rules: Pick<Rules, 'maxRegression' | 'maxRegressionSinceAnchor'>): number {
  return rules.maxRegressionSinceAnchor ?? Math.min(0.999, 2 * rules.maxRegression);
}

type Purpose = 'pr' | 'release' | 'schedule' | 'adhoc';

/** A release needs PASS; elsewhere an inconclusive run passes with a warning. */
export function defaultOnInconclusive(purpose: Purpose): 'pass' | 'fail' {
  return purpose === 'release' ? 'fail' : 'pass';
}

/**
 * True when k of n reaches the floor: k/n itself, or its one-sided 95 % lower bound by Clopper and Pearson, which is to
 * say that k or more successes have at most 5 % chance where the true rate is the floor. The error is held for every n.
 */
export function reachesFloor(k: number, n: number, floor: number, mode: ThresholdMode): boolean {
  if (n === 0) return false;
  // The tolerance undoes binary dust such as 0.07 * 100 = 7.000000000000001.
  if (mode === 'point') return k >= floor * n - 1e-9;
  return floor <= 0 || binomialUpperTail(k, n, floor) <= TEST_LEVEL;
}

/** Whether what was counted reaches the floor; as a lower bound, by its independent units. */
export function reaches(counted: Counted, floor: number, mode: ThresholdMode): boolean {
  if (mode === 'point') return reachesFloor(counted.successes, counted.valid, floor, mode);
  const { low, n } = unitsOf(counted);
  return reachesFloor(low, n, floor, mode);
}

/** The same by Wilson's bound, as early stops of earlier versions had it; their bundles are replayed by it. */
export function wilsonReachesFloor(k: number, n: number, floor: number, mode: ThresholdMode): boolean {
  if (mode === 'point' || n === 0) return reachesFloor(k, n, floor, 'point');
  return (wilson(k, n, GATE_LEVEL)?.low ?? 0) >= floor;
}

/** Smallest k of n that reaches the floor, null when even n of n does not. Bisection: more successes never hurt. */
export function smallestReaching(n: number, floor: number, mode: ThresholdMode): number | null {
  if (!reachesFloor(n, n, floor, mode)) return null;
  let [low, high] = [0, n];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (reachesFloor(middle, n, floor, mode)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Smallest n at which a run without a failure reaches the floor as a lower bound: the first with floorⁿ ≤ 5 %.
 * A floor of 1 can never be proven: null. (90 % → 29, 95 % → 59, 99 % → 299.)
 */
export function episodesNeededForFloor(floor: number, mode: ThresholdMode): number | null {
  if (mode === 'point' || floor <= 0) return 1;
  if (floor >= 1) return null;
  return Math.max(1, Math.ceil(Math.log(TEST_LEVEL) / Math.log(floor) - 1e-9));
}

/** Larger runs nobody plans. */
const MOST_UNITS = 1_000_000;

/**
 * Smallest run of more than n, nearly, that proves the floor as a lower bound if the rate stays k/n, rounded down to whole
 * successes; null when there is none of a size that anybody plans. Doubling, then bisection; whole successes make proof come
 * and go by a few episodes. Domain: whole 0 ≤ k ≤ n, n > 0.
 */
export function unitsProving(
  { k, n }: { readonly k: number; readonly n: number },
  floor: number,
): number | null {
  const proves = (size: number): boolean =>
    reachesFloor(Math.floor((k / n) * size + 1e-9), size, floor, 'lower-bound');
  if (k / n <= floor) return null;
  let high = n;
  while (!proves(high)) {
    high *= 2;
    if (high > MOST_UNITS) return null;
  }
  let low = Math.max(n, Math.floor(high / 2));
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (proves(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Initial states a plan gives each floor: all of the candidate's, and those of the task with the fewest. */
export interface PlannedStates {
  readonly overall: number;
  readonly perTask: number;
  /** Some run several times, which makes them no more. */
  readonly repeated?: boolean;
}

/** What is wrong with the rules for a plan of this size, before anything runs; all problems at once. */
export function ruleProblems(rules: Rules, planned: PlannedStates): Problem[] {
  const problems: Problem[] = [];
  if (!isMargin(rules.maxRegression)) {
    problems.push(
      problemOf('RB601', {
        fix: 'Give the largest drop you would still accept, e.g. `5%`.',
        where: 'input max-regression',
        message: 'the margin must lie above 0 and below 1 (100%).',
        value: String(rules.maxRegression),
      }),
    );
  }
  const floors = [
    ['input min-success-rate', rules.minSuccessRate, planned.overall],
    ['input min-task-success-rate', rules.minTaskSuccessRate, planned.perTask],
  ] as const;
  for (const [where, floor, n] of floors) {
    if (floor === null || n === 0 || reachesFloor(n, n, floor, rules.thresholdMode)) continue;
    const needed = episodesNeededForFloor(floor, rules.thresholdMode);
    const units = planned.repeated === true ? 'initial states' : 'episodes';
    problems.push(
      problemOf('RB602', {
        where,
        message: `${n} planned ${units} cannot prove this floor as a lower bound, even if all succeed.`,
        value: String(floor),
        fix:
          needed === null
            ? 'No number of episodes proves 100%; choose a floor below it.'
            : `Plan at least ${needed} ${units}, lower the floor, or set threshold-mode to point.`,
      }),
    );
  }
  return problems;
}
