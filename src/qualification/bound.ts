import { sha256Of } from '../base/sha256.ts';
import type { Plan } from '../model/plan.ts';
import type { Bound } from '../model/qualification.ts';
import { documentDigest } from '../plan/document-digest.ts';
import { givenPercent } from '../stats/rounding.ts';
import { ASKED_FIELDS, compareFingerprints, type Fingerprint } from '../verdict/fingerprint.ts';

/** These may differ between a qualification and a run. */
const NOT_BOUND: ReadonlySet<string> = new Set(ASKED_FIELDS);

interface BoundFacts {
  readonly suite: string;
  readonly skillruntime: string;
  readonly target: string;
  /** Null for a target inside the runtime. */
  readonly targetEndpoint: string | null;
  /** The target's contract document. */
  readonly contract: Readonly<Record<string, unknown>>;
  readonly fingerprint: Fingerprint;
  readonly asked: Asked;
  readonly tool: Bound['tool'];
}

type Asked = NonNullable<Bound['asked']>;

/**
 * What makes a policy good or bad in a run: its floors, and the settings of its episodes. With other ones nothing was
 * shown. How time-outs count is not among them: the control for it looks at the outcome itself. Pure.
 */
export function askedOf(
  limits: Plan['limits'],
  { minSuccessRate, minTaskSuccessRate }: Pick<Plan['thresholds'], 'minSuccessRate' | 'minTaskSuccessRate'>,
): Asked {
  return {
    'min-success-rate': minSuccessRate,
    'min-task-success-rate': minTaskSuccessRate,
    'max-steps': limits.maxSteps,
    'max-policy-calls': limits.maxPolicyCalls,
    'replan-every-steps': limits.replanEverySteps,
    'action-chunk-mode': limits.actionChunkMode,
  };
}

/** What a qualification on this host, now, would hold for. Pure. */
export function boundOf(facts: BoundFacts): Bound {
  const { suite, skillruntime, target, targetEndpoint, asked, tool } = facts;
  return {
    suite,
    skillruntime,
    target,
    targetEndpointSha256: endpointDigest(targetEndpoint),
    contractSha256: documentDigest(facts.contract),
    fingerprint: withoutPlanFields(facts.fingerprint),
    asked,
    tool,
  };
}

/** As a qualification keeps the endpoint of a target; null for a target inside the runtime. Pure. */
export function endpointDigest(endpoint: string | null): string | null {
  return endpoint === null ? null : sha256Of(endpoint);
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
    ...askedDifferences(then.asked, now.asked),
    ...told('the version of Rollout Bench', then.tool.version, now.tool.version),
    ...changed('the build of Rollout Bench', then.tool.distHash, now.tool.distHash),
  ];
}

/** What is asked on one side and not on the other is a difference like any other; in words. Pure. */
export function askedDifferences(then: Asked | undefined, now: Asked | undefined): string[] {
  if (then === undefined || now === undefined)
    return then === now ? [] : ['floors and step limits that it was made with are not known'];
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((name) => (then[name] ?? null) !== (now[name] ?? null))
    .map((name) => `${name} was ${askedText(name, then[name])}, now it is ${askedText(name, now[name])}`);
}

function askedText(name: string, value: Asked[string] | undefined): string {
  if (value == null) return 'not set';
  return name.endsWith('-rate') && typeof value === 'number' ? `${givenPercent(value)} %` : String(value);
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
