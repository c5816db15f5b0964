import { EXIT, type Problem, RbError } from '../../errors/rb-error.ts';
import { type HeldOutList, heldOutCommitment, placeOf } from '../../plan/held-out.ts';
import type { HeldOutClaim, Plan } from '../../plan/plan.ts';
import type { Log } from '../../platform/ports.ts';
import { type FindTasksRequest, type FoundTasks, findTasks } from '../run/find-tasks.ts';
import { type PlanForRequest, planFor } from '../run/plan-for.ts';
import type { HeldOutGuard } from './guard.ts';

/** The plan of the held-out cells of a suite, and what the public plan says of it. */
export interface HeldOutPlan {
  readonly claim: HeldOutClaim;
  readonly plan: Plan;
  readonly found: FoundTasks;
}

/** What finding and planning said is about held-out tasks. */
const SILENT: Log = {
  info: () => undefined,
  warning: () => undefined,
  error: () => undefined,
  group: () => undefined,
  endGroup: () => undefined,
  progress: () => undefined,
};

/**
 * Plans the held-out cells beside the public ones, by the same settings: same limits, repeats, arms, seed and floors. It
 * never stops early. Null when nothing of this suite is held out.
 * @param asked how the public tasks were found; the server is not switched again for the others.
 * @throws RbError RB428, RB429 (exit 2), told by numbers only, and what `planFor` throws.
 */
export async function planHeldOut(
  guard: HeldOutGuard | null,
  wanted: PlanForRequest,
  asked: FindTasksRequest,
): Promise<HeldOutPlan | null> {
  const list = guard?.listOf(wanted.suite) ?? null;
  if (guard === null || list === null) return null;
  const inputs = { ...asked.inputs, tasks: 'all' as const };
  const all =
    asked.inputs.tasks === 'all'
      ? wanted.found
      : await findTasks({ ...asked, inputs, mayPrime: false, log: SILENT });
  const held = new Set(list.cells.map(({ taskId }) => taskId));
  const tasks = all.tasks.filter(({ taskId }) => held.has(taskId));
  requireFit(list, wanted, held.size - tasks.length);
  const open = new Set(wanted.found.tasks.map(({ language }) => language));
  guard.learn(
    wanted.suite,
    tasks.map(({ language }) => language).filter((language) => !open.has(language)),
  );
  const claim = { commitment: heldOutCommitment(list), count: list.cells.length };
  const initStates = [...new Set(list.cells.map(({ initStateId }) => initStateId))];
  const found = { ...all, tasks, primer: null };
  const plan = planFor({
    ...wanted,
    inputs: { ...wanted.inputs, initStates, earlyStop: false, shard: null },
    found,
    stopBaseline: null,
    heldOut: { ...claim, salt: list.salt },
    only: list.cells,
  });
  return { claim, plan, found };
}

/**
 * A public plan with holes would show what is held out, so its cells and the held-out ones may not meet.
 */
function requireFit({ cells, suite }: HeldOutList, { found, inputs }: PlanForRequest, unknown: number): void {
  const tasks = new Set(found.tasks.map(({ taskId }) => taskId));
  const states = new Set(inputs.initStates);
  const open = new Set(
    cells.filter(({ taskId, initStateId }) => tasks.has(taskId) && states.has(initStateId)).map(placeOf),
  );
  const problems: Problem[] = [];
  if (unknown > 0) {
    problems.push({
      code: 'RB429',
      where: `held-out cells of ${suite}`,
      message: `${unknown} of the held-out tasks are not among those that the target lists.`,
      fix: 'Compare the held-out file with the tasks that `rollout-bench plan` prints.',
      severity: 'fatal',
    });
  }
  if (open.size > 0) {
    problems.push({
      code: 'RB428',
      where: `held-out cells of ${suite}`,
      message: `${open.size} of ${cells.length} are among the cells that are asked for openly; leaving them out would show which they are.`,
      fix: 'Ask for other tasks or init-states, or hold others out.',
      severity: 'fatal',
    });
  }
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
}

/** @throws RbError RB429 (exit 2) for held-out files of suites that are not run. */
export function requireHeldOutSuites(guard: HeldOutGuard | null, suites: readonly string[]): void {
  const idle = (guard?.suites ?? []).filter((suite) => !suites.includes(suite));
  if (idle.length === 0) return;
  throw new RbError(EXIT.usage, [
    {
      code: 'RB429',
      where: 'input heldout-file',
      message: `cells of ${idle.join(', ')} are held out, but that suite is not run.`,
      fix: 'Run that suite, or leave the file out.',
      severity: 'fatal',
    },
  ]);
}
