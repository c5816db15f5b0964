import type { Plan } from '../model/plan.ts';
import { lookLevels } from '../stats/group-sequential.ts';
import { TEST_LEVEL } from './levels.ts';

/**
 * How a run that may stop early tests the difference. `looks`: three looks at the tests of a fixed run. `e-values`: after
 * every pair, as plans of earlier versions did it; kept so that their bundles verify.
 */
export type StopDesign = 'looks' | 'e-values';

/** Plans say nothing of a design that was the only one. */
export function stopDesignOf({ stopDesign }: Pick<Plan, 'stopDesign'>): StopDesign {
  return stopDesign ?? 'e-values';
}

/**
 * Part of the error of FAIL that pays for looking at a collapse after every pair: a policy that fails everything is not
 * measured up to the first look.
 */
export const COLLAPSE_LEVEL = 0.001;

/** How often the difference is looked at. */
export const LOOKS = 3;

/** When the difference is looked at, and the p that decides there. */
export interface Looks {
  /** Pairs of the planned order: whole rounds over the tasks; the last is the whole plan. */
  readonly at: readonly number[];
  readonly pass: readonly number[];
  readonly fail: readonly number[];
}

/**
 * The looks of a plan of `planned` pairs over `tasks` tasks, at thirds of the plan. Either error is at most 5 % over all
 * looks together, spent as O'Brien and Fleming do: little early, so that the last look is nearly the fixed test.
 */
export function looksOf(planned: number, tasks: number): Looks {
  const round = Math.max(1, tasks);
  const thirds = Array.from({ length: LOOKS }, (_, i) =>
    Math.min(planned, Math.ceil((planned * (i + 1)) / LOOKS / round) * round),
  );
  const at = [...new Set(thirds)].filter((pairs) => pairs > 0);
  const shares = at.map((pairs) => pairs / planned);
  return {
    at,
    pass: lookLevels(shares, TEST_LEVEL),
    fail: lookLevels(shares, TEST_LEVEL - COLLAPSE_LEVEL),
  };
}

/** The p that a plan's last test of the margin has to reach: a little under 5 % where it may stop before. */
export function lastPassLevel(plan: Plan): number {
  if (plan.earlyStop !== true) return TEST_LEVEL;
  const pairs = plan.tasks.length * plan.initStates.length;
  return looksOf(pairs, plan.tasks.length).pass.at(-1) ?? TEST_LEVEL;
}
