import * as path from 'node:path';
import { type Sealed, sealBundle } from '../../bundle/seal.ts';
import { resolveInside } from '../../files/atomic-file.ts';
import { hostProbes } from '../../job/measure/host-probes.ts';
import { jobProgress } from '../../job/measure/job-progress.ts';
import { queueSettings } from '../../job/measure/queue-settings.ts';
import { nothingMovesIn } from '../../job/measure/why-refused.ts';
import type { FoundTasks } from '../../job/prepare/find-tasks.ts';
import type { OpenHost } from '../../job/prepare/open-host.ts';
import { type ArmPolicy, leavePolicy, meetPolicy, policyDigest } from '../../job/prepare/policies.ts';
import { protocolOf } from '../../job/prepare/protocol.ts';
import type { VerbContext } from '../../job/verb.ts';
import { BENCH_FOLDER } from '../../lane/host-folder.ts';
import { holderText, type Lane } from '../../lane/lane.ts';
import type { Plan } from '../../model/plan.ts';
import type { ControlResult, Qualification } from '../../model/qualification.ts';
import { type ArmFacts, RUN_SCHEMA_ID, type RunFacts } from '../../model/run-facts.ts';
import { planDigest } from '../../plan/make-plan.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { startControlServer } from '../../policy/control-server.ts';
import { type Control, type ControlRun, resultOf } from '../../qualification/controls.ts';
import { longestMs } from '../../qualification/cost.ts';
import { executePlan } from '../../queue/execute.ts';
import type { ExecutionEnd } from '../../queue/machine/job.ts';
import { secretMasker } from '../../screen/secret-scan.ts';
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

/** Runs one control through the ordinary queue code and judges what came out. */
export async function runControl(
  context: QualifyContext,
  control: Control,
  sessionTimeoutS: number,
): Promise<DoneControl> {
  const { verb, gate } = context;
  const began = verb.clock.now();
  const plan = controlPlan(context, control, sessionTimeoutS);
  const server = await serverOf(control, plan);
  try {
    const endpoint = server?.endpoint ?? verb.inputs.expertEndpoint ?? '';
    const inputs = controlInputs(verb.inputs, sessionTimeoutS);
    const { clock, log, signal } = verb;
    const policy = await meetPolicy({ arm: 'candidate', endpoint, inputs, clock, log, signal });
    const { end, bundleDir } = await execute(context, control, { plan, policy, inputs });
    const arm = await leavePolicy(policy, inputs, signal);
    const sealed = await seal(context, control, { plan, end, bundleDir, arm });
    const run: ControlRun = { records: sealed.records, verdict: sealed.decision.verdict, gate };
    return {
      result: resultOf(control, run, sealed.manifestSha256),
      phase: phaseOf(control, run, verb.clock.now() - began),
      end,
      bundleDir: sealed.manifest === null ? null : bundleDir,
      longestMs: longestMs(run.records),
    };
  } finally {
    await server?.stop();
  }
}

function serverOf({ manner }: Control, { targetConfig, order }: Plan) {
  if (manner === null) return null;
  const { actionDim, chunk } = actionShape(targetConfig);
  return startControlServer({ manner, actionDim, chunk, seed: order.seed });
}

/** Longest chunk that a control sends; short enough for every target. */
const MAX_CHUNK = 10;

/** As `scoreConfig` writes it, else what the runtime takes without it. */
function actionShape({ action_dim: dim, max_chunk_size: chunk }: Plan['targetConfig']) {
  return {
    actionDim: typeof dim === 'number' ? dim : 7,
    chunk: Math.min(MAX_CHUNK, typeof chunk === 'number' ? chunk : 4),
  };
}

interface Execution {
  readonly plan: Plan;
  readonly policy: ArmPolicy;
  readonly inputs: VerbContext['inputs'];
}

async function execute(
  { verb, host, found, lane, id }: QualifyContext,
  control: Control,
  { plan, policy, inputs }: Execution,
): Promise<{ end: ExecutionEnd; bundleDir: string }> {
  const { clock, log, signal } = verb;
  const bundleDir = path.join(host.workspace, BENCH_FOLDER, id, control.name);
  await resolveInside(host.workspace, path.join(BENCH_FOLDER, id));
  const end = await executePlan({
    workspace: host.workspace,
    bundleDir,
    runId: `${id}-${control.name}`,
    attempt: 1,
    plan,
    planDigest: planDigest(plan),
    positions: plan.cells.map((_, position) => position),
    base: host.base,
    endpoints: { target: host.endpoints.targetOverride, policy: { candidate: policy.endpoint } },
    settings: queueSettings(inputs),
    identity: { 'candidate policy': policyDigest(policy) },
    resume: [],
    lane: { waitedMs: lane.waitedMs, waitedFor: lane.waitedFor === null ? null : holderText(lane.waitedFor) },
    primer: found.primer,
    probes: hostProbes(host, [policy]),
    clock,
    log,
    signal,
    onProgress: jobProgress(plan, log),
    mask: secretMasker(secretsOf(verb.env)),
    diagnose: nothingMovesIn(host.workspace),
  });
  return { end, bundleDir };
}

interface Finished {
  readonly plan: Plan;
  readonly end: ExecutionEnd;
  readonly bundleDir: string;
  readonly arm: ArmFacts;
}

function seal(context: QualifyContext, control: Control, finished: Finished): Promise<Sealed> {
  const { id, verb } = context;
  const { plan, end, bundleDir } = finished;
  return sealBundle({
    bundleDir,
    plan,
    run: factsOf(context, control, finished),
    stopBaseline: null,
    documents: [],
    template: null,
    secrets: secretsOf(verb.env),
    audience: 'published',
    shownAs: `${BENCH_FOLDER}/${id}/${control.name}`,
    origin: { kind: 'sealed' },
    complete: end.end === 'complete',
  });
}

function factsOf(context: QualifyContext, control: Control, { plan, arm }: Finished): RunFacts {
  const { host, found, run, tool, id, verb } = context;
  return {
    schema: RUN_SCHEMA_ID,
    runId: `${id}-${control.name}`,
    attempt: 1,
    planDigest: planDigest(plan),
    evidenceClass: 'planned',
    tool,
    startedAt: null,
    sealedAt: new Date(verb.clock.now()).toISOString(),
    shard: null,
    positions: null,
    target: { id: host.target.id, endpoint: host.endpoints.target, kind: host.target.targetKind },
    arms: [{ ...arm, policyRef: `control ${control.name}` }],
    discovery: { method: found.source, note: found.why },
    runtime: { dialect: host.dialect, target_runtime: host.target.targetRuntime },
    host: {},
    fingerprint: protocolOf(plan, host, found),
    source: { runUrl: run.runUrl },
    phases: [],
    warnings: [`Control ${control.name} of a qualification: no policy under test.`],
  };
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
