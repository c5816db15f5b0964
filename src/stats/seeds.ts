import { type RandomSource, randomSource } from './random.ts';
import { studentQuantile } from './special-functions.ts';
import { mean, standardDeviation } from './summaries.ts';
import type { Interval } from './wilson.ts';

/** Differences per initial state, each the mean over the candidate's runs less the mean over the baseline's. */
export interface StateDifferences {
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

export interface SignFlipOptions {
  /** Exact up to this many non-zero differences (2ⁿ sums). */
  readonly exactUpTo?: number;
  readonly draws?: number;
  readonly seed?: number;
}

/**
 * Sign-flip (paired permutation) test that the differences are symmetric about 0.
 *
 * Source: Fisher 1935. Zero differences do not change with their sign and are dropped. Exact for at most 20
 * non-zero differences, else `draws` (20,000) seeded draws with the observed one counted in, so p is never 0.
 * Edges: no non-zero difference gives 1.
 */
export function signFlip(differences: readonly number[], options: SignFlipOptions = {}): SignFlip {
  const { exactUpTo = 20, draws = 20_000, seed = 1 } = options;
  const values = differences.filter((d) => d !== 0);
  if (values.length === 0) return { twoSided: 1, worse: 1, exact: true };
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

function drawnSums(values: readonly number[], draws: number, random: RandomSource): Float64Array {
  return Float64Array.from({ length: draws }, () =>
    values.reduce((sum, value) => (random() < 0.5 ? sum - value : sum + value), 0),
  );
}
