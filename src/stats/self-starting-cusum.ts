import { logFactorials } from './binomial.ts';
import type { RunCounts } from './cusum.ts';
import { normalQuantile } from './normal.ts';
import { requireCounts } from './requirements.ts';

/** The chart's height after each run. */
interface SelfStartingCusum {
  readonly heights: readonly number[];
  /** Score of each run against all before it, like a standard normal value; negative is worse. Null without episodes. */
  readonly scores: readonly (number | null)[];
}

/** Half of the shift, in standard deviations of a run, that the chart is tuned to. */
const SLACK = 0.5;
/** A run counts for no more than this many deviations: one bad night is one bad night. */
const MOST = 2.5;
/** Runs after which the noise of the runs themselves is used, and the deviation of the bound that it is taken at. */
const NOISE_FROM = 5;
const NOISE_BOUND = -2.326;

/**
 * One-sided self-starting CUSUM of success counts. Each run is scored against the pool of the baseline and all runs before
 * it: given their common total the run's count is hypergeometric when nothing has changed, whatever the true rate is, so
 * the baseline's own uncertainty is part of the score. Height: max(0, height − score − ½).
 *
 * Fixed cells repeat better than a coin of the same rate. The scores are therefore widened by the repeat noise that the
 * runs have shown: their mean square, taken at its upper 99 % bound and never above 1.
 *
 * Sources: Hawkins 1987 (self-starting CUSUM), with mid-p scores of the hypergeometric distribution; Wilson and Hilferty
 * 1931 for the bound. `baseline`: counts of the accepted run; runs in time order, those without episodes add nothing.
 */
export function selfStartingCusum(baseline: RunCounts, runs: readonly RunCounts[]): SelfStartingCusum {
  requireCounts(baseline.k, baseline.n);
  const table = logFactorials(runs.reduce((sum, { n }) => sum + n, baseline.n));
  const heights: number[] = [];
  const scores: (number | null)[] = [];
  let pool = baseline;
  let height = 0;
  let squares = 0;
  let scored = 0;
  for (const run of runs) {
    requireCounts(run.k, run.n);
    if (run.n === 0 || pool.n === 0) {
      scores.push(null);
    } else {
      const score = normalQuantile(midP(table, pool, run));
      const steady = score / Math.sqrt(noiseBound(squares, scored));
      height = Math.max(0, height - Math.min(MOST, Math.max(-MOST, steady)) - SLACK);
      squares += score * score;
      scored += 1;
      scores.push(score);
    }
    heights.push(height);
    pool = { k: pool.k + run.k, n: pool.n + run.n };
  }
  return { heights, scores };
}

/** Upper bound of the scores' variance from their mean square over `count` runs; 1 before there are enough. */
function noiseBound(squares: number, count: number): number {
  if (count < NOISE_FROM) return 1;
  const spread = 2 / (9 * count);
  const quantile = count * Math.max(0.01, 1 - spread + NOISE_BOUND * Math.sqrt(spread)) ** 3;
  return Math.min(1, Math.max(0.04, squares / quantile));
}

/** P(fewer) + ½·P(as many) successes of a run, given the total of pool and run; kept inside (0, 1). */
function midP(table: Float64Array, pool: RunCounts, run: RunCounts): number {
  const log = (n: number, k: number): number => (table[n] ?? 0) - (table[k] ?? 0) - (table[n - k] ?? 0);
  const total = pool.k + run.k;
  const all = log(pool.n + run.n, total);
  const term = (k: number): number =>
    k < 0 || k > run.n || total - k < 0 || total - k > pool.n
      ? 0
      : Math.exp(log(run.n, k) + log(pool.n, total - k) - all);
  const half = 0.5 * term(run.k);
  // Away from the middle terms only fall, so a side ends where they are nothing.
  const below = run.k * (pool.n + run.n) <= total * run.n;
  const step = below ? -1 : 1;
  let side = 0;
  for (let k = run.k + step; k >= 0 && k <= run.n; k += step) {
    const each = term(k);
    side += each;
    if (each < 1e-16) break;
  }
  return Math.min(1 - 1e-9, Math.max(1e-9, below ? side + half : 1 - side - half));
}
