import * as path from 'node:path';
import { commandLine } from '../../inputs/command-line.ts';
import { measurePlan } from '../../job/measure/measure-plan.ts';
import type { PlanToMeasure } from '../../job/measure/measured-plan.ts';
import { createPhases } from '../../job/measure/phases.ts';
import type { FoundTasks } from '../../job/prepare/find-tasks.ts';
import type { OpenHost } from '../../job/prepare/open-host.ts';
import { meetPolicy } from '../../job/prepare/policies.ts';
import type { VerbContext } from '../../job/verb.ts';
import type { Lane } from '../../lane/held-lane.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import type { Plan } from '../../model/plan.ts';
import type { ControlResult, Qualification } from '../../model/qualification.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { startControlServer } from '../../policy/control-server.ts';
import { controlShape } from '../../qualification/control-shape.ts';
import { type Control, type ControlRun, resultOf } from '../../qualification/controls.ts';
import { longestMs } from '../../qualification/cost.ts';
import type { ExecutionEnd } from '../../queue/machine/job.ts';
import { secretsOf } from '../../screen/secrets.ts';
import { controlInputs, controlPlan } from './control-plan.ts';

export interface QualifyContext {
  readonly verb: VerbContext;
  readonly host: OpenHost;
  readonly found: FoundTasks;
  readonly suite: string;
  readonly lane: Lane;
  readonly run: RunContext;
  readonly tool: RunFacts['tool'];
  /** Run id of the qualification. */
  readonly id: string;
  readonly gate: number;
}

export interface DoneControl {
  readonly result: ControlResult;
  readonly phase: Qualification['phases'][number];
  readonly end: ExecutionEnd;
  /** The control's sealed bundle; null when it did not come to its end. */
  readonly bundleDir: string | null;
  /** Wall time of the longest session, milliseconds; null when none told. */
  readonly longestMs: number | null;
}

/** Measures one control as any other plan, with a policy of known quality, and judges what came out. */
export async function runControl(
  context: QualifyContext,
  control: Control,
  sessionTimeoutS: number,
): Promise<DoneControl> {
  const { verb, gate } = context;
  const began = verb.clock.now();
  const plan = controlPlan(context, control, sessionTimeoutS);
  const server = await serverOf(control, plan, context.host.base.contract);
  try {
    const endpoint = server?.endpoint ?? verb.inputs.expertEndpoint ?? '';
    const inputs = controlInputs(verb.inputs, control, sessionTimeoutS);
    const { clock, log, signal } = verb;
    const policy = await meetPolicy({ arm: 'candidate', endpoint, inputs, clock, log, signal });
    const { sealed, end, bundleDir } = await measurePlan(
      toMeasure(context, control, { plan, inputs, policies: [policy] }),
    );
    const run: ControlRun = { records: sealed.records, verdict: sealed.decision.verdict, gate };
    return {
      result: resultOf(control, run, sealed.manifestSha256),
      phase: phaseOf(control, run, verb.clock.now() - began),
      end,
      bundleDir: sealed.manifestSha256 === null ? null : bundleDir,
      longestMs: longestMs(run.records),
    };
  } finally {
    await server?.stop();
  }
}

function toMeasure(
  { verb, host, found, lane, run, id }: QualifyContext,
  { name }: Control,
  own: Pick<PlanToMeasure, 'plan' | 'inputs' | 'policies'>,
): PlanToMeasure {
  const { clock, log, signal } = verb;
  return {
    ...own,
    host,
    found,
    lane,
    runId: `${id}-${name}`,
    controlFolder: `${BENCH_FOLDER}/${id}/${name}`,
    again: qualifyCommand(verb.inputs),
    context: run,
    // Nobody's policy is under test, so nobody has to allow it.
    authority: { facts: {}, documents: [], reservation: null },
    stopBaseline: null,
    recordsPolicies: false,
    remarks: [`Control ${name} of a qualification: no policy under test.`],
    phases: createPhases(),
    template: null,
    secrets: secretsOf(verb.env),
    clock,
    log,
    signal,
  };
}

/** A qualification is made anew, never continued. */
function qualifyCommand(inputs: VerbContext['inputs']): string {
  const absolute = (each: string): string => path.resolve(each);
  return commandLine({ verb: 'qualify', inputs, absolute });
}

function serverOf({ manner }: Control, { targetConfig, order }: Plan, contract: unknown) {
  if (manner === null) return null;
  return startControlServer({ manner, ...controlShape(targetConfig, contract), seed: order.seed });
}

function phaseOf(control: Control, { records }: ControlRun, ms: number): DoneControl['phase'] {
  const ran = records.filter(({ sessionId }) => sessionId !== null);
  const steps = ran.flatMap((record) => (record.steps === null ? [] : [record.steps]));
  return {
    name: control.name,
    ms: Math.max(0, Math.round(ms)),
    episodes: ran.length,
    simulatorSteps: steps.reduce((sum, each) => sum + each, 0),
    stepsUnknown: ran.length - steps.length,
  };
}
