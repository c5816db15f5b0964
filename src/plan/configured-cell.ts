import { idRanges } from '../base/id-ranges.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { Plan } from '../model/plan.ts';
import { suiteDefaults } from './suite-defaults.ts';

/**
 * RB363, a warning: the config of the user's target names a task or an initial state, and the plan does not measure it. The
 * runtime takes ids as numbers or as digits in text. Pure.
 * @param config of the user's target.
 */
export function configuredCellWarnings(
  plan: Pick<Plan, 'suite' | 'tasks' | 'initStates'>,
  target: { readonly id: string; readonly config: Readonly<Record<string, unknown>> },
): Problem[] {
  const { task_id, init_state_id, benchmark_name } = target.config;
  // Of another suite its ids say nothing about this one.
  if (benchmark_name !== undefined && benchmark_name !== plan.suite) return [];
  const tasks = plan.tasks.map(({ taskId }) => taskId);
  const left = [
    ...notPlanned('task_id', task_id, tasks),
    ...notPlanned('init_state_id', init_state_id, plan.initStates),
  ];
  if (left.length === 0) return [];
  return [
    problemOf('RB363', {
      where: `TARGETS.md ${target.id} config`,
      message: `it names ${left.join(' and ')}, which the plan does not measure: the inputs tasks and init-states choose the cells, and each cell has a target of its own.`,
      value: `planned are tasks ${idRanges(tasks)} and initial states ${idRanges(plan.initStates)}`,
    }),
  ];
}

/** The id that a config names, as the runtime takes it (`int()` of Python); null for none. */
export function configuredId(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : null;
}

function notPlanned(key: string, value: unknown, planned: readonly number[]): string[] {
  const id = configuredId(value);
  return id === null || planned.includes(id) ? [] : [`${key} ${id}`];
}

/**
 * RB361, a warning: initial states that a suite does not have. Pure.
 * @param described how many each task has by the target's own account, which counts before what is known of a suite; left
 * out: the target tells none.
 */
export function initStateWarnings(
  { suite, initStates }: Pick<Plan, 'suite' | 'initStates'>,
  described?: number,
): Problem[] {
  const there = described ?? suiteDefaults(suite)?.initStates;
  const beyond = there === undefined ? [] : initStates.filter((id) => id >= there);
  if (there === undefined || beyond.length === 0) return [];
  return [
    problemOf('RB361', {
      where: 'input init-states',
      message: `a task of ${suite} has ${there} initial states, 0-${there - 1}; episodes of the others end in an error.`,
      value: idRanges(beyond),
      fix: `Give init-states up to 0-${there - 1}, and repeats for more episodes.`,
    }),
  ];
}
