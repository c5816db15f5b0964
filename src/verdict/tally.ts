/**
 * The runs of initial states that were planned to run several times. Runs of one state are no independent episodes, so
 * what proves a rate counts states.
 */
interface StateScores {
  readonly planned: number;
  /** States with a valid run. */
  readonly valid: number;
  /** Sum over them of the share of valid runs that succeeded. */
  readonly score: number;
}

/** Counts of one task or of a whole arm. Lost cells are `planned − valid`; nothing here is a rate. */
export interface TaskTally {
  readonly taskId: number;
  readonly planned: number;
  readonly valid: number;
  readonly successes: number;
  /** Left out where every state was planned once: an episode is a state then. */
  readonly states?: StateScores;
}

/** One arm's counts, overall and per task (in task order). */
export interface Tally {
  readonly planned: number;
  readonly valid: number;
  readonly successes: number;
  readonly tasks: readonly TaskTally[];
  /** See `TaskTally`. */
  readonly states?: StateScores;
}

/** Valid episodes, with the states behind them where those ran several times. */
export type Counted = Pick<TaskTally, 'valid' | 'successes' | 'states'>;

/** Independent units of a rate. */
export interface Units {
  readonly n: number;
  /** Whole successes that look no better than the data, and the fewest that look no worse. */
  readonly low: number;
  readonly high: number;
}

/** Sums of thirds and fifths are whole but for their last digits. */
const DUST = 1e-9;

/**
 * What a test of a rate may count: episodes where every state ran once, else states, each with the mean of its runs. A
 * sum of such means spreads no more than a count with the same mean, so a test of whole counts errs less on it.
 */
export function unitsOf({ valid, successes, states }: Counted): Units {
  if (states === undefined) return { n: valid, low: successes, high: successes };
  const { valid: n, score } = states;
  return { n, low: Math.floor(score + DUST), high: Math.ceil(score - DUST) };
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
  const states = tasks.flatMap((task) => (task.states === undefined ? [] : [task.states]));
  return {
    planned: sum((task) => task.planned),
    valid: sum((task) => task.valid),
    successes: sum((task) => task.successes),
    ...(states.length === 0 ? {} : { states: sumOfStates(states) }),
    tasks: [...tasks].sort((a, b) => a.taskId - b.taskId),
  };
}

function sumOfStates(parts: readonly StateScores[]): StateScores {
  const sum = (pick: (part: StateScores) => number): number =>
    parts.reduce((total, part) => total + pick(part), 0);
  return {
    planned: sum(({ planned }) => planned),
    valid: sum(({ valid }) => valid),
    score: sum(({ score }) => score),
  };
}
