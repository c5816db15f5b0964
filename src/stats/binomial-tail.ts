import { betaCdf } from './beta.ts';
import { logChoose } from './gamma.ts';

/** P(Bin(n, p) = k), without a table. */
export function binomialPoint(n: number, k: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/** P(Bin(n, p) ≥ k). */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k > n) return 0;
  return k <= 0 ? 1 : betaCdf(p, k, n - k + 1);
}
