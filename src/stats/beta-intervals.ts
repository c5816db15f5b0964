import { betaQuantile } from './beta.ts';
import { requireCounts, requireLevel } from './requirements.ts';
import type { Interval } from './wilson.ts';

/**
 * Clopper–Pearson interval ("exact"): never covers less than the level, so it is wider than Wilson's.
 *
 * Source: Clopper and Pearson, Biometrika 26 (1934), as beta quantiles. Domain: whole 0 ≤ k ≤ n. Units: rates.
 * Edges: n = 0 gives null; k = 0 has low 0, k = n has high 1.
 */
export function clopperPearson(k: number, n: number, level = 0.95): Interval | null {
  requireCounts(k, n);
  requireLevel(level);
  if (n === 0) return null;
  const alpha = 1 - level;
  return {
    low: k === 0 ? 0 : betaQuantile(alpha / 2, k, n - k + 1),
    high: k === n ? 1 : betaQuantile(1 - alpha / 2, k + 1, n - k),
  };
}

/**
 * Jeffreys interval: equal-tailed quantiles of Beta(k + ½, n − k + ½).
 *
 * Source: Brown, Cai and DasGupta, Statistical Science 16 (2001), with low = 0 at k = 0 and high = 1 at k = n.
 * Domain, units and n = 0 as clopperPearson.
 */
export function jeffreys(k: number, n: number, level = 0.95): Interval | null {
  requireCounts(k, n);
  requireLevel(level);
  if (n === 0) return null;
  const alpha = 1 - level;
  return {
    low: k === 0 ? 0 : betaQuantile(alpha / 2, k + 0.5, n - k + 0.5),
    high: k === n ? 1 : betaQuantile(1 - alpha / 2, k + 0.5, n - k + 0.5),
  };
}

/** What k of n says about a rate under a uniform prior: Beta(k + 1, n − k + 1). */
interface UniformPosterior {
  readonly mean: number;
  readonly interval: Interval;
}

/** Posterior mean (k+1)/(n+2) and equal-tailed interval under a uniform prior. Units: rates. n = 0 is the prior. */
export function uniformPosterior(k: number, n: number, level = 0.95): UniformPosterior {
  requireCounts(k, n);
  requireLevel(level);
  const tail = (1 - level) / 2;
  return {
    mean: (k + 1) / (n + 2),
    interval: { low: betaQuantile(tail, k + 1, n - k + 1), high: betaQuantile(1 - tail, k + 1, n - k + 1) },
  };
}

/**
 * Exact one-sided upper bound of a failure rate after n successes and no failure: 1 − α^(1/n).
 * With α = 0.05 it is close to 3/n. n ≥ 1; n = 0 gives 1 (nothing is ruled out).
 */
export function zeroFailureBound(n: number, alpha = 0.05): number {
  requireCounts(0, n);
  return n === 0 ? 1 : -Math.expm1(Math.log(alpha) / n);
}
