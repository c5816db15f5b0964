import { binomialPoint } from '../../../src/stats/binomial-tail.ts';
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
    // It never falls as d grows, and mostly stays or grows by one.
    let r = Math.max(Math.floor(d / 2) + 1, needed[d - 1] ?? 0);
    while (r <= d && worseP({ n, regressed: r, fixed: d - r }, level) > level) r += 1;
    needed.push(r);
  }
  return needed;
}

/** For R = 0, 1, … the fewest fixes that the margin-test rejects at `level`: its tables are ordered by their score. */
export function marginRegion(n: number, margin: number, level = 0.05): Int32Array {
  // No table has a score between two that differ in none.
  let [low, high] = marginSize(n, margin, 4) <= level ? [1, 4] : [4, 20];
  for (let i = 0; i < 24; i += 1) {
    const score = (low + high) / 2;
    if (marginSize(n, margin, score) <= level) high = score;
    else low = score;
    if (i > 6 && fewestFixes(n, margin, low).join() === fewestFixes(n, margin, high).join()) break;
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
