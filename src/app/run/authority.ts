import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { RunFacts } from '../../results/run-facts.ts';
import type { ReservedRun } from '../approval/reserved-run.ts';
import { takeApproval } from '../approval/take-approval.ts';
import type { VerbContext } from '../verb.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';
import { relyOnQualification } from './rely-on-qualification.ts';
import { selectionOf } from './selection.ts';

export interface AuthorityRequest {
  readonly verb: VerbContext;
  readonly host: OpenHost;
  readonly plan: Plan;
  /** The plan of the held-out cells that are measured with it; null or left out: none. */
  readonly heldOutPlan?: Plan | null;
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
  readonly facts: Pick<RunFacts, 'qualification' | 'approval' | 'selection'>;
  /** Files of the bundle, written once before it is sealed. */
  readonly documents: readonly { readonly name: string; readonly text: string }[];
  /** As `Selection.hidden`; left out: 0. */
  readonly selectedToo?: number;
  /** The right of an approval that this run took; null or left out when it needed none. */
  readonly reservation?: ReservedRun | null;
}

/**
 * Asked once for each suite, after its plan is known and before anything of it is queued.
 * @throws RbError (exit 3) when the run may not begin; nothing of it was queued then.
 */
export async function authorize(request: AuthorityRequest): Promise<Authority> {
  const { host, verb, plan, inputs, log, heldOutPlan } = request;
  const plans = heldOutPlan == null ? [plan] : [plan, heldOutPlan];
  const { selectedFrom } = inputs;
  const selection = await selectionOf({ selectedFrom, workspace: host.workspace, plans, log });
  const qualified = await relyOnQualification(request);
  // Last: what refuses a run must not cost its approval.
  const approval = await takeApproval({ ...request, workspace: host.workspace, env: verb.env });
  return {
    facts: {
      ...qualified.facts,
      ...(approval.fact === null ? {} : { approval: approval.fact }),
      ...(selection.fact === undefined ? {} : { selection: selection.fact }),
    },
    documents: [...qualified.documents, ...approval.documents],
    selectedToo: selection.hidden,
    reservation: approval.reservation,
  };
}
