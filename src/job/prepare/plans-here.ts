import type { Plan } from '../../model/plan.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { reportProblems } from '../guard.ts';
import { withBaselineOfHost } from '../runs/baseline-on-host.ts';
import type { VerbContext } from '../verb.ts';
import { type FoundTasks, findTasks } from './find-tasks.ts';
import { openHeldOut } from './held-out-guard.ts';
import { planHeldOut, requireHeldOutSuites } from './held-out-plans.ts';
import { namedBaseline } from './named-baseline.ts';
import { type OpenHost, openHost } from './open-host.ts';
import { armsOf, planFor, suitesOf } from './plan-for.ts';
import { protocolOf } from './protocol.ts';
import { readTasksFile } from './read-tasks-file.ts';
import { droppedProblems, requireUsable } from './usable-baseline.ts';

export interface PlansHere {
  readonly host: OpenHost;
  readonly plans: readonly { readonly plan: Plan; readonly found: FoundTasks }[];
}

/**
 * What a run with these inputs would do on this host. Queues nothing, a primer neither, and does not ask the policy.
 * @param provisional also of a suite whose tasks only a session can make the server list: by ids alone.
 * @throws RbError as a run that cannot begin
 */
export async function plansHere(
  verb: VerbContext,
  run: RunContext,
  { provisional = false }: { readonly provisional?: boolean } = {},
): Promise<PlansHere> {
  const { clock, log, signal } = verb;
  const inputs = await withBaselineOfHost(verb.inputs);
  const host = await openHost(inputs, { policy: false });
  reportProblems(host.warnings, log);
  const tasksFile = inputs.tasksFile === null ? null : await readTasksFile(inputs.tasksFile);
  const suites = suitesOf(inputs, host);
  const heldOut = await openHeldOut(inputs, verb.env, log);
  requireHeldOutSuites(heldOut, suites);
  const baseline = await namedBaseline(inputs, suites);
  const stopBaseline = baseline.stop?.digest ?? null;
  const plans = [];
  for (const suite of suites) {
    const asked = { host, suite, inputs, tasksFile, runId: 'plan', mayPrime: false, provisional };
    const request = { ...asked, clock, log, signal };
    const found = await findTasks(request);
    const wanted = { host, inputs, suite, found, arms: armsOf(inputs), run, stopBaseline };
    const held = await planHeldOut(heldOut, wanted, request);
    const plan = await planFor({ ...wanted, heldOut: held?.claim });
    if (found.provisional !== true) requireUsable(plan, protocolOf(plan, host, found), baseline);
    reportProblems(droppedProblems(plan, baseline), log);
    plans.push({ plan, found });
  }
  return { host, plans };
}
