import { twoSidedZ } from './normal.ts';
import { requireCounts } from './requirements.ts';

/** Ends of an interval, as rates (0.93 is 93 %) or rate differences. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Wilson score interval for k successes of n.
 *
 * Source: E. B. Wilson, JASA 22 (1927). With p = k/n and z the two-sided quantile:
 * centre (p + z²/2n)/D, half width z·sqrt(p(1−p)/n + z²/4n²)/D, D = 1 + z²/n.
 * Domain: whole 0 ≤ k ≤ n, 0 < level < 1 (two-sided; 0.90 gives the one-sided 95 % bounds). Units: rates.
 * Edges: n = 0 has no interval and gives null; k = 0 has low exactly 0, k = n has high exactly 1.
 */
export function wilson(k: number, n: number, level = 0.95): Interval | null {
  requireCounts(k, n);
  return n === 0 ? null : wilsonOfRate(k / n, n, twoSidedZ(level));
}

/**
 * The same interval for a rate p on an effective number n of episodes, which need not be whole
 * (macro rates, several seeds on one state). n must be > 0.
 */
export function wilsonOfRate(p: number, n: number, z: number): Interval {
  const scale = 1 + (z * z) / n;
  const centre = (p + (z * z) / (2 * n)) / scale;
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / scale;
  return {
    low: p === 0 ? 0 : Math.max(0, centre - half),
    high: p === 1 ? 1 : Math.min(1, centre + half),
  };
}
