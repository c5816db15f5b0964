import { type RandomSource, randomSource } from '../base/random.ts';
import { studentQuantile } from './beta.ts';
import { halfBinomial } from './mcnemar.ts';
import { mean, standardDeviation } from './summaries.ts';
import type { Interval } from './wilson.ts';

/** Differences per initial state, each the mean over the candidate's runs less the mean over the baseline's. */
interface StateDifferences {
  readonly n: number;
  readonly mean: number;
  /** Sample standard deviation; null for n < 2. */
  readonly sd: number | null;
  /** Standard error sd/√n; null for n < 2. */
  readonly standardError: number | null;
  /** Student t interval with n − 1 degrees of freedom; null for n < 2. Too sure with few non-zero differences. */
  readonly interval: Interval | null;
}

/** Mean, standard error and t interval of per-state differences. Units: rates. n = 0 gives null. */
export function stateDifferences(differences: readonly number[], level = 0.95): StateDifferences | null {
  const n = differences.length;
  if (n === 0) return null;
  const centre = mean(differences);
  if (n === 1) return { n, mean: centre, sd: null, standardError: null, interval: null };
  const sd = standardDeviation(differences);
  const standardError = sd / Math.sqrt(n);
  const half = studentQuantile(0.5 + level / 2, n - 1) * standardError;
  const interval = { low: centre - half, high: centre + half };
  return { n, mean: centre, sd, standardError, interval };
}

/** p values of the sign-flip test of per-state differences. */
export interface SignFlip {
  readonly twoSided: number;
  /** Against "the candidate is worse". */
  readonly worse: number;
  /** True when every assignment of signs was counted; false when they were drawn. */
  readonly exact: boolean;
}

interface SignFlipOptions {
  /** Exact up to this many non-zero differences (2ⁿ sums). */
  readonly exactUpTo?: number;
  readonly draws?: number;
  readonly seed?: number;
}

/**
 * Sign-flip (paired permutation) test that the differences are symmetric about 0.
 *
 * Source: Fisher 1935. Zero differences do not change with their sign and are dropped. Exact where the differences are
 * multiples of one unit (equally many runs per state, or few different numbers of runs), and for at most 20 non-zero
 * ones; else `draws` (20,000) seeded draws with the observed one counted in, so p is never 0 and its error is held.
 * Edges: no non-zero difference gives 1.
 */
export function signFlip(differences: readonly number[], options: SignFlipOptions = {}): SignFlip {
  const { exactUpTo = 20, draws = 20_000, seed = 1 } = options;
  const values = differences.filter((d) => d !== 0);
  if (values.length === 0) return { twoSided: 1, worse: 1, exact: true };
  const whole = exactUpTo === 0 ? null : wholeMultiples(values);
  if (whole !== null) return flippedWhole(whole);
  const observed = values.reduce((sum, d) => sum + d, 0);
  const exact = values.length <= exactUpTo;
  const sums = exact ? allSums(values) : drawnSums(values, draws, randomSource(seed));
  const slack = 1e-9 * values.reduce((sum, d) => sum + Math.abs(d), 0);
  let twoSided = exact ? 0 : 1;
  let worse = exact ? 0 : 1;
  for (const sum of sums) {
    if (Math.abs(sum) >= Math.abs(observed) - slack) twoSided += 1;
    if (sum <= observed + slack) worse += 1;
  }
  const total = sums.length + (exact ? 0 : 1);
  return { twoSided: twoSided / total, worse: worse / total, exact };
}

/** Additions that a count of all signs may take. */
const MOST_WORK = 2e8;

/** The values in a unit of which all are multiples, null when none of up to 1/60 does or the count would take long. */
function wholeMultiples(values: readonly number[]): number[] | null {
  for (let parts = 1; parts <= 60; parts += 1) {
    if (values.some((value) => Math.abs(value * parts - Math.round(value * parts)) > 1e-9)) continue;
    const whole = values.map((value) => Math.round(value * parts));
    const reach = whole.reduce((sum, value) => sum + Math.abs(value), 0);
    return reach * whole.length <= MOST_WORK ? whole : null;
  }
  return null;
}

/** All 2ⁿ sums of signed whole values by adding one value after the other. */
function flippedWhole(values: readonly number[]): SignFlip {
  const reach = values.reduce((sum, value) => sum + Math.abs(value), 0);
  const observed = values.reduce((sum, value) => sum + value, 0);
  // chance[i]: probability that the values with a minus sign add up to i, so that the sum is reach − 2i.
  const chance = new Float64Array(reach + 1);
  chance[0] = 1;
  let top = 0;
  for (const value of values) {
    const step = Math.abs(value);
    top += step;
    for (let i = top; i >= 0; i -= 1)
      chance[i] = 0.5 * ((chance[i] ?? 0) + (i >= step ? (chance[i - step] ?? 0) : 0));
  }
  let [worse, twoSided] = [0, 0];
  chance.forEach((each, i) => {
    const sum = reach - 2 * i;
    if (sum <= observed) worse += each;
    if (Math.abs(sum) >= Math.abs(observed)) twoSided += each;
  });
  return { twoSided: Math.min(1, twoSided), worse: Math.min(1, worse), exact: true };
}

/**
 * How many independent episodes n states with k runs each are worth: n·k/(1 + (k−1)ρ).
 * Source: Kish's design effect. Domain: k ≥ 1, 0 ≤ ρ ≤ 1 (within-state correlation). ρ = 1 gives n, ρ = 0 gives n·k.
 */
export function effectiveEpisodes(states: number, runs: number, rho: number): number {
  return (states * runs) / (1 + (runs - 1) * rho);
}

function allSums(values: readonly number[]): Float64Array {
  let sums = Float64Array.of(0);
  for (const value of values) {
    const next = new Float64Array(sums.length * 2);
    sums.forEach((sum, i) => {
      next[2 * i] = sum - value;
      next[2 * i + 1] = sum + value;
    });
    sums = next;
  }
  return sums;
}

/** Equal sizes are drawn together: the number of minus signs among them is binomial, by its table of chances. */
function drawnSums(values: readonly number[], draws: number, random: RandomSource): Float64Array {
  const sizes = new Map<number, number>();
  for (const value of values) sizes.set(Math.abs(value), (sizes.get(Math.abs(value)) ?? 0) + 1);
  const sums = new Float64Array(draws);
  for (const [size, count] of [...sizes].sort((a, b) => a[0] - b[0])) {
    const below = new Float64Array(count + 1);
    let chance = 0;
    for (let k = 0; k <= count; k += 1) {
      chance += halfBinomial(count, k);
      below[k] = chance;
    }
    for (let i = 0; i < draws; i += 1) {
      const negative = firstAbove(below, random());
      sums[i] = (sums[i] ?? 0) + size * (count - 2 * negative);
    }
  }
  return sums;
}

/** Place of the first of rising values that is above x; the last place when rounding left none. */
function firstAbove(rising: Float64Array, x: number): number {
  let [from, to] = [0, rising.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rising[middle] ?? 1) > x) to = middle;
    else from = middle + 1;
  }
  return from;
}
