import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { secretMasker } from '../../bundle/secret-scan.ts';
import { writeOnce } from '../../bundle/write-once.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Lane } from '../../lane/lane.ts';
import { holderText } from '../../lane/lane.ts';
import { planDigest } from '../../plan/make-plan.ts';
import type { Plan } from '../../plan/plan.ts';
import { shardCaps, shardPositions } from '../../plan/shard.ts';
import { distHash } from '../../platform/dist-hash.ts';
import { type HostFacts, hostFacts } from '../../platform/host-facts.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { VERSION } from '../../platform/version.ts';
import { executePlan } from '../../queue/execute.ts';
import type { ExecutionEnd, ExecutionInput } from '../../queue/execution.ts';
import { stableJson } from '../../results/results-text.ts';
import { type ArmFacts, RUN_SCHEMA_ID, type RunFacts } from '../../results/run-facts.ts';
import { stopProcess } from '../../verdict/early-stop.ts';
import { type SealedRun, sealRun } from '../build-bundle.ts';
import { chooseAttempt, type Identity } from './attempts.ts';
import type { Authority } from './authority.ts';
import { decideRun } from './decide-run.ts';
import type { UsableStopBaseline } from './early-stop-rules.ts';
import type { FoundTasks } from './find-tasks.ts';
import { jobProgress } from './job-progress.ts';
import type { OpenHost } from './open-host.ts';
import type { Phases } from './phases.ts';
import { type ArmPolicy, leavePolicy, policyAnswers, policyDigest } from './policies.ts';
import { protocolOf } from './protocol.ts';
import { queueSettings } from './queue-settings.ts';
import { recorderFor, recordingFacts } from './record-policy.ts';
import { refuseKnownSecrets, withoutLateSecrets } from './refuse-secrets.ts';
import { lookAtWorkspace, measuredDigest, type WorkspaceLook } from './settlement.ts';
import { targetAnswers } from './target-answers.ts';
import { type EndFacts, endAttempt, guardAttempt, type WatchedAttempt } from './watch-attempt.ts';
import { whyRefused } from './why-refused.ts';

