/** Counts of one task or of a whole arm. Lost cells are `planned − valid`; nothing here is a rate. */
export interface TaskTally {
  readonly taskId: number;
  readonly planned: number;
  readonly valid: number;
  readonly successes: number;
}

/** One arm's counts, overall and per task (in task order). */
export interface Tally {
  readonly planned: number;
  readonly valid: number;
  readonly successes: number;
  readonly tasks: readonly TaskTally[];
}

/** How many planned cells (or pairs) may be without a valid outcome before a verdict is refused, as shares. */
export interface CompletenessLimits {
  readonly overall: number;
  readonly perTask: number;
}

/** 2 % of the plan, 10 % of any task. */
export const DEFAULT_LIMITS: CompletenessLimits = { overall: 0.02, perTask: 0.1 };

/** True when `lost` of `planned` is more than the share allows (2 of 100 at 2 % is still allowed). */
export function exceeds(lost: number, planned: number, share: number): boolean {
  // The tolerance undoes binary dust such as 0.29 * 100 = 28.999999999999996.
  return lost > share * planned + 1e-9;
}

/** Adds up task tallies; the order of the tasks does not matter, the result is sorted by task id. */
export function tallyOf(tasks: readonly TaskTally[]): Tally {
  const sum = (pick: (task: TaskTally) => number): number =>
    tasks.reduce((total, task) => total + pick(task), 0);
  return {
    planned: sum((task) => task.planned),
    valid: sum((task) => task.valid),
    successes: sum((task) => task.successes),
    tasks: [...tasks].sort((a, b) => a.taskId - b.taskId),
  };
}
