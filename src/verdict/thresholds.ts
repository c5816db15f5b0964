import type { Problem } from '../errors/rb-error.ts';
import { twoSidedZ } from '../stats/special-functions.ts';
import { wilson } from '../stats/wilson.ts';
import { isMargin } from './margin.ts';

/** Each end of a 90 % two-sided interval is a one-sided 95 % bound; every gate of this project uses it. */
export const GATE_LEVEL = 0.9;

export type ThresholdMode = 'point' | 'lower-bound';

/** Rates between 0 and 1; null: no such gate. */
export interface Rules {
  readonly minSuccessRate: number | null;
  readonly minTaskSuccessRate: number | null;
  readonly thresholdMode: ThresholdMode;
  /** Non-inferiority margin as a rate, 0 < m < 1. */
  readonly maxRegression: number;
}

export type Purpose = 'pr' | 'release' | 'schedule' | 'adhoc';

/** A release needs PASS; elsewhere an inconclusive run passes with a warning. */
export function defaultOnInconclusive(purpose: Purpose): 'pass' | 'fail' {
  return purpose === 'release' ? 'fail' : 'pass';
}

/** True when k of n reaches the floor: k/n itself, or its one-sided 95 % Wilson lower bound. */
export function reachesFloor(k: number, n: number, floor: number, mode: ThresholdMode): boolean {
  if (n === 0) return false;
  // The tolerance undoes binary dust such as 0.07 * 100 = 7.000000000000001.
  if (mode === 'point') return k >= floor * n - 1e-9;
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
 * Smallest n at which a run without a failure reaches the floor as a lower bound: ceil(z²·t/(1−t)),
 * because the bound of n of n is n/(n + z²). A floor of 1 can never be proven: null.
 */
export function episodesNeededForFloor(floor: number, mode: ThresholdMode): number | null {
  if (mode === 'point') return 1;
  if (floor >= 1) return null;
  const z = twoSidedZ(GATE_LEVEL);
  return Math.max(1, Math.ceil((z * z * floor) / (1 - floor) - 1e-9));
}

/**
 * Smallest number of pairs that can PASS a margin when every pair agrees: ceil(z²·(1−m)/m), one-sided 95 %.
 * Domain 0 < m < 1 (5 points → 52, 3 → 88, 2 → 133, 1 → 268).
 */
export function pairsNeededForMargin(margin: number): number {
  const z = twoSidedZ(GATE_LEVEL);
  return Math.ceil((z * z * (1 - margin)) / margin - 1e-9);
}

/** Episodes a plan gives each floor: all of the candidate's, and those of the task with the fewest. */
export interface PlannedEpisodes {
  readonly overall: number;
  readonly perTask: number;
}

/** What is wrong with the rules for a plan of this size, before anything runs; all problems at once. */
export function ruleProblems(rules: Rules, planned: PlannedEpisodes): Problem[] {
  const problems: Problem[] = [];
  if (!isMargin(rules.maxRegression)) {
    problems.push({
      code: 'RB601',
      where: 'input max-regression',
      message: 'the margin must lie above 0 and below 1 (100%).',
      value: String(rules.maxRegression),
      fix: 'Give the largest drop you would still accept, e.g. `5%`.',
      severity: 'fatal',
    });
  }
  const floors = [
    ['input min-success-rate', rules.minSuccessRate, planned.overall],
    ['input min-task-success-rate', rules.minTaskSuccessRate, planned.perTask],
  ] as const;
  for (const [where, floor, n] of floors) {
    if (floor === null || n === 0 || reachesFloor(n, n, floor, rules.thresholdMode)) continue;
    const needed = episodesNeededForFloor(floor, rules.thresholdMode);
    problems.push({
      code: 'RB602',
      where,
      message: `${n} planned episodes cannot prove this floor as a lower bound, even if all succeed.`,
      value: String(floor),
      fix:
        needed === null
          ? 'No number of episodes proves 100%; choose a floor below it.'
          : `Plan at least ${needed} episodes, lower the floor, or set threshold-mode to point.`,
      severity: 'fatal',
    });
  }
  return problems;
}