export interface SuiteRunRequest {
  readonly host: OpenHost;
  readonly plan: Plan;
  /** The recorded baseline that the plan names for an early stop, and as the verdict takes it; null without one. */
  readonly stopBaseline: UsableStopBaseline | null;
  readonly found: FoundTasks;
  readonly authority: Authority;
  readonly runId: string;
  readonly inputs: Inputs;
  readonly context: RunContext;
  readonly policies: readonly ArmPolicy[];
  /** Each session asks its policy through a relay that records it. */
  readonly recordsPolicies: boolean;
  readonly lane: Lane;
  readonly phases: Phases;
  /** Mustache text of the user's own report template, null for ours. */
  readonly template: string | null;
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** One suite, measured: what happened, and the bundle with its numbers. */
export interface SuiteRun {
  readonly suite: string;
  readonly plan: Plan;
  readonly planDigest: string;
  readonly runId: string;
  readonly attempt: number;
  /** Absolute. */
  readonly bundleDir: string;
  readonly end: ExecutionEnd;
  readonly stopBaseline: UsableStopBaseline | null;
  readonly sealed: SealedRun;
}

/** Executes a plan and makes its bundle. Sealed when every cell was dealt with; otherwise it can be resumed. */
export async function runSuite(request: SuiteRunRequest): Promise<SuiteRun> {
  const { host, plan, runId, clock, phases, policies, secrets } = request;
  refuseKnownSecrets({ plan, policies, secrets, declared: { 'policy-ref': request.inputs.policyRef } });
  const attempt = await beginAttempt(request);
  const { digest, bundleDir } = attempt;
  const startedAt = new Date(clock.now()).toISOString();
  // Before the first episode: afterwards the simulator's own memory would count, and an interrupted run has no time.
  const machine = await hostFacts();
  const began = clock.now();
  const end = await guardAttempt(attempt, () => execute(request, attempt));
  phases.add(`rollouts of ${plan.suite}`, clock.now() - began);
  const ended = await endAttempt(attempt, end);
  const run = await runFacts(request, { digest, attempt: attempt.attempt, startedAt, machine, ended });
  const sealed = await guardAttempt(attempt, () =>
    sealRun({
      workspace: host.workspace,
      bundleDir,
      plan,
      run,
      stopBaseline: request.stopBaseline?.kept ?? null,
      documents: request.authority.documents,
      decide: (planned, records) =>
        decideRun(planned, records, { run, baseline: request.stopBaseline?.prepared ?? null }),
      template: request.template,
      secrets,
      complete: end.end === 'complete',
    }),
  );
  const { stopBaseline } = request;
  const { suite } = plan;
  return {
    suite,
    plan,
    planDigest: digest,
    runId,
    attempt: attempt.attempt,
    bundleDir,
    end,
    stopBaseline,
    sealed,
  };
}

interface Attempt extends WatchedAttempt {
  readonly digest: string;
  readonly identity: Identity;
}

/** Which attempt this is, what it continues, and how the workspace was before it wrote anything. */
async function beginAttempt(request: SuiteRunRequest): Promise<Attempt> {
  const { host, plan, runId, inputs, clock, log, signal } = request;
  const digest = planDigest(plan);
  const before = await lookAtWorkspace(host);
  const identity = identityOf(request, before);
  const choice = await chooseAttempt({
    workspace: host.workspace,
    runId,
    plan,
    planDigest: digest,
    identity,
    named: inputs.resume !== null,
  });
  if (choice.fresh !== null) log.warning(`An unfinished attempt is not continued: ${choice.fresh}.`);
  for (const { attempt } of choice.resume)
    log.info(`Continuing attempt ${attempt}; finished episodes are kept.`);
  const planned = shardPositions(plan, inputs.shard).length;
  const mask = secretMasker(request.secrets);
  return { ...choice, host, runId, planned, before, mask, clock, log, signal, digest, identity };
}

function identityOf(
  { context, host, policies, recordsPolicies }: SuiteRunRequest,
  before: WorkspaceLook,
): Identity {
  return {
    headCommit: context.headCommit,
    'target and skill runtime': measuredDigest(host, before),
    // Only where it is recorded: other runs are continued as ever.
    ...(recordsPolicies ? { 'record-policy': 'true' } : {}),
    ...Object.fromEntries(policies.map((policy) => [`${policy.arm} policy`, policyDigest(policy)])),
  };
}

async function execute(request: SuiteRunRequest, attempt: Attempt): Promise<ExecutionEnd> {
  const { bundleDir } = attempt;
  // Before anything is queued: a killed attempt leaves no other trace of what it meant to do.
  await writeOnce(bundleDir, BUNDLE_FILES.plan, stableJson(request.plan));
  const recorder = request.recordsPolicies ? recorderFor(bundleDir, request.policies) : null;
  try {
    return await executePlan({ ...executionInput(request, attempt), recorder });
  } finally {
    await recorder?.close();
  }
}

function executionInput(request: SuiteRunRequest, attempt: Attempt): ExecutionInput {
  const { host, plan, found, runId, inputs, policies, lane, clock, log, signal } = request;
  return {
    workspace: host.workspace,
    bundleDir: attempt.bundleDir,
    runId,
    attempt: attempt.attempt,
    plan,
    planDigest: attempt.digest,
    positions: shardPositions(plan, inputs.shard),
    base: host.base,
    endpoints: {
      target: host.endpoints.targetOverride,
      policy: Object.fromEntries(policies.map(({ arm, endpoint }) => [arm, endpoint])),
    },
    settings: queueSettings(inputs),
    identity: attempt.identity,
    resume: attempt.resume,
    lane: { waitedMs: lane.waitedMs, waitedFor: lane.waitedFor === null ? null : holderText(lane.waitedFor) },
    primer: found.primer,
    probes: [
      () => targetAnswers(host.endpoints.target, signal),
      ...policies.map(
        ({ endpoint }) =>
          () =>
            policyAnswers(endpoint, signal),
      ),
    ],
    clock,
    log,
    signal,
    onProgress: jobProgress(plan, log),
    mask: attempt.mask,
    caps: shardCaps(plan, inputs.shard),
    earlyStop: plan.earlyStop === true ? stopProcess(plan, request.stopBaseline?.records ?? null) : null,
    diagnose: () => whyRefused(host.workspace),
  };
}

interface Measured {
  readonly digest: string;
  readonly attempt: number;
  readonly startedAt: string;
  readonly machine: HostFacts;
  readonly ended: EndFacts;
}

async function runFacts(request: SuiteRunRequest, measured: Measured): Promise<RunFacts> {
  const { host, plan, found, inputs, context, policies, phases, clock } = request;
  const arms: ArmFacts[] = [];
  for (const policy of policies)
    arms.push(withoutLateSecrets(await leavePolicy(policy, inputs, request.signal), request.secrets));
  return {
    schema: RUN_SCHEMA_ID,
    runId: request.runId,
    attempt: measured.attempt,
    planDigest: measured.digest,
    evidenceClass: 'planned',
    tool: { version: VERSION, distHash: await distHash() },
    startedAt: measured.startedAt,
    sealedAt: new Date(clock.now()).toISOString(),
    shard: inputs.shard,
    positions: inputs.shard === null ? null : [...shardPositions(plan, inputs.shard)],
    target: { id: host.target.id, endpoint: host.endpoints.target, kind: host.target.targetKind },
    arms,
    discovery: { method: found.source, note: found.why },
    runtime: { dialect: host.dialect, target_runtime: host.target.targetRuntime },
    host: { ...measured.machine },
    fingerprint: protocolOf(plan, host, found),
    source: sourceOf(context),
    ...request.authority.facts,
    ...recordingFacts(request.recordsPolicies, policies),
    settlement: measured.ended.settlement,
    phases: phases.list(),
    warnings: [
      ...host.warnings.map((problem) => `${problem.where}: ${problem.message}`),
      ...measured.ended.warnings,
    ],
  };
}

function sourceOf(context: RunContext): RunFacts['source'] {
  const { repository, headCommit, baseCommit, ref, eventName, pullRequest, runUrl, githubRunId, runAttempt } =
    context;
  return { repository, headCommit, baseCommit, ref, eventName, pullRequest, runUrl, githubRunId, runAttempt };
}
