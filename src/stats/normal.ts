import erfc from '@stdlib/math-base-special-erfc';
import erfcinv from '@stdlib/math-base-special-erfcinv';
import { requireLevel } from './requirements.ts';

/** Standard normal distribution function Φ(z). */
export function normalCdf(z: number): number {
  return 0.5 * erfc(-z / Math.SQRT2);
}

/** Upper tail 1 − Φ(z), without the cancellation of computing it as a difference. */
export function normalUpperTail(z: number): number {
  return 0.5 * erfc(z / Math.SQRT2);
}

/** Standard normal quantile, 0 < p < 1. */
export function normalQuantile(p: number): number {
  return -Math.SQRT2 * erfcinv(2 * p);
}

/** The z of a two-sided interval: 0.95 → 1.959963985. */
export function twoSidedZ(level: number): number {
  requireLevel(level);
  return normalQuantile(0.5 + level / 2);
}
