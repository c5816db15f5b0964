import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { RunFacts } from '../../results/run-facts.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';

export interface AuthorityRequest {
  readonly host: OpenHost;
  readonly plan: Plan;
  readonly found: FoundTasks;
  readonly runId: string;
  readonly inputs: Inputs;
  readonly context: RunContext;
  readonly clock: Clock;
  readonly log: Log;
}

/** What entitles a run to begin, as its bundle keeps it. */
export interface Authority {
  /** Parts of run.json; a part that was not needed is absent. */
  readonly facts: Pick<RunFacts, 'qualification'>;
  /** Files of the bundle, written once before it is sealed. */
  readonly documents: readonly { readonly name: string; readonly text: string }[];
}

/**
 * Asked once for each suite, after its plan is known and before anything of it is queued.
 * @throws RbError (exit 3) when the run may not begin; nothing of it was queued then.
 */
export async function authorize(_request: AuthorityRequest): Promise<Authority> {
  return { facts: {}, documents: [] };
}
