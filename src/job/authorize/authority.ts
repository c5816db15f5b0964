import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Plan } from '../../model/plan.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { FoundTasks } from '../prepare/find-tasks.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import type { ArmPolicy } from '../prepare/policies.ts';
import type { VerbContext } from '../verb.ts';
import type { ReservedRun } from './reserved-run.ts';

export interface AuthorityRequest {
  readonly verb: VerbContext;
  readonly host: OpenHost;
  readonly plan: Plan;
  /** The plan of the held-out cells that are measured with it; null: none. */
  readonly heldOutPlan: Plan | null;
  readonly found: FoundTasks;
  readonly runId: string;
  /** All suites of the job, in their order. */
  readonly suites: readonly string[];
  readonly policies: readonly ArmPolicy[];
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
  /** The right of an approval that this run took; null when it needed none. */
  readonly reservation: ReservedRun | null;
}
