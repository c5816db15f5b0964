import { bisect } from './bisect.ts';
import { normalUpperTail, twoSidedZ } from './normal.ts';
import { type PairedCounts, tangoScore } from './tango-score.ts';
import type { Interval } from './wilson.ts';

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
 * Source: `tangoScore` at D = −margin. Units: margin as a rate (0.05 = 5 points), 0 < margin < 1.
 * n = 0 gives null.
 */
export function nonInferiorityP(counts: PairedCounts, margin: number): number | null {
  requirePaired(counts);
  return counts.n === 0 ? null : normalUpperTail(tangoScore(counts, -margin));
}

/** Throws unless the counts can come from n pairs: they are computed by code, so a wrong one is a bug. */
function requirePaired({ n, fixed, regressed }: PairedCounts): void {
  if (!(n >= 0 && fixed >= 0 && regressed >= 0 && fixed + regressed <= n + 1e-9)) {
    throw new RangeError(`impossible paired counts: n=${n}, fixed=${fixed}, regressed=${regressed}`);
  }
}
