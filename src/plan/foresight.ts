import type { Problem } from '../errors/rb-error.ts';
import { detectableDrop } from '../stats/power.ts';
import { wilson } from '../stats/wilson.ts';
import type { Plan } from './plan.ts';
import { roughDuration } from './rough-duration.ts';

/** A two-sided 90 % interval: its lower end is the one-sided 95 % bound that `lower-bound` floors use. */
const LOWER_BOUND_LEVEL = 0.9;

/**
 * Share of initial states whose outcome improves by chance when nothing has changed; more of it hides more. A policy
 * that samples its actions flips about this many.
 */
const CHANCE_FIXES = 0.02;

/** Episodes of one arm, over the suite and in each task. */
function episodeCounts(plan: Plan): { readonly suite: number; readonly task: number } {
  const task = plan.initStates.length * plan.repeats;
  return { suite: task * plan.tasks.length, task };
}

/**
 * How long the plan will take.
 * @param secondsPerEpisode median wall-clock time of an episode in earlier runs here, null when there are none.
 */
export function expectedDuration(plan: Plan, secondsPerEpisode: number | null): string {
  const { length } = plan.cells;
  if (secondsPerEpisode !== null) {
    return `${roughDuration(length * secondsPerEpisode)} (${roughDuration(secondsPerEpisode)} an episode in earlier runs here)`;
  }
  const most = roughDuration(length * plan.limits.sessionTimeoutS);
  return `unknown: no earlier run here; at most ${most}, if every episode used up its session-timeout`;
}

/**
 * The smallest drop of the success rate that a comparison with a baseline on the same initial states would see four
 * times out of five (one-sided 5 %), over the suite and in one task. Null: not even a collapse would be seen.
 */
export function visibleDrops(plan: Plan): { readonly suite: number | null; readonly task: number | null } {
  const { suite, task } = episodeCounts(plan);
  return { suite: detectableDrop(suite, CHANCE_FIXES), task: detectableDrop(task, CHANCE_FIXES) };
}

/** `5.2 points over the suite, 31 points in a single task` */
export function visibleDropText(plan: Plan): string {
  const { suite, task } = visibleDrops(plan);
  return `${points(suite)} over the suite, ${points(task)} in a single task (against a baseline on the same initial states, 80 % power)`;
}

function points(drop: number | null): string {
  return drop === null ? 'none' : `${(drop * 100).toFixed(1)} points`;
}

/** Floors that the plan could not reach even if every episode succeeded (RB333). */
export function floorWarnings(plan: Plan): Problem[] {
  if (plan.thresholds.thresholdMode !== 'lower-bound') return [];
  const { suite, task } = episodeCounts(plan);
  return [
    ...unreachable('min-success-rate', plan.thresholds.minSuccessRate, suite),
    ...unreachable('min-task-success-rate', plan.thresholds.minTaskSuccessRate, task),
  ];
}

function unreachable(input: string, floor: number | null, episodes: number): Problem[] {
  if (floor === null) return [];
  const best = wilson(episodes, episodes, LOWER_BOUND_LEVEL)?.low ?? 0;
  if (best >= floor) return [];
  return [
    {
      code: 'RB333',
      where: `input ${input}`,
      message: `cannot be reached: with ${episodes} episodes, all of them successful, the lower bound is ${(best * 100).toFixed(1)} %.`,
      value: `${(floor * 100).toFixed(1)} %`,
      fix: enough(floor),
      severity: 'warning',
    },
  ];
}

function enough(floor: number): string {
  if (floor >= 1) return 'Use a floor below 100 %: no lower bound ever reaches it.';
  for (let episodes = 1; episodes <= 100_000; episodes = Math.ceil(episodes * 1.02) + 1) {
    if ((wilson(episodes, episodes, LOWER_BOUND_LEVEL)?.low ?? 0) >= floor) {
      return `Plan at least ${episodes} episodes, lower the floor, or use threshold-mode: point.`;
    }
  }
  return 'Lower the floor, or use threshold-mode: point.';
}
