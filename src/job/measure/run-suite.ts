import { stableJson } from '../../base/stable-json.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import type { BundleDocument } from '../../bundle/seal.ts';
import { writeOnce } from '../../files/write-once.ts';
import { holderText } from '../../lane/lane.ts';
import { isHeldOutPlan } from '../../model/plan.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { shardCaps, shardPositions } from '../../plan/shard.ts';
import { hostFacts } from '../../platform/host-facts.ts';
import { executePlan } from '../../queue/execute.ts';
import type { ExecutionInput } from '../../queue/execution.ts';
import type { ExecutionEnd } from '../../queue/machine/job.ts';
import { secretMasker } from '../../screen/secret-scan.ts';
import { stopProcess } from '../../verdict/early-stop.ts';
import { underReservation } from '../authorize/reserved-run.ts';
import { policyDigest } from '../prepare/policies.ts';
import { lookAtWorkspace, measuredDigest, type WorkspaceLook } from '../prepare/workspace-look.ts';
import { againCommand } from '../runs/again.ts';
import { chooseAttempt, type Identity } from '../runs/attempts.ts';
import { countAttempts } from '../runs/count-attempts.ts';
import { whyStaysSealed } from '../runs/reopen.ts';
import { sealRun } from './build-bundle.ts';
import { hostProbes } from './host-probes.ts';
import { jobProgress } from './job-progress.ts';
import { queueSettings } from './queue-settings.ts';
import { recorderFor } from './recorder-for.ts';
import { refuseKnownSecrets } from './refuse-secrets.ts';
import { runFacts } from './suite-facts.ts';
import type { SuiteRun, SuiteRunRequest } from './suite-run.ts';
import { endAttempt, guardAttempt, type WatchedAttempt } from './watch-attempt.ts';
import { type LoadWatch, underLoadWatch } from './watch-load.ts';
import { nothingMovesIn } from './why-refused.ts';

/** Executes a plan and makes its bundle. Sealed when every cell was dealt with; otherwise it can be resumed. */
export function runSuite(request: SuiteRunRequest): Promise<SuiteRun> {
  return underReservation(request.authority.reservation ?? null, () => measureSuite(request));
}

async function measureSuite(request: SuiteRunRequest): Promise<SuiteRun> {
  const { host, plan, runId, clock, phases, policies, secrets } = request;
  const declared = { 'policy-ref': request.inputs.policyRef };
  const screen = request.heldOut?.guard ?? null;
  refuseKnownSecrets({ plan, policies, secrets, declared, screen });
  const attempt = await beginAttempt(request);
  const { digest, bundleDir } = attempt;
  const startedAt = new Date(clock.now()).toISOString();
  // Before the first episode: afterwards the simulator's own memory would count, and an interrupted run has no time.
  const machine = await hostFacts();
  const began = clock.now();
  const { result: measured, load } = await underLoadWatch({ clock, gpus: machine.gpus }, (watch) =>
    guardAttempt(attempt, () => execute(request, attempt, watch)),
  );
  phases.add(`${isHeldOutPlan(plan) ? 'held-out ' : ''}rollouts of ${plan.suite}`, clock.now() - began);
  const ended = await endAttempt(attempt, measured);
  const { end, documents } = await heldOutToo(request, attempt, measured);
  const run = await runFacts(request, {
    digest,
    attempt: attempt.attempt,
    startedAt,
    machine: { ...machine, load },
    ended,
    look: attempt.before,
    attempts: attempt.attempts,
  });
  const sealed = await guardAttempt(attempt, () =>
    sealRun({
      workspace: host.workspace,
      bundleDir,
      plan,
      run,
      stopBaseline: request.stopBaseline?.kept ?? null,
      documents: [...request.authority.documents, ...documents],
      screen,
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
    again: goingOn(request),
    attempt: attempt.attempt,
    bundleDir,
    end,
    stopBaseline,
    sealed,
  };
}

/** The held-out cells follow the public ones: as long as they are not done, the attempt is not either. */
async function heldOutToo(
  { heldOut, runId }: SuiteRunRequest,
  attempt: Attempt,
  end: ExecutionEnd,
): Promise<{ end: ExecutionEnd; documents: readonly BundleDocument[] }> {
  if (heldOut == null || end.end !== 'complete') return { end, documents: [] };
  const held = await heldOut.measure({ runId, attempt: attempt.attempt, resume: attempt.resume });
  if (held.end === null || held.end.end === 'complete') return { end, documents: held.documents };
  return { end: { ...held.end, reason: `held-out cells: ${held.end.reason}` }, documents: [] };
}

interface Attempt extends WatchedAttempt {
  readonly digest: string;
  readonly identity: Identity;
  /** Null for a shard, which is one of several runs of one measurement. */
  readonly attempts: NonNullable<RunFacts['attempts']> | null;
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
    mayBegin: (await request.authority.reservation?.isUnused()) ?? false,
    staysSealed: whyStaysSealed,
    signal,
  });
  await request.authority.reservation?.begin(choice);
  if (choice.fresh !== null) log.warning(`An unfinished attempt is not continued: ${choice.fresh}.`);
  for (const { attempt } of choice.resume)
    log.info(`Continuing attempt ${attempt}; finished episodes are kept.`);
  const attempts = await attemptsHere(request, choice.attempt);
  const planned = shardPositions(plan, inputs.shard).length;
  const secrets = secretMasker(request.secrets);
  const mask = (text: string): string => secrets(request.heldOut?.guard.mask(text) ?? text);
  return { ...choice, host, runId, planned, before, mask, clock, log, signal, digest, identity, attempts };
}

async function attemptsHere(
  { host, plan, runId, inputs, context }: SuiteRunRequest,
  attempt: number,
): Promise<Attempt['attempts']> {
  if (inputs.shard !== null) return null;
  const { workspace } = host;
  return countAttempts({ workspace, runId, attempt, suite: plan.suite, headCommit: context.headCommit });
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

async function execute(request: SuiteRunRequest, attempt: Attempt, watch: LoadWatch): Promise<ExecutionEnd> {
  const { bundleDir } = attempt;
  // Before anything is queued: a killed attempt leaves no other trace of what it meant to do.
  await writeOnce(bundleDir, BUNDLE_FILES.plan, stableJson(request.plan));
  const recorder = request.recordsPolicies ? recorderFor(bundleDir, request.policies) : null;
  try {
    const onOthers = (count: number): void => watch.othersAre(count);
    return await executePlan({ ...executionInput(request, attempt), recorder, onOthers });
  } finally {
    await recorder?.close();
  }
}

/** Held-out cells go on with the public run that they belong to. */
function goingOn({ inputs, context, plan, runId, heldOutOf }: SuiteRunRequest): string {
  return againCommand({ inputs, context, suite: plan.suite, runId: heldOutOf?.runId ?? runId });
}

function executionInput(request: SuiteRunRequest, attempt: Attempt): ExecutionInput {
  const { host, plan, found, runId, inputs, policies, lane, clock, log, signal } = request;
  return {
    workspace: host.workspace,
    bundleDir: attempt.bundleDir,
    runId,
    again: goingOn(request),
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
    probes: hostProbes(host, policies),
    clock,
    log,
    signal,
    onProgress: jobProgress(plan, log),
    mask: attempt.mask,
    caps: shardCaps(plan, inputs.shard),
    earlyStop: plan.earlyStop === true ? stopProcess(plan, request.stopBaseline?.records ?? null) : null,
    diagnose: nothingMovesIn(host.workspace),
  };
}
