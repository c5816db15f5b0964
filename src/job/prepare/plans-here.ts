import type { Inputs } from '../../inputs/read-inputs.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { withBaselineOfHost } from '../runs/baseline-on-host.ts';
import type { VerbContext } from '../verb.ts';
import { findTasks } from './find-tasks.ts';
import { openHeldOut } from './held-out-guard.ts';
import type { OpenHost } from './open-host.ts';
import { openJob, searchOf } from './open-job.ts';
import { type PlannedSuite, planFound, planningJob } from './plan-found.ts';

export interface PlansHere {
  readonly host: OpenHost;
  /** As a run would plan with them. */
  readonly inputs: Inputs;
  readonly plans: readonly Pick<PlannedSuite, 'plan' | 'found'>[];
}

/**
 * What a run with these inputs would do on this host. Queues nothing, a primer neither, and does not ask the policy.
 * @param provisional also of a suite whose tasks only a session can make the server list: by ids alone.
 * @throws RbError as a run that cannot begin
 */
export async function plansHere(
  given: VerbContext,
  run: RunContext,
  { provisional = false }: { readonly provisional?: boolean } = {},
): Promise<PlansHere> {
  const inputs = await withBaselineOfHost(given.inputs);
  const opened = await openJob({ ...given, inputs }, run, { policy: false });
  const job = await planningJob(opened, await openHeldOut(inputs, given.env, given.log));
  const plans: PlannedSuite[] = [];
  for (const suite of job.suites) {
    const search = searchOf(job, suite, { runId: 'plan', mayPrime: false, provisional });
    plans.push(await planFound(job, await findTasks(search), search));
  }
  return { host: job.host, inputs: job.verb.inputs, plans };
}
