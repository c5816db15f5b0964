import { errorOf } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Arm } from '../../model/plan.ts';
import type { ArmFacts } from '../../model/run-facts.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { parsePolicyEndpoint } from '../../policy/endpoint.ts';
import { expectationMismatches } from '../../policy/expectation.ts';
import type { PolicyIdentity } from '../../policy/metadata.ts';
import { metadataChanges } from '../../policy/metadata-changes.ts';
import { probePolicy, samePolicy, waitForPolicy } from '../../policy/probe.ts';
import type { StartedPolicy } from '../../policy-process/policy-arms.ts';
import type { Complaint } from '../../queue/machine/job.ts';
import { complaintText } from './complaint-text.ts';
import type { PolicySource, PolicySources } from './policy-source.ts';

const PROBE_TIMEOUT_MS = 20_000;

/** One policy under test and who it said it was before the run. */
export interface ArmPolicy {
  readonly arm: Arm;
  readonly endpoint: string;
  readonly before: PolicyIdentity;
  /** The run's own hold on it; null: somebody else serves it. */
  readonly started: StartedPolicy | null;
}

interface PolicyRequest {
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
  return { arm, endpoint, before, started: null };
}

/**
 * Refuses a comparison of a policy with itself, unless that is wanted: two runs of one policy that are sold as a
 * comparison cost twice and say nothing.
 * @throws RbError RB353 (exit 3) when the arms share an endpoint or their metadata is the same.
 */
export function requireTwoPolicies(
  met: readonly ArmPolicy[],
  aaTest: boolean,
  sources: PolicySources = {},
): void {
  const [first, second] = met;
  if (first === undefined || second === undefined || aaTest) return;
  const why = whySame(first, second, sources);
  if (why === null) return;
  throw errorOf('RB353', {
    where: 'inputs policy-endpoint, baseline-endpoint',
    message: `both arms are the same policy: ${why}.`,
    fix: 'Serve the baseline at its own endpoint (or check the base out for baseline-command), or set baseline: same to hold one policy against itself.',
  });
}

function whySame(first: ArmPolicy, second: ArmPolicy, sources: PolicySources): string | null {
  const [head, base] = [sources.candidate, sources.baseline];
  // What both were started from is known better than by metadata that says nothing of it.
  if (head !== undefined && base !== undefined) return whySameSource(head, base);
  if (addressOf(first.endpoint) === addressOf(second.endpoint)) return 'they have the same endpoint';
  const digest = first.before.digest;
  return digest !== null && digest === second.before.digest ? `both say they are ${digest}` : null;
}

function whySameSource(head: PolicySource, base: PolicySource): string | null {
  if (head.command !== base.command) return null;
  if (head.directory === base.directory) return `both are started by one command in ${head.directory}`;
  const [mine, other] = [head.checkout, base.checkout];
  const isClean = mine?.hasChanges === false && other?.hasChanges === false;
  return isClean && mine.commit === other.commit
    ? `both are started by one command from commit ${mine.commit}`
    : null;
}

/** Where the runtime connects to, whatever the endpoint's scheme. */
function addressOf(endpoint: string): string {
  const parsed = parsePolicyEndpoint(endpoint);
  if (!parsed.ok) return endpoint;
  return parsed.kind === 'dummy' ? 'dummy' : parsed.url.replace('//localhost:', '//127.0.0.1:');
}

/** Does the policy answer, as the one it was before the run? `null` is yes, or that its metadata tells nothing else. */
export async function policyAnswers(
  { arm, endpoint, before, started }: ArmPolicy,
  signal: AbortSignal,
): Promise<Complaint | null> {
  if (started?.isAway === true) return null;
  const own = started?.complaint() ?? null;
  if (own !== null) return { ...own, changed: false };
  try {
    const now = await probePolicy(endpoint, { timeoutMs: PROBE_TIMEOUT_MS, signal });
    const change = changeOf(before, now);
    return change === null ? null : { why: `${arm}: ${change}`, changed: true };
  } catch (error) {
    return { why: complaintText(error), changed: false };
  }
}

/**
 * Asks the policy again after the run. A policy that has gone meanwhile is unknown, not changed; so is one that was not
 * asked, because an interrupted run has no time to wait for an answer.
 */
export async function leavePolicy(policy: ArmPolicy, inputs: Inputs, signal: AbortSignal): Promise<ArmFacts> {
  const after = await identityAfter(policy, signal);
  const declared = policy.arm === 'candidate';
  return {
    arm: policy.arm,
    endpoint: policy.endpoint,
    policyRef: declared ? inputs.policyRef : null,
    checkpointDigest: declared ? inputs.digests.checkpoint : null,
    imageDigest: declared ? inputs.digests.image : null,
    metadataBefore: metadataOf(policy.before),
    metadataAfter: after === null ? null : metadataOf(after),
    changed: after === null ? null : changeOf(policy.before, after),
  };
}

async function identityAfter(
  { endpoint, started }: ArmPolicy,
  signal: AbortSignal,
): Promise<PolicyIdentity | null> {
  if (started?.isAway === true) return started.leftAs;
  if (signal.aborted) return null;
  return probePolicy(endpoint, { timeoutMs: PROBE_TIMEOUT_MS, signal }).catch(() => null);
}

function metadataOf(identity: PolicyIdentity): ArmFacts['metadataBefore'] {
  return identity.kind === 'metadata' ? identity.metadata : null;
}

function changeOf(before: PolicyIdentity, after: PolicyIdentity): string | null {
  if (samePolicy(before, after) !== false) return null;
  const differing = [
    ...metadataChanges(before.metadata, after.metadata, [...before.volatile, ...after.volatile]),
    ...expectationMismatches({ digest: before.digest, pairs: [] }, after),
  ];
  return `the policy's metadata changed during the run: ${differing.join('; ') || 'another kind of policy answers'}`;
}

/** Digests of the policies' metadata as they were met, by arm; null where a policy sends none. */
export function policyDigests(policies: readonly ArmPolicy[]): Partial<Record<Arm, string | null>> {
  return Object.fromEntries(policies.map(({ arm, before }) => [arm, before.digest]));
}

/** What identifies a policy for a resume; null when it sends nothing that could. */
export function policyDigest(policy: ArmPolicy): string | null {
  return policy.before.kind === 'dummy' ? 'dummy' : policy.before.digest;
}
