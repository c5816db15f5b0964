import type { Plan } from '../model/plan.ts';
import { detectableDrop } from '../stats/power.ts';
import { givenPercent } from '../stats/rounding.ts';
import { stateCounts } from './state-counts.ts';

/**
 * Share of initial states whose outcome improves by chance when nothing has changed; more of it hides more. A policy
 * that samples its actions flips about this many.
 */
const CHANCE_FIXES = 0.02;

/**
 * The smallest drop of the success rate that a comparison with a baseline on the same initial states would see four
 * times out of five (one-sided 5 %), over the suite and in one task. Null: not even a collapse would be seen.
 */
export function visibleDrops(plan: Plan): { readonly suite: number | null; readonly task: number | null } {
  const { suite, task } = stateCounts(plan);
  return { suite: detectableDrop(suite, CHANCE_FIXES), task: detectableDrop(task, CHANCE_FIXES) };
}

/** `5.2 points over the suite, 31 points in a single task` */
export function visibleDropText(plan: Plan): string {
  const { suite, task } = visibleDrops(plan);
  return `${points(suite)} over the suite, ${points(task)} in a single task (against a baseline on the same initial states, 80 % power, if ${givenPercent(CHANCE_FIXES)} % of them are fixed by chance; a result takes those that were, at least one)`;
}

function points(drop: number | null): string {
  return drop === null ? 'not even a collapse' : `${(drop * 100).toFixed(1)} points`;
}
