import { bisect, normalUpperTail, twoSidedZ } from './special-functions.ts';
import type { Interval } from './wilson.ts';

/** Discordant pairs of a paired comparison: fixes (candidate only), regressions (baseline only), and all pairs. */
export interface PairedCounts {
  readonly n: number;
  readonly fixed: number;
  readonly regressed: number;
}

/**
 * Tango's score interval for the paired difference Δ = (fixed − regressed) / n.
 *
 * Source: T. Tango, Statistics in Medicine 17 (1998). The interval is the set of D with |T(D)| ≤ z, where
 * T(D) = (F − R − nD)/sqrt(n(2q + D(1−D))) and q is the restricted estimate of the regression rate.
 * Domain: n > 0, fixed ≥ 0, regressed ≥ 0, fixed + regressed ≤ n. Fractions are allowed: with several runs per
 * initial state, the sums of positive and negative state differences give a conservative interval, since the
 * variance of a difference in [−1, 1] is at most the mean of its absolute value less the squared mean.
 * Units: rates. Edges: n = 0 gives null; no discordant pair gives ±z²/(n+z²), not zero width; all pairs one way
 * give an end of exactly 1 or −1.
 */
export function tango(counts: PairedCounts, level = 0.95): Interval | null {
  requirePaired(counts);
  const { n, fixed, regressed } = counts;
  if (n === 0) return null;
  const z = twoSidedZ(level);
  const delta = (fixed - regressed) / n;
  const low = delta <= -1 ? -1 : bisect((d) => tangoScore(counts, d) - z, -1, delta);
  const high = delta >= 1 ? 1 : bisect((d) => tangoScore(counts, d) + z, delta, 1);
  return { low: Math.min(low, delta), high: Math.max(high, delta) };
}

/**
 * One-sided p of non-inferiority: how surprising the data are if the candidate really is `margin` worse.
 * Source: the score statistic above at D = −margin. Units: margin as a rate (0.05 = 5 points), 0 < margin < 1.
 * n = 0 gives null.
 */
export function nonInferiorityP(counts: PairedCounts, margin: number): number | null {
  requirePaired(counts);
  return counts.n === 0 ? null : normalUpperTail(tangoScore(counts, -margin));
}

/**
 * Tango's score statistic T(D) at a difference D: large when the data lie above it, the same units as a normal
 * quantile. Where its variance is 0 it is ±infinity, or 0 when the observed difference equals D.
 */
export function tangoScore({ n, fixed, regressed }: PairedCounts, d: number): number {
  const difference = fixed - regressed - n * d;
  const b = -fixed - regressed + (2 * n - fixed + regressed) * d;
  const c = -regressed * d * (1 - d);
  const q = (Math.sqrt(Math.max(0, b * b - 8 * n * c)) - b) / (4 * n);
  const variance = n * (2 * q + d * (1 - d));
  if (variance > 0) return difference / Math.sqrt(variance);
  return difference === 0 ? 0 : Math.sign(difference) * Number.POSITIVE_INFINITY;
}

/** Throws unless the counts can come from n pairs: they are computed by code, so a wrong one is a bug. */
function requirePaired({ n, fixed, regressed }: PairedCounts): void {
  if (!(n >= 0 && fixed >= 0 && regressed >= 0 && fixed + regressed <= n + 1e-9)) {
    throw new RangeError(`impossible paired counts: n=${n}, fixed=${fixed}, regressed=${regressed}`);
  }
}
