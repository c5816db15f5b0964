import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Pin } from '../../model/pins.ts';
import type { Plan } from '../../model/plan.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { toolFacts } from '../../platform/tool-facts.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';
import { pinsFor } from './pins-for.ts';
import type { PolicySources } from './policy-source.ts';
import { lookAtWorkspace } from './workspace-look.ts';

export interface Observed {
  readonly host: OpenHost;
  readonly plan: Plan;
  readonly found: FoundTasks;
  readonly inputs: Inputs;
  readonly context: RunContext;
  /** As `PinFacts`. */
  readonly sources?: PolicySources;
}

/** What is here now of everything that a plan file pins. Neither policies nor the machine are asked: no plan has them. */
export async function observedPins(observed: Observed): Promise<readonly Pin[]> {
  const look = await lookAtWorkspace(observed.host);
  const machine = { system: '', cpus: 0, gpus: null };
  return pinsFor({ ...observed, look, machine, tool: await toolFacts(), policyDigests: {} });
}
