import type { Plan } from '../model/plan.ts';

/** Initial states over the suite and in each task: several runs of one state are no more evidence of a change than one. */
export function stateCounts(plan: Plan): { readonly suite: number; readonly task: number } {
  const task = plan.initStates.length;
  return { suite: task * plan.tasks.length, task };
}
