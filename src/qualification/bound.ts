import { createHash } from 'node:crypto';
import { documentDigest } from '../plan/document-digest.ts';
import { ASKED_FIELDS, compareFingerprints, type Fingerprint } from '../verdict/fingerprint.ts';
import type { Bound } from './qualification.ts';

/** These may differ between a qualification and a run. */
const NOT_BOUND: ReadonlySet<string> = new Set(ASKED_FIELDS);

export interface BoundFacts {
  readonly suite: string;
  readonly skillruntime: string;
  readonly target: string;
  /** Null for a target inside the runtime. */
  readonly targetEndpoint: string | null;
  /** The target's contract document. */
  readonly contract: Readonly<Record<string, unknown>>;
  readonly fingerprint: Fingerprint;
  readonly tool: Bound['tool'];
}

/** What a qualification on this host, now, would hold for. Pure. */
export function boundOf(facts: BoundFacts): Bound {
  const { suite, skillruntime, target, targetEndpoint, tool } = facts;
  return {
    suite,
    skillruntime,
    target,
    targetEndpointSha256: endpointDigest(targetEndpoint),
    contractSha256: documentDigest(facts.contract),
    fingerprint: withoutPlanFields(facts.fingerprint),
    tool,
  };
}

/** As a qualification keeps the endpoint of a target; null for a target inside the runtime. Pure. */
export function endpointDigest(endpoint: string | null): string | null {
  return endpoint === null ? null : createHash('sha256').update(endpoint, 'utf8').digest('hex');
}

/** The target's part of a protocol fingerprint. Pure. */
export function withoutPlanFields(fingerprint: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fingerprint).filter(([name]) => !NOT_BOUND.has(name)));
}

/** In what a qualification differs from what is there now, in words; empty when it holds. Pure. */
export function boundDifferences(then: Bound, now: Bound): string[] {
  const told = (name: string, before: string | null, after: string | null): string[] =>
    before === after ? [] : [`${name} was ${before ?? 'unknown'}, now it is ${after ?? 'unknown'}`];
  const changed = (name: string, before: string | null, after: string | null): string[] =>
    before === after ? [] : [`${name} is another one`];
  return [
    ...told('the suite', then.suite, now.suite),
    ...told('the target', then.target, now.target),
    ...told('the skill runtime', then.skillruntime, now.skillruntime),
    ...changed("the target's endpoint", then.targetEndpointSha256, now.targetEndpointSha256),
    ...changed("the target's contract", then.contractSha256, now.contractSha256),
    ...fingerprintDifferences(then.fingerprint, now.fingerprint).map(
      (field) => `the target's fingerprint differs in ${field}`,
    ),
    ...told('the version of Rollout Bench', then.tool.version, now.tool.version),
    ...changed('the build of Rollout Bench', then.tool.distHash, now.tool.distHash),
  ];
}

/**
 * Fields in which what was shown is not what is there, for both sides as `withoutPlanFields`. What is known on one side
 * only is a difference; what nobody knows on either is none. Tasks are compared where both sides name them. Pure.
 */
export function fingerprintDifferences(
  then: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string[] {
  const { differing, unestablished } = compareFingerprints(then, now);
  const oneSided = unestablished.filter((name) => (then[name] ?? null) !== (now[name] ?? null));
  return [...differing, ...oneSided.map((name) => `${name} (known on one side only)`)];
}

/** Is a qualification about the same pair and suite at all? Pure. */
export function isAbout(then: Bound, now: Pick<Bound, 'suite' | 'target' | 'skillruntime'>): boolean {
  return then.suite === now.suite && then.target === now.target && then.skillruntime === now.skillruntime;
}
