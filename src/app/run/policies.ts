import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Arm } from '../../plan/plan.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { expectationMismatches } from '../../policy/expectation.ts';
import type { PolicyIdentity } from '../../policy/metadata.ts';
import { probePolicy, samePolicy, waitForPolicy } from '../../policy/probe.ts';
import type { ArmFacts } from '../../results/run-facts.ts';

const PROBE_TIMEOUT_MS = 20_000;

/** One policy under test and who it said it was before the run. */
export interface ArmPolicy {
  readonly arm: Arm;
  readonly endpoint: string;
  readonly before: PolicyIdentity;
}

export interface PolicyRequest {
  readonly arm: Arm;
  readonly endpoint: string;
  readonly inputs: Inputs;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Waits for a policy and records who it is.
 * @throws RbError RB350, RB351 when it does not answer within `policy-wait`, RB352 when it is another one than expected.
 */
export async function meetPolicy(request: PolicyRequest): Promise<ArmPolicy> {
  const { arm, endpoint, inputs, clock, log, signal } = request;
  const before = await waitForPolicy(endpoint, {
    timeoutMs: PROBE_TIMEOUT_MS,
    waitMs: inputs.policyWaitS * 1000,
    clock,
    log,
    signal,
    // Only the candidate is what the user names; a baseline is another policy on purpose.
    expect: arm === 'candidate' ? inputs.expectPolicy : null,
  });
  return { arm, endpoint, before };
}

/** Does the policy answer? `null` is yes. */
export async function policyAnswers(endpoint: string, signal: AbortSignal): Promise<string | null> {
  try {
    await probePolicy(endpoint, { timeoutMs: PROBE_TIMEOUT_MS, signal });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Asks the policy again after the run. A policy that has gone meanwhile is unknown, not changed; so is one that was not
 * asked, because an interrupted run has no time to wait for an answer.
 */
export async function leavePolicy(policy: ArmPolicy, inputs: Inputs, signal: AbortSignal): Promise<ArmFacts> {
  const after = signal.aborted
    ? null
    : await probePolicy(policy.endpoint, { timeoutMs: PROBE_TIMEOUT_MS, signal }).catch(() => null);
  const declared = policy.arm === 'candidate';
  return {
    arm: policy.arm,
    endpoint: policy.endpoint,
    policyRef: declared ? inputs.policyRef : null,
    checkpointDigest: declared ? inputs.checkpointDigest : null,
    imageDigest: declared ? inputs.imageDigest : null,
    metadataBefore: metadataOf(policy.before),
    metadataAfter: after === null ? null : metadataOf(after),
    changed: after === null ? null : changeOf(policy.before, after),
  };
}

function metadataOf(identity: PolicyIdentity): ArmFacts['metadataBefore'] {
  return identity.kind === 'metadata' ? identity.metadata : null;
}

function changeOf(before: PolicyIdentity, after: PolicyIdentity): string | null {
  if (samePolicy(before, after) !== false) return null;
  const differing = expectationMismatches({ digest: before.digest, pairs: [] }, after);
  return `the policy's metadata changed during the run: ${differing.join('; ') || 'another kind of policy answers'}`;
}

/** What identifies a policy for a resume; null when it sends nothing that could. */
export function policyDigest(policy: ArmPolicy): string | null {
  return policy.before.kind === 'dummy' ? 'dummy' : policy.before.digest;
}
