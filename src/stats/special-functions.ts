import betainc from '@stdlib/math-base-special-betainc';
import erfc from '@stdlib/math-base-special-erfc';
import erfcinv from '@stdlib/math-base-special-erfcinv';
import gammaln from '@stdlib/math-base-special-gammaln';

/**
 * The special functions every method rests on: stdlib's, plus the inverses it only offers with a chain of
 * unrelated packages. This is the only file that imports the library.
 */

/** ln B(a, b), a > 0, b > 0. */
export function logBeta(a: number, b: number): number {
  return gammaln(a) + gammaln(b) - gammaln(a + b);
}

/** ln C(n, k) for integers 0 ≤ k ≤ n. */
export function logChoose(n: number, k: number): number {
  return k === 0 || k === n ? 0 : gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1);
}

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

/**
 * Root of a monotone function between low and high, where f(low) and f(high) have opposite signs (or one is 0).
 * Halves until the ends are neighbouring doubles, at most 200 times, so the answer does not depend on a tolerance.
 */
export function bisect(f: (x: number) => number, low: number, high: number): number {
  const rising = f(low) < f(high);
  let [a, b] = [low, high];
  for (let i = 0; i < 200; i += 1) {
    const middle = (a + b) / 2;
    if (middle <= a || middle >= b) break;
    const above = f(middle) > 0;
    if (above === rising) b = middle;
    else a = middle;
  }
  return (a + b) / 2;
}

/** Throws unless 0 < level < 1: a level comes from code, so a wrong one is a bug and not a user's mistake. */
export function requireLevel(level: number): void {
  if (!(level > 0 && level < 1))
    throw new RangeError(`confidence level must lie between 0 and 1, got ${level}`);
}

/** Throws unless k and n are whole with 0 ≤ k ≤ n. */
export function requireCounts(k: number, n: number): void {
  if (!Number.isSafeInteger(k) || !Number.isSafeInteger(n) || k < 0 || k > n) {
    throw new RangeError(`need whole numbers with 0 <= k <= n, got k=${k}, n=${n}`);
  }
}
