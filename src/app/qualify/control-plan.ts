import type { Inputs } from '../../inputs/read-inputs.ts';
import type { FoundTasks } from '../../job/prepare/find-tasks.ts';
import type { OpenHost } from '../../job/prepare/open-host.ts';
import { planSuite } from '../../job/prepare/plan-suite.ts';
import type { Plan } from '../../model/plan.ts';
import type { PlannedTask } from '../../plan/discovery.ts';
import type { Control } from '../../qualification/controls.ts';

/** Half of a suite is more than a policy without a clue solves, and less than any policy worth judging. */
const DEFAULT_GATE = 0.5;

interface ControlPlanContext {
  readonly host: Pick<OpenHost, 'target' | 'skillruntime'>;
  readonly found: Pick<FoundTasks, 'tasks' | 'description'>;
  readonly suite: string;
  readonly verb: { readonly inputs: Inputs };
}

/** The rate that tells good from bad: the user's own floor where there is one. Pure. */
export function gateOf({ minSuccessRate }: Inputs): number {
  return minSuccessRate ?? DEFAULT_GATE;
}

/** The inputs as a control takes them: nothing of the policy under test, no retries, no early stop. Pure. */
export function controlInputs(inputs: Inputs, { name }: Control, sessionTimeoutS: number): Inputs {
  return {
    ...inputs,
    repeats: 1,
    retryErrors: 0,
    sessionTimeoutS,
    // An answer that is late must end as the session's timeout and never as the connection's.
    policyTimeoutS: Math.max(inputs.policyTimeoutS, 2 * sessionTimeoutS),
    minSuccessRate: gateOf(inputs),
    thresholdMode: 'point',
    timeoutsAs: 'error',
    earlyStop: false,
    shard: null,
    // Caps are for what is measured; a qualification states its own cost and never takes more.
    caps: null,
    expectPolicy: null,
    policyRef: `control ${name}`,
    digests: { checkpoint: null, image: null },
  };
}

/** The few cells of one control, by the ordinary planning code. Pure. */
export function controlPlan(context: ControlPlanContext, control: Control, sessionTimeoutS: number): Plan {
  const { host, found, suite, verb } = context;
  const { tasks, initStates } = chosenCells(found.tasks, verb.inputs.initStates, control.cells);
  return planSuite({
    suite,
    purpose: 'adhoc',
    skillruntime: host.skillruntime,
    tasks,
    arms: ['candidate'],
    inputs: { ...controlInputs(verb.inputs, control, sessionTimeoutS), initStates },
    base: host.target.config,
    actions: found.description,
  });
}

/** Several tasks where there are any, else several initial states. */
function chosenCells(
  tasks: readonly PlannedTask[],
  initStates: readonly number[],
  cells: number,
): { tasks: readonly PlannedTask[]; initStates: readonly number[] } {
  if (tasks.length >= cells) return { tasks: tasks.slice(0, cells), initStates: initStates.slice(0, 1) };
  return { tasks: tasks.slice(0, 1), initStates: initStates.slice(0, cells) };
}
