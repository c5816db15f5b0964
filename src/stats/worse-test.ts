import { clopperPearson } from './beta-intervals.ts';
import { binomialTerm, binomialWindow, logFactorials } from './binomial.ts';
import { mcnemar } from './mcnemar.ts';
import { supremum } from './supremum.ts';
import type { PairedCounts } from './tango-score.ts';

/** Share of a test's level that pays for leaving out what the discordance cannot be (Berger and Boos). */
export const NUISANCE_SHARE = 1 / 50;
/** Conditional p values below this change nothing: the nuisance share alone is larger. */
const TINY = 1e-9;

/**
 * p of "the candidate is no worse": an unconditional exact test of paired outcomes.
 *
 * Unit: n independent pairs (one per initial state) with R regressions and F fixes, whole numbers. Null hypothesis: a
 * pair regresses at most as often as it is fixed. Tables are ordered by McNemar's one-sided exact p, which makes the
 * rejected set grow with R and shrink with F, so that the null hypothesis is hardest where both rates are equal; the
 * rate of disagreement is the nuisance. The probability is maximised over its 1 − `level`/50 interval (Clopper and
 * Pearson), and `level`/50 is added (Berger and Boos 1994).
 *
 * Error: P(p ≤ a) ≤ a under the null hypothesis for every n and every a, so that it may be corrected (Holm); `level`
 * only says where it is sharpest, and has to be chosen before the data. Never smaller than the mid-p, so that a p of
 * at most 5 % stands beside a P(worse) of at least 95 %. n = 0 and R ≤ F give 1.
 */
export function worseP({ n, fixed, regressed }: PairedCounts, level = 0.05): number {
  if (n === 0 || regressed <= fixed) return 1;
  const { exactWorse, midPWorse } = mcnemar(regressed, fixed);
  const share = level * NUISANCE_SHARE;
  if (exactWorse < TINY) return Math.min(1, exactWorse + share);
  const range = clopperPearson(regressed + fixed, n, 1 - share) ?? { low: 0, high: 1 };
  const rejected = conditionalSizes(n, exactWorse);
  const table = logFactorials(n);
  const share01 = supremum({
    low: range.low,
    high: range.high,
    cells: [
      { draws: n, at: 0, slope: 1 },
      { draws: n, at: 1, slope: -1 },
    ],
    probability: (discordance) => mixture(rejected, table, discordance) / exactWorse,
  });
  return Math.min(1, Math.max(share01 * exactWorse + share, midPWorse));
}

/** Σ_d P(Bin(n, ψ) = d)·sizes[d]: n is one less than the number of sizes. */
export function mixture(sizes: Float64Array, table: Float64Array, rate: number): number {
  const n = sizes.length - 1;
  const [first, last] = binomialWindow(n, rate);
  let sum = 0;
  for (let d = first; d <= last; d += 1) {
    const size = sizes[d] ?? 0;
    if (size > 0) sum += size * binomialTerm(table, n, d, rate);
  }
  return sum;
}

/**
 * For d = 0…n discordant pairs the largest P(Bin(d, ½) ≥ r) that is at most `p`: the sizes of McNemar's exact test at
 * level p. Ties count as rejected, with a tolerance for rounding.
 */
function conditionalSizes(n: number, p: number): Float64Array {
  const table = logFactorials(n);
  const limit = p * (1 + 1e-9);
  const sizes = new Float64Array(n + 1);
  let needed = 1;
  let tail = 0;
  for (let d = 1; d <= n; d += 1) {
    // P(Bin(d) ≥ r) = P(Bin(d−1) ≥ r) + ½·P(Bin(d−1) = r−1).
    tail += 0.5 * binomialTerm(table, d - 1, needed - 1, 0.5);
    while (tail > limit && needed <= d) {
      tail -= binomialTerm(table, d, needed, 0.5);
      needed += 1;
    }
    if (needed > d) tail = 0;
    sizes[d] = tail;
  }
  return sizes;
}
