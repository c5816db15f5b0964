import gammaln from '@stdlib/math-base-special-gammaln';

export function logBeta(a: number, b: number): number {
  return gammaln(a) + gammaln(b) - gammaln(a + b);
}

/** ln C(n, k) for integers 0 ≤ k ≤ n. */
export function logChoose(n: number, k: number): number {
  return k === 0 || k === n ? 0 : gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1);
}
