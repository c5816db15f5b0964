import type { Plan } from '../../model/plan.ts';
import { reportProblems } from '../guard.ts';
import type { FindTasksRequest, FoundTasks } from './find-tasks.ts';
import type { HeldOutGuard } from './held-out-guard.ts';
import { type HeldOutPlan, planHeldOut, requireHeldOutSuites } from './held-out-plans.ts';
import { type NamedBaseline, namedBaseline } from './named-baseline.ts';
import type { OpenJob } from './open-job.ts';
import { planFor } from './plan-for.ts';
import { protocolOf } from './protocol.ts';
import { droppedProblems, requireUsable, type UsableStopBaseline } from './usable-baseline.ts';

/** A job with what its plans depend on besides its host. */
export interface PlanningJob extends OpenJob {
  /** The cells that are named nowhere; null: none. */
  readonly heldOut: HeldOutGuard | null;
  readonly baseline: NamedBaseline;
}

/** @throws RbError RB429 for held-out files of suites that are not run, and as `namedBaseline`. */
export async function planningJob(job: OpenJob, heldOut: HeldOutGuard | null): Promise<PlanningJob> {
  requireHeldOutSuites(heldOut, job.suites);
  return { ...job, heldOut, baseline: await namedBaseline(job.verb.inputs, job.suites) };
}

/** What is planned of a suite. */
export interface PlannedSuite {
  readonly plan: Plan;
  readonly found: FoundTasks;
  /** Its held-out cells; null: none. */
  readonly held: HeldOutPlan | null;
  /** What an early stop compares with; null without. */
  readonly stopBaseline: UsableStopBaseline | null;
}

/**
 * Plans a suite of which the tasks are known, and holds the plan against the baseline that is named.
 * @param search how they were found.
 * @throws RbError as `planFor`, `planHeldOut` and `requireUsable`.
 */
export async function planFound(
  { verb, run, host, heldOut, baseline }: PlanningJob,
  found: FoundTasks,
  search: FindTasksRequest,
): Promise<PlannedSuite> {
  const { inputs, log } = verb;
  const { suite } = search;
  const planning = { host, inputs, suite, found, run, stopBaseline: baseline.stop?.digest ?? null };
  const held = await planHeldOut(heldOut, planning, search);
  const plan = await planFor({ ...planning, heldOut: held?.claim });
  // Before the languages are known, neither is the protocol.
  const isKnown = found.provisional !== true;
  const stopBaseline = isKnown ? requireUsable(plan, protocolOf(plan, host, found), baseline) : null;
  reportProblems(droppedProblems(plan, baseline), log);
  return { plan, found, held, stopBaseline };
}
