import { binomialTerm, binomialWindow, logFactorials } from './binomial.ts';
import { supremum } from './supremum.ts';
import { type PairedCounts, tangoScore } from './tango-score.ts';

/** Scores closer than this count as tied, since the same score comes out of different sums. */
const TIED = 1e-9;

/**
 * p of "the candidate is worse by `margin` or more": an unconditional exact score test at the margin.
 *
 * Unit: n independent pairs (one per initial state) with R regressions and F fixes, whole numbers. Null hypothesis:
 * regressions are at least `margin` more frequent than fixes. Tables are ordered by Tango's score statistic at −margin;
 * the probability of a table at least as good is maximised over the rate of fixes f, with regressions at f + margin.
 * The statistic rises with F and falls with R, so nothing inside the null hypothesis is more probable than its edge.
 *
 * Error: P(p ≤ a) ≤ a under the null hypothesis for every n and every a. Units: margin as a rate, 0 < margin < 1.
 * n = 0 and a difference at or below −margin give 1. Without a discordant pair p is (1 − margin)ⁿ: 59 pairs are the
 * fewest that reach 5 % at 5 points.
 */
export function marginP(counts: PairedCounts, margin: number): number {
  const { n } = counts;
  if (n === 0) return 1;
  const score = tangoScore(counts, -margin);
  return score <= 0 ? 1 : marginSize(n, margin, score);
}

/** The largest probability under the null hypothesis of a score of at least `score` (> 0) with n pairs. */
export function marginSize(n: number, margin: number, score: number): number {
  const fewest = fewestFixes(n, margin, score);
  const table = logFactorials(n);
  return supremum({
    low: 0,
    high: (1 - margin) / 2,
    cells: [
      { draws: n, at: margin, slope: 1 },
      { draws: n, at: 0, slope: 1 },
      { draws: n, at: 1 - margin, slope: -2 },
    ],
    probability: (fixes) => trinomialSum(n, fewest, table, { regressed: fixes + margin, fixed: fixes }),
  });
}

/**
 * For R = 0, 1, … the fewest fixes with a score of at least `score`; it ends where not even fixing all the rest would
 * do. It never falls with R, so that one walk finds all.
 */
export function fewestFixes(n: number, margin: number, score: number): Int32Array {
  const limit = score - TIED * Math.max(1, Math.abs(score));
  const fewest: number[] = [];
  let fixed = 0;
  for (let regressed = 0; regressed <= n; regressed += 1) {
    while (fixed <= n - regressed && tangoScore({ n, fixed, regressed }, -margin) < limit) fixed += 1;
    if (fixed > n - regressed) break;
    fewest.push(fixed);
  }
  return Int32Array.from(fewest);
}

/** P(F ≥ fewest[R]) of n pairs with the given rates of regressions and fixes. */
export function trinomialSum(
  n: number,
  fewest: Int32Array,
  table: Float64Array,
  rates: { readonly regressed: number; readonly fixed: number },
): number {
  const [first, last] = binomialWindow(n, rates.regressed);
  const odds = rates.regressed / (1 - rates.regressed);
  // Of the pairs that did not regress.
  const tails = new FallingTail(table, Math.min(1, rates.fixed / (1 - rates.regressed)));
  let weight = binomialTerm(table, n, first, rates.regressed);
  let sum = 0;
  for (let regressed = first; regressed <= last && regressed < fewest.length; regressed += 1) {
    sum += weight * tails.at(n - regressed, fewest[regressed] ?? 0);
    weight *= ((n - regressed) / (regressed + 1)) * odds;
  }
  return sum;
}

/** Below this a term has lost digits to come back with; it is computed anew. */
const FADED = 1e-250;

/** P(Bin(N, p) ≥ k) where N falls by one or stays from call to call, and k never falls: a few products each. */
export class FallingTail {
  private readonly table: Float64Array;
  private readonly p: number;
  private n = -1;
  private k = 0;
  private tail = 1;
  /** P(Bin(n, p) = k − 1). */
  private before = 0;

  constructor(table: Float64Array, p: number) {
    this.table = table;
    this.p = p;
  }

  at(n: number, k: number): number {
    if (this.n < 0 || this.p <= 0 || this.p >= 1) {
      [this.n, this.k] = [n, k];
      this.tail = upperTail(this.table, n, k, this.p);
      this.before = binomialTerm(this.table, n, k - 1, this.p);
      return this.tail;
    }
    if (n < this.n) this.shrink();
    while (this.k < k) this.raise();
    return Math.max(0, this.tail);
  }

  /** P(Bin(N−1) ≥ k) = P(Bin(N) ≥ k) − p·P(Bin(N−1) = k−1). */
  private shrink(): void {
    const { n, k, p } = this;
    this.n = n - 1;
    this.before *= (n - k + 1) / (n * (1 - p));
    this.renew();
    this.tail -= p * this.before;
  }

  private raise(): void {
    const { n, k, p } = this;
    this.k = k + 1;
    this.before = k === 0 ? 0 : (this.before * (n - k + 1) * p) / (k * (1 - p));
    this.renew();
    this.tail -= this.before;
  }

  private renew(): void {
    if (this.before < FADED) this.before = binomialTerm(this.table, this.n, this.k - 1, this.p);
  }
}

/** P(Bin(n, p) ≥ k), summed over the side that holds less. */
function upperTail(table: Float64Array, n: number, k: number, p: number): number {
  const [first, last] = binomialWindow(n, p);
  let sum = 0;
  if (k > n * p) {
    for (let i = k; i <= last; i += 1) sum += binomialTerm(table, n, i, p);
    return sum;
  }
  for (let i = first; i < k; i += 1) sum += binomialTerm(table, n, i, p);
  return 1 - sum;
}
