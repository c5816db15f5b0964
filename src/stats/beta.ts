import betainc from '@stdlib/math-base-special-betainc';
import { bisect } from './bisect.ts';

/** Regularised incomplete beta I_x(a, b); `upper` gives 1 − I_x without cancellation. */
export function betaCdf(x: number, a: number, b: number, upper = false): number {
  if (x <= 0) return upper ? 1 : 0;
  if (x >= 1) return upper ? 0 : 1;
  return betainc(x, a, b, true, upper);
}

/**
 * The p-quantile of Beta(a, b): the x with I_x(a, b) = p, by bisection down to neighbouring doubles.
 * p = 0 gives 0, p = 1 gives 1.
 */
export function betaQuantile(p: number, a: number, b: number): number {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  return bisect((x) => betaCdf(x, a, b) - p, 0, 1);
}

/** P(T ≤ t) of Student's t with df degrees of freedom (df > 0, need not be whole). */
export function studentCdf(t: number, df: number): number {
  const tail = 0.5 * betaCdf(df / (df + t * t), df / 2, 0.5);
  return t > 0 ? 1 - tail : tail;
}

/** The p-quantile of Student's t, 0 < p < 1, through the beta quantile. */
export function studentQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  const tail = 2 * Math.min(p, 1 - p);
  const x = betaQuantile(tail, df / 2, 0.5);
  const t = Math.sqrt((df * (1 - x)) / x);
  return p < 0.5 ? -t : t;
}
