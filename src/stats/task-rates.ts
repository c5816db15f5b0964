import { studentQuantile } from './beta.ts';
import { twoSidedZ } from './normal.ts';
import { requireCounts } from './requirements.ts';
import { mean, preciseSum, standardDeviation } from './summaries.ts';
import { type Interval, wilson, wilsonOfRate } from './wilson.ts';

/** Successes k of n valid episodes of one task. */
interface TaskCounts {
  readonly k: number;
  readonly n: number;
}

/**
 * A suite's rate over its tasks, and three standard errors that answer three questions. Units: rates.
 * Tasks without a valid episode are left out and counted: a rate of nothing is not 0.
 */
interface SuiteRates {
  /** Σk/Σn. */
  readonly micro: number;
  /** Mean of the task rates: the papers' number. */
  readonly macro: number;
  readonly tasks: number;
  readonly tasksWithoutEpisodes: number;
  /** True when all tasks have equally many valid episodes, and micro and macro are the same number. */
  readonly balanced: boolean;
  /** sqrt(p(1−p)/N): takes all episodes as draws from one rate. */
  readonly sePooled: number;
  /** sqrt(Σ p_t(1−p_t)/n_t)/T: would this suite score repeat on these tasks? The one for a regression gate. */
  readonly seFixed: number;
  /** sd(p_t)/√T: would it hold on other tasks like these? Null for one task. */
  readonly seTasks: number | null;
  /** t interval of the macro rate over tasks; may leave [0, 1]; null for one task. */
  readonly tasksInterval: Interval | null;
  /** Bootstrap of tasks, then episodes, in the limit of many resamples. */
  readonly seTwoStage: number;
  /** Interval of the macro rate that stays in [0, 1]. */
  readonly macroInterval: Interval;
}

/**
 * Micro and macro rate with their standard errors. Sources: pooled binomial; stratified sampling with fixed strata;
 * cluster-robust over tasks (Cameron and Miller 2015, balanced case); Davison and Hinkley 1997 for two stages.
 * No valid episode at all gives null.
 */
export function suiteRates(counts: readonly TaskCounts[], level = 0.95): SuiteRates | null {
  for (const { k, n } of counts) requireCounts(k, n);
  const tasks = counts.filter(({ n }) => n > 0);
  const first = tasks[0];
  if (first === undefined) return null;
  const k = tasks.reduce((sum, task) => sum + task.k, 0);
  const n = tasks.reduce((sum, task) => sum + task.n, 0);
  const rates = tasks.map((task) => task.k / task.n);
  const macro = mean(rates);
  const variances = tasks.map((task) => ((task.k / task.n) * (1 - task.k / task.n)) / task.n);
  const seFixed = Math.sqrt(preciseSum(variances)) / tasks.length;
  const between = preciseSum(rates.map((rate) => (rate - macro) ** 2)) / tasks.length ** 2;
  const seTasks = tasks.length < 2 ? null : standardDeviation(rates) / Math.sqrt(tasks.length);
  return {
    micro: k / n,
    macro,
    tasks: tasks.length,
    tasksWithoutEpisodes: counts.length - tasks.length,
    balanced: tasks.every((task) => task.n === first.n),
    sePooled: Math.sqrt(((k / n) * (1 - k / n)) / n),
    seFixed,
    seTasks,
    tasksInterval: seTasks === null ? null : studentInterval(macro, seTasks, tasks.length - 1, level),
    seTwoStage: Math.sqrt(between + seFixed ** 2),
    macroInterval: boundedMacro({ macro, seFixed, k, n, level }),
  };
}

/** Wilson on the number of episodes that would give the same standard error; on the counts when that is 0. */
function boundedMacro(parts: {
  macro: number;
  seFixed: number;
  k: number;
  n: number;
  level: number;
}): Interval {
  const { macro, seFixed, k, n, level } = parts;
  const pooled = wilson(k, n, level) ?? { low: 0, high: 1 };
  if (seFixed === 0) return { low: Math.min(pooled.low, macro), high: Math.max(pooled.high, macro) };
  return wilsonOfRate(macro, (macro * (1 - macro)) / seFixed ** 2, twoSidedZ(level));
}

function studentInterval(centre: number, se: number, df: number, level: number): Interval {
  const half = studentQuantile(0.5 + level / 2, df) * se;
  return { low: centre - half, high: centre + half };
}

/**
 * Rate over tasks that weigh differently, as in a mean of suites, with an interval for these tasks that stays in [0, 1].
 * Source: as the macro rate of `suiteRates`, SE = sqrt(Σ w²p(1−p)/n)/Σw. Tasks without a valid episode are left out; none
 * left gives null.
 */
export function weightedRate(
  counts: readonly (TaskCounts & { readonly weight: number })[],
  level = 0.95,
): { readonly macro: number; readonly macroInterval: Interval } | null {
  const tasks = counts.filter(({ n }) => n > 0);
  if (tasks.length === 0) return null;
  const sum = (of: (task: (typeof tasks)[number]) => number): number => preciseSum(tasks.map(of));
  const total = sum(({ weight }) => weight);
  const macro = sum(({ k, n, weight }) => (weight * k) / n) / total;
  const variance = sum(({ k, n, weight }) => (weight / total) ** 2 * (((k / n) * (1 - k / n)) / n));
  const pooled = { k: sum(({ k }) => k), n: sum(({ n }) => n) };
  return { macro, macroInterval: boundedMacro({ macro, seFixed: Math.sqrt(variance), ...pooled, level }) };
}

/** Mean of suite rates (LIBERO's "Average" over its four suites); null when one is unknown or the list is empty. */
export function meanOfSuites(rates: readonly (number | null)[]): number | null {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 || known.length < rates.length ? null : mean(known);
}
