import type { RandomSource } from '../base/random.ts';
import { halfBinomial } from './mcnemar.ts';
import type { Interval } from './wilson.ts';

/** Arithmetic mean; the list must not be empty. Compensated, so that the order of summands hardly matters. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the mean of nothing is unknown, not 0');
  return preciseSum(values) / values.length;
}

/** Sample standard deviation (n − 1); needs two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) throw new RangeError('a standard deviation needs at least two values');
  const centre = mean(values);
  return Math.sqrt(preciseSum(values.map((value) => (value - centre) ** 2)) / (values.length - 1));
}

/** Neumaier's compensated sum. */
export function preciseSum(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

/**
 * The q-quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996).
 * Domain: 0 ≤ q ≤ 1. An empty list gives null. Percentiles of shards are never averaged: pool the values first.
 */
export function percentile(values: readonly number[], q: number): number | null {
  if (!(q >= 0 && q <= 1)) throw new RangeError(`a quantile lies between 0 and 1, got ${q}`);
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (place - Math.floor(place)) * (above - below);
}

/** A median with the order statistics that bracket it. */
export interface Median {
  readonly n: number;
  readonly median: number;
  /** Null below six values: no 95 % interval exists. */
  readonly interval: Interval | null;
  /** Real coverage of that interval, at least 0.95. */
  readonly coverage: number | null;
}

/** Median with a distribution-free interval of at least 95 %, in the values' own unit. An empty list gives null. */
export function medianWithInterval(values: readonly number[]): Median | null {
  const median = percentile(values, 0.5);
  if (median === null) return null;
  const n = values.length;
  const ranks = medianRanks(n);
  if (ranks === null) return { n, median, interval: null, coverage: null };
  const sorted = [...values].sort((a, b) => a - b);
  const at = (rank: number): number => sorted[rank - 1] ?? Number.NaN;
  return { n, median, interval: { low: at(ranks.low), high: at(ranks.high) }, coverage: ranks.coverage };
}

/**
 * 1-based ranks of the order statistics that bracket a median with at least 95 %: the smallest low with
 * P(Bin(n, ½) ≤ low) > 0.025, and high = n + 1 − low. Null for n < 6.
 */
export function medianRanks(n: number): { low: number; high: number; coverage: number } | null {
  if (n < 6) return null;
  let low = 0;
  let below = halfBinomial(n, 0);
  while (below <= 0.025) {
    low += 1;
    below += halfBinomial(n, low);
  }
  const tail = below - halfBinomial(n, low);
  return { low, high: n + 1 - low, coverage: 1 - 2 * tail };
}

interface BootstrapOptions {
  readonly level?: number;
  /** Resamples; 10,000 by default. */
  readonly resamples?: number;
  readonly random: RandomSource;
}

/** A bootstrap's spread. */
interface Bootstrap {
  readonly standardError: number;
  readonly interval: Interval;
}

/**
 * Percentile bootstrap of the mean (Efron 1979), in the values' own unit.
 * Only for n ≥ 20: null below, and null when all values are equal, because its width would be 0.
 */
export function bootstrapMean(values: readonly number[], options: BootstrapOptions): Bootstrap | null {
  const { level = 0.95, resamples = 10_000, random } = options;
  const n = values.length;
  if (n < 20 || values.every((value) => value === values[0])) return null;
  // Sorted, so that the order of records cannot change the result.
  const source = Float64Array.from(values).sort();
  return spreadOf(resampledMeans(source, resamples, random), level);
}

/** Means of resamples with replacement, each of the source's size. */
function resampledMeans(source: Float64Array, resamples: number, random: RandomSource): Float64Array {
  const n = source.length;
  if (n <= 65_536) return quickMeans(source, resamples, random);
  return Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let i = 0; i < n; i += 1) sum += source[Math.floor(random() * n)] ?? 0;
    return sum / n;
  });
}

/**
 * The same for up to 65,536 values, several times as fast: the loop runs a hundred million times for 10,000 values.
 * SplitMix32, started from `random`, is written into it, and each 32-bit word gives two indexes by Lemire's
 * multiplication (ACM TOMACS 29, 2019), which throws away what would favour some indexes.
 */
function quickMeans(source: Float64Array, resamples: number, random: RandomSource): Float64Array {
  const n = source.length;
  const unfair = 65_536 % n;
  const means = new Float64Array(resamples);
  let state = (random() * 4294967296) | 0;
  for (let b = 0; b < resamples; b += 1) {
    let sum = 0;
    let drawn = 0;
    while (drawn < n) {
      state = (state + 0x9e3779b9) | 0;
      let word = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
      word ^= word >>> 15;
      let product = Math.imul(word & 0xffff, n);
      if ((product & 0xffff) >= unfair) {
        sum += source[product >>> 16] ?? 0;
        drawn += 1;
      }
      product = Math.imul(word >>> 16, n);
      if ((product & 0xffff) >= unfair && drawn < n) {
        sum += source[product >>> 16] ?? 0;
        drawn += 1;
      }
    }
    means[b] = sum / n;
  }
  return means;
}

/** Standard error and percentile interval of resampled values. */
function spreadOf(resampled: Float64Array, level: number): Bootstrap {
  const sorted = Float64Array.from(resampled).sort();
  const at = (q: number): number => {
    const place = (sorted.length - 1) * q;
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    return below + (place - Math.floor(place)) * ((sorted[Math.ceil(place)] ?? Number.NaN) - below);
  };
  let sum = 0;
  for (const value of sorted) sum += value;
  const centre = sum / sorted.length;
  let squares = 0;
  for (const value of sorted) squares += (value - centre) ** 2;
  return {
    standardError: Math.sqrt(squares / (sorted.length - 1)),
    interval: { low: at((1 - level) / 2), high: at((1 + level) / 2) },
  };
}
