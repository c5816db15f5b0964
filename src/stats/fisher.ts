import { logChoose } from './gamma.ts';
import { requireCounts } from './requirements.ts';

/**
 * Fisher's exact test of two independent samples, two-sided (sum of all tables that are no likelier).
 *
 * Source: R. A. Fisher 1935; conservative. Domain: whole 0 ≤ kᵢ ≤ nᵢ. Edges: an empty sample, or no success
 * or no failure at all, gives 1.
 */
export function fisherExact(
  first: readonly [k: number, n: number],
  second: readonly [k: number, n: number],
): number {
  const [k1, n1] = first;
  const [k2, n2] = second;
  requireCounts(k1, n1);
  requireCounts(k2, n2);
  const successes = k1 + k2;
  const total = logChoose(n1 + n2, successes);
  const probability = (k: number): number =>
    Math.exp(logChoose(n1, k) + logChoose(n2, successes - k) - total);
  // Tables as likely as the observed one must count although their logs differ in the last digits.
  const limit = probability(k1) * (1 + 1e-7);
  let p = 0;
  for (let k = Math.max(0, successes - n2); k <= Math.min(n1, successes); k += 1) {
    const each = probability(k);
    if (each <= limit) p += each;
  }
  return Math.min(1, p);
}
