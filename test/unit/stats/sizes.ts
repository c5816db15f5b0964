import { binomialPoint } from '../../../src/stats/binomial.ts';
import { fewestFixes, marginP } from '../../../src/stats/margin-test.ts';
import { tangoScore } from '../../../src/stats/tango.ts';
import { worseP } from '../../../src/stats/worse-test.ts';

/** Rates of regressions and fixes of a pair. */
export interface Truth {
  readonly regressed: number;
  readonly fixed: number;
}

/** For d = 0…n discordant pairs, the fewest regressions that the worse-test rejects at `level`; d + 1 where none does. */
export function worseRegion(n: number, level = 0.05): number[] {
  return Array.from({ length: n + 1 }, (_, d) =>
    firstThat(Math.floor(d / 2) + 1, d, (r) => worseP({ n, regressed: r, fixed: d - r }, level) <= level),
  );
}

/** For R = 0, 1, … the fewest fixes that the margin-test rejects at `level`. */
export function marginRegion(n: number, margin: number, level = 0.05): Int32Array {
  // All tables by their score: those with a p at most the level are a tail of that order.
  const scores = new Set<number>();
  for (let r = 0; r <= n; r += 1)
    for (let f = 0; r + f <= n; f += 1) {
      const score = tangoScore({ n, regressed: r, fixed: f }, -margin);
      if (score > 1.2 && score < 2.6) scores.add(score);
    }
  const sorted = [...scores].sort((a, b) => a - b);
  const tableOf = new Map<number, { regressed: number; fixed: number }>();
  for (let r = 0; r <= n; r += 1)
    for (let f = 0; r + f <= n; f += 1)
      tableOf.set(tangoScore({ n, regressed: r, fixed: f }, -margin), { regressed: r, fixed: f });
  const first = firstThat(0, sorted.length - 1, (i) => {
    const table = tableOf.get(sorted[i] ?? Number.NaN);
    return table !== undefined && marginP({ n, ...table }, margin) <= level;
  });
  return fewestFixes(n, margin, sorted[first] ?? Number.POSITIVE_INFINITY);
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
