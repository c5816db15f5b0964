import { logBeta } from './gamma.ts';
import { requireCounts } from './requirements.ts';

/**
 * P(rate of A > rate of B | data) for two independent arms, uniform prior on both rates.
 *
 * Source: the finite sum of Evan Miller (2014) over Beta(k+1, n−k+1) posteriors, in log space. Domain: whole
 * 0 ≤ k ≤ n per arm. Units: probability. Edges: two empty arms give ½. For matched pairs use mcnemar().pWorse.
 */
export function probabilityBetter(
  a: readonly [k: number, n: number],
  b: readonly [k: number, n: number],
): number {
  requireCounts(a[0], a[1]);
  requireCounts(b[0], b[1]);
  const [alphaA, betaA] = [a[0] + 1, a[1] - a[0] + 1];
  const [alphaB, betaB] = [b[0] + 1, b[1] - b[0] + 1];
  let sum = 0;
  for (let i = 0; i < alphaA; i += 1) {
    const log =
      logBeta(alphaB + i, betaA + betaB) -
      Math.log(betaA + i) -
      logBeta(1 + i, betaA) -
      logBeta(alphaB, betaB);
    sum += Math.exp(log);
  }
  return Math.min(1, sum);
}
