import { type RandomSource, randomSource } from '../base/random.ts';
import { mean, percentile } from './summaries.ts';
import type { Interval } from './wilson.ts';

/** Fewer tasks than this say nothing about the family they are drawn from. */
const FEWEST_TASKS = 5;
/** Draws of states in all, and the bounds of the resamples they are spent on. */
const DRAWS = 1e7;
const RESAMPLES = [2_000, 10_000] as const;

/**
 * Interval of the mean difference over tasks when the tasks are a sample of a family: a two-stage percentile bootstrap.
 * Tasks are drawn with replacement, then the states of each, and the mean of the tasks' means is taken.
 *
 * Source: Davison and Hinkley 1997, section 3.8. `tasks`: one list of differences per task, one number per initial state.
 * Units: rates. Seeded, and the order of tasks and states cannot matter. Fewer than five tasks with a state, or no
 * variation at all, give null. With few tasks it covers less than its level; docs/statistics.md has the simulated share.
 */
export function twoStageInterval(
  tasks: readonly (readonly number[])[],
  options: { readonly level?: number; readonly seed?: number; readonly resamples?: number } = {},
): Interval | null {
  const { level = 0.95, seed = 1 } = options;
  const known = tasks
    .filter((differences) => differences.length > 0)
    .map((differences) => Float64Array.from(differences).sort())
    .sort(byValues);
  const states = known.reduce((sum, task) => sum + task.length, 0);
  const first = known[0]?.[0];
  if (known.length < FEWEST_TASKS || known.every((task) => task.every((d) => d === first))) return null;
  const [fewest, most] = RESAMPLES;
  const resamples = options.resamples ?? Math.min(most, Math.max(fewest, Math.floor(DRAWS / states)));
  const random = randomSource(seed);
  const means = Array.from({ length: resamples }, () => resampledMean(known, random));
  const tail = (1 - level) / 2;
  return { low: percentile(means, tail) ?? Number.NaN, high: percentile(means, 1 - tail) ?? Number.NaN };
}

function resampledMean(tasks: readonly Float64Array[], random: RandomSource): number {
  let sum = 0;
  for (let t = 0; t < tasks.length; t += 1) {
    const task = tasks[Math.floor(random() * tasks.length)] ?? new Float64Array();
    let within = 0;
    for (let i = 0; i < task.length; i += 1) within += task[Math.floor(random() * task.length)] ?? 0;
    sum += within / task.length;
  }
  return sum / tasks.length;
}

function byValues(left: Float64Array, right: Float64Array): number {
  if (left.length !== right.length) return left.length - right.length;
  const at = left.findIndex((value, i) => value !== right[i]);
  if (at === -1) return 0;
  return mean([...left]) - mean([...right]) || (left[at] ?? 0) - (right[at] ?? 0);
}
