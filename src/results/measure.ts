import { type Measure, type Rate, RESULTS_LEVEL } from '../model/results.ts';
import { twoSidedZ } from '../stats/normal.ts';
import { mean, medianWithInterval, percentile } from '../stats/summaries.ts';
import { type Interval, wilson, wilsonOfRate } from '../stats/wilson.ts';

/** k of n with its Wilson 95 % interval (statistics.md b.1); all null for n = 0. */
export function rateOf(k: number, n: number): Rate {
  const interval = wilson(k, n, RESULTS_LEVEL);
  return { k, n, rate: n === 0 ? null : k / n, low: interval?.low ?? null, high: interval?.high ?? null };
}

/** Mean, median and 95th percentile of what is known; unknown values are counted and left out. Order-free. */
export function measureOf(values: readonly (number | null)[]): Measure {
  const known = values.filter((value) => value !== null).sort((left, right) => left - right);
  const median = medianWithInterval(known);
  return {
    n: known.length,
    missing: values.length - known.length,
    mean: known.length === 0 ? null : mean(known),
    median: median?.median ?? null,
    medianLow: median?.interval?.low ?? null,
    medianHigh: median?.interval?.high ?? null,
    p95: percentile(known, 0.95),
  };
}

interface TaskCount {
  readonly k: number;
  readonly n: number;
}

/**
 * Unweighted mean of task rates with an interval for these tasks: Wilson on the effective number of episodes
 * p(1−p)/SE², SE = sqrt(Σ p_t(1−p_t)/n_t)/T (statistics.md b.8). When no task varies (SE = 0), Wilson on the pooled
 * counts, which is slightly wider.
 */
export function macroOf(tasks: readonly TaskCount[]): {
  tasks: number;
  missingTasks: number;
  rate: number | null;
  low: number | null;
  high: number | null;
} {
  const used = tasks.filter((task) => task.n > 0);
  const missingTasks = tasks.length - used.length;
  if (used.length === 0) return { tasks: 0, missingTasks, rate: null, low: null, high: null };
  const rate = mean(used.map((task) => task.k / task.n));
  const interval = macroInterval(used, rate);
  return { tasks: used.length, missingTasks, rate, low: interval?.low ?? null, high: interval?.high ?? null };
}

function macroInterval(tasks: readonly TaskCount[], rate: number): Interval | null {
  const variance = tasks.reduce((sum, { k, n }) => sum + ((k / n) * (1 - k / n)) / n, 0) / tasks.length ** 2;
  const episodes = tasks.reduce((sum, task) => sum + task.n, 0);
  const effective = variance === 0 ? episodes : (rate * (1 - rate)) / variance;
  return wilsonOfRate(rate, effective, twoSidedZ(RESULTS_LEVEL));
}
