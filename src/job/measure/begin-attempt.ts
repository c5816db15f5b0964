import * as path from 'node:path';
import { resolveInside } from '../../files/atomic-file.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { planDigest } from '../../plan/make-plan.ts';
import { shardPositions } from '../../plan/shard.ts';
import { secretMasker } from '../../screen/secret-scan.ts';
import { policyDigest } from '../prepare/policies.ts';
import { lookAtWorkspace, measuredDigest, type WorkspaceLook } from '../prepare/workspace-look.ts';
import { type AttemptChoice, chooseAttempt, type Identity } from '../runs/attempts.ts';
import { countAttempts } from '../runs/count-attempts.ts';
import { whyStaysSealed } from '../runs/reopen.ts';
import type { PlanToMeasure } from './measured-plan.ts';
import type { WatchedAttempt } from './watch-attempt.ts';

export interface Attempt extends WatchedAttempt {
  readonly digest: string;
  readonly identity: Identity;
  /** Null for what is a part of something larger: a shard, a control. */
  readonly attempts: NonNullable<RunFacts['attempts']> | null;
}

/** Which attempt this is, what it continues, and how the workspace was before it wrote anything. */
export async function beginAttempt(request: PlanToMeasure): Promise<Attempt> {
  const { host, plan, runId, inputs, clock, log, signal } = request;
  const digest = planDigest(plan);
  const before = request.controlFolder === undefined ? await lookAtWorkspace(host) : null;
  const identity = identityOf(request, before);
  const choice = await placeOf(request, digest, identity);
  for (const { attempt } of choice.resume)
    log.info(`Continuing attempt ${attempt}; finished episodes are kept.`);
  const attempts = await attemptsHere(request, choice.attempt);
  const planned = shardPositions(plan, inputs.shard).length;
  const secrets = secretMasker(request.secrets);
  const mask = (text: string): string => secrets(request.heldOut?.guard.mask(text) ?? text);
  return { ...choice, host, runId, planned, before, mask, clock, log, signal, digest, identity, attempts };
}

/** The next attempt of a run. A control has one only, in a folder of the qualification. */
async function placeOf(request: PlanToMeasure, digest: string, identity: Identity): Promise<AttemptChoice> {
  const { host, plan, runId, inputs, controlFolder, log, signal } = request;
  const { workspace } = host;
  if (controlFolder !== undefined) {
    await resolveInside(workspace, path.dirname(controlFolder));
    return { attempt: 1, bundleDir: path.join(workspace, controlFolder), resume: [], fresh: null };
  }
  const { reservation } = request.authority;
  const choice = await chooseAttempt({
    workspace,
    runId,
    plan,
    planDigest: digest,
    identity,
    named: inputs.resume !== null,
    mayBegin: (await reservation?.isUnused()) ?? false,
    staysSealed: whyStaysSealed,
    signal,
  });
  await reservation?.begin(choice);
  if (choice.fresh !== null) log.warning(`An unfinished attempt is not continued: ${choice.fresh}.`);
  return choice;
}

async function attemptsHere(
  { host, plan, runId, inputs, context, controlFolder }: PlanToMeasure,
  attempt: number,
): Promise<Attempt['attempts']> {
  if (inputs.shard !== null || controlFolder !== undefined) return null;
  const { workspace } = host;
  return countAttempts({ workspace, runId, attempt, suite: plan.suite, headCommit: context.headCommit });
}

/** What a resume compares; nobody goes on with a control. */
function identityOf(
  { context, host, policies, recordsPolicies }: PlanToMeasure,
  before: WorkspaceLook | null,
): Identity {
  const met = Object.fromEntries(policies.map((policy) => [`${policy.arm} policy`, policyDigest(policy)]));
  if (before === null) return met;
  return {
    headCommit: context.headCommit,
    'target and skill runtime': measuredDigest(host, before),
    // Only where it is recorded: other runs are continued as ever.
    ...(recordsPolicies ? { 'record-policy': 'true' } : {}),
    ...met,
  };
}
