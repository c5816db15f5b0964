import { errorOf, type RbError } from '../../errors/rb-error.ts';
import type { HeldOutClaim, Plan } from '../../model/plan.ts';
import type { PlannedTask } from '../../plan/discovery.ts';
import { type HeldOutList, heldOutCommitment, placeOf } from '../../plan/held-out-list.ts';
import { SILENT_LOG } from '../../platform/silent-log.ts';
import { type FindTasksRequest, type FoundTasks, findTasks } from './find-tasks.ts';
import type { HeldOutGuard, OpenCells } from './held-out-guard.ts';
import { type PlanForRequest, planFor } from './plan-for.ts';

/** The plan of the held-out cells of a suite, and what the public plan says of it. */
export interface HeldOutPlan {
  readonly claim: HeldOutClaim;
  readonly plan: Plan;
  readonly found: FoundTasks;
  /** How many of them are asked for openly as well. Only the host's own record may hold it. */
  readonly openToo: number;
}

/**
 * Plans the held-out cells beside the public ones, by the same settings: same limits, repeats, arms, seed and floors. It
 * never stops early. Null when nothing of this suite is held out. Whether a held-out cell is asked for openly as well
 * changes nothing that anybody can see: a refusal would answer a guess, and would cost the guesser nothing.
 * @param search how the public tasks were found; the server is not switched again for the others.
 * @throws RbError RB430 (exit 2) for a target that the job chose, RB429 (exit 2) when the target lists not all of the
 * tasks, and what `planFor` throws.
 */
export async function planHeldOut(
  guard: HeldOutGuard | null,
  planning: PlanForRequest,
  search: FindTasksRequest,
): Promise<HeldOutPlan | null> {
  if (guard === null) return null;
  requireTargetOfHost(search.host.endpoints.targetOverride);
  const list = guard.listOf(planning.suite);
  const all = list === null ? planning.found : await allTasks(planning.found, search);
  const open = openCells(planning, all.tasks);
  guard.learn(open);
  if (list === null) return null;
  const held = new Set(list.cells.map(({ taskId }) => taskId));
  const tasks = all.tasks.filter(({ taskId }) => held.has(taskId));
  if (tasks.length < held.size) throw unknownTasks(list);
  const claim = { commitment: heldOutCommitment(list), count: list.cells.length };
  const initStates = [...new Set(list.cells.map(({ initStateId }) => initStateId))];
  const found = { ...all, tasks, primer: null };
  const plan = await planFor({
    ...planning,
    inputs: { ...planning.inputs, initStates, earlyStop: false, shard: null },
    found,
    stopBaseline: null,
    heldOut: { ...claim, salt: list.salt },
    only: list.cells,
  });
  const shown = new Set(open.cells.map(placeOf));
  return { claim, plan, found, openToo: list.cells.filter((cell) => shown.has(placeOf(cell))).length };
}

async function allTasks(found: FoundTasks, search: FindTasksRequest): Promise<FoundTasks> {
  if (search.inputs.tasks === 'all') return found;
  const inputs = { ...search.inputs, tasks: 'all' as const };
  return findTasks({ ...search, inputs, mayPrime: false, log: SILENT_LOG });
}

function openCells({ found, inputs }: PlanForRequest, all: readonly PlannedTask[]): OpenCells {
  const spoken = new Set(found.tasks.map(({ language }) => language));
  return {
    cells: found.tasks.flatMap(({ taskId }) =>
      inputs.initStates.map((initStateId) => ({ taskId, initStateId })),
    ),
    languages: all.map(({ language }) => language).filter((language) => !spoken.has(language)),
  };
}

/**
 * A server of the job's own choice would be told every held-out cell by its number, and could list fewer tasks to try
 * which of them are missed.
 */
function requireTargetOfHost(override: string | null): void {
  if (override === null) return;
  throw errorOf('RB430', {
    fix: 'Leave target-endpoint out (its address belongs into TARGETS.md), or the held-out file.',
    where: 'input heldout-file',
    message:
      'held-out cells are measured on the target that TARGETS.md names, never on one that a job names.',
    value: `target-endpoint ${override}`,
  });
}

/** Nothing that a job can choose changes this answer, so that it tells nothing about any cell. */
function unknownTasks({ suite }: HeldOutList): RbError {
  return errorOf('RB429', {
    where: `held-out cells of ${suite}`,
    message: 'a held-out task is not among those that the target lists.',
    fix: 'Compare the held-out file with the tasks that `rollout-bench plan` prints.',
  });
}

/** @throws RbError RB429 (exit 2) for held-out files of suites that are not run. */
export function requireHeldOutSuites(guard: HeldOutGuard | null, suites: readonly string[]): void {
  const idle = (guard?.suites ?? []).filter((suite) => !suites.includes(suite));
  if (idle.length === 0) return;
  throw errorOf('RB429', {
    where: 'input heldout-file',
    message: `cells of ${idle.join(', ')} are held out, but that suite is not run.`,
    fix: 'Run that suite, or leave the file out.',
  });
}
