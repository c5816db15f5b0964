import { binomialPoint } from '../../../src/stats/binomial.ts';
import { fewestFixes, marginSize } from '../../../src/stats/margin-test.ts';
import { worseP } from '../../../src/stats/worse-test.ts';

/** Rates of regressions and fixes of a pair. */
export interface Truth {
  readonly regressed: number;
  readonly fixed: number;
}

/** For d = 0…n discordant pairs, the fewest regressions that the worse-test rejects at `level`; d + 1 where none does. */
export function worseRegion(n: number, level = 0.05): number[] {
  const needed: number[] = [];
  for (let d = 0; d <= n; d += 1) {
    // It never falls as d grows.
    const first = Math.max(Math.floor(d / 2) + 1, needed[d - 1] ?? 0);
    needed.push(firstThat(first, d, (r) => worseP({ n, regressed: r, fixed: d - r }, level) <= level));
  }
  return needed;
}

/** For R = 0, 1, … the fewest fixes that the margin-test rejects at `level`: its tables are ordered by their score. */
export function marginRegion(n: number, margin: number, level = 0.05): Int32Array {
  let [low, high] = [0, 20];
  for (let i = 0; i < 24; i += 1) {
    const score = (low + high) / 2;
    if (marginSize(n, margin, score) <= level) high = score;
    else low = score;
  }
  return fewestFixes(n, margin, high);
}

/** P(rejected) under a truth, summed table by table with nothing of the tests' own sums. */
export function worseSize(n: number, region: readonly number[], { regressed, fixed }: Truth): number {
  let sum = 0;
  for (let d = 0; d <= n; d += 1) {
    const weight = binomialPoint(n, d, Math.min(1, regressed + fixed));
    if (weight < 1e-15) continue;
    for (let r = region[d] ?? d + 1; r <= d; r += 1)
      sum += weight * binomialPoint(d, r, regressed / (regressed + fixed));
  }
  return sum;
}

/** P(rejected) of a margin region under a truth, summed table by table. */
export function marginSizeAt(n: number, region: Int32Array, { regressed, fixed }: Truth): number {
  let sum = 0;
  region.forEach((fewest, r) => {
    const weight = binomialPoint(n, r, regressed);
    if (weight < 1e-15) return;
    for (let f = fewest; f <= n - r; f += 1)
      sum += weight * binomialPoint(n - r, f, Math.min(1, fixed / (1 - regressed)));
  });
  return sum;
}

/** The first whole number from `low` to `high` for which a property that stays true once it is true holds; high + 1 for none. */
function firstThat(low: number, high: number, holds: (value: number) => boolean): number {
  let [from, to] = [low, high + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
