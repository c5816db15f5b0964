import { logChoose } from './gamma.ts';

/** p values of the paired sign comparison; all between 0 and 1. */
interface McNemar {
  /** Exact, two-sided. */
  readonly exact: number;
  /** mid-p, two-sided. */
  readonly midP: number;
  /** Exact, one-sided against "the candidate is worse". */
  readonly exactWorse: number;
  /** mid-p, one-sided against "the candidate is worse"; equals 1 − pWorse. */
  readonly midPWorse: number;
  /**
   * P(candidate worse | data) with a uniform prior on the share of discordant pairs that are regressions.
   * The same number as 1 − midPWorse said in another way, so only one of the two is shown.
   */
  readonly pWorse: number;
}

/**
 * Exact and mid-p McNemar test for R regressions and F fixes.
 *
 * Source: McNemar 1947 (the discordant pairs are Bin(R+F, ½) under no difference); mid-p as Lancaster 1961, with
 * Fagerland's two-sided form replaced by 2·one-sided capped at 1. Domain: whole R, F ≥ 0. Edges: R = F = 0 gives
 * two-sided 1 and one-sided mid-p ½. The χ² forms are left out: they break down where rollouts usually are.
 */
export function mcnemar(regressed: number, fixed: number): McNemar {
  if (!Number.isSafeInteger(regressed) || !Number.isSafeInteger(fixed) || regressed < 0 || fixed < 0) {
    throw new RangeError(`need whole numbers >= 0, got regressed=${regressed}, fixed=${fixed}`);
  }
  const n = regressed + fixed;
  const smaller = Math.min(regressed, fixed);
  const half = 0.5 * halfBinomial(n, smaller);
  const below = halfBinomialBelow(n, smaller);
  const observed = halfBinomial(n, regressed);
  // P(X > R) = P(X < F): the distribution is symmetric, and summing the lower tail keeps tiny values exact.
  const above =
    regressed === smaller ? 1 - halfBinomialBelow(n, regressed) - observed : halfBinomialBelow(n, fixed);
  const midPWorse = above + 0.5 * observed;
  return {
    exact: Math.min(1, 2 * (below + 2 * half)),
    midP: Math.min(1, 2 * (below + half)),
    exactWorse: Math.min(1, above + observed),
    midPWorse,
    pWorse: 1 - midPWorse,
  };
}

/** P(X = k) of Bin(n, ½). */
export function halfBinomial(n: number, k: number): number {
  return Math.exp(logChoose(n, k) - n * Math.LN2);
}

/** P(X < k) of Bin(n, ½). */
function halfBinomialBelow(n: number, k: number): number {
  let sum = 0;
  for (let i = 0; i < k; i += 1) sum += halfBinomial(n, i);
  return sum;
}
