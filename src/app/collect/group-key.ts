import type { AttributedSession, KnownTarget } from './attribute.ts';
import type { FinishedSession } from './finished-session.ts';

/** What a session was measured with, its episode aside. Null is unknown. */
export interface Setting {
  readonly family: string;
  readonly skillruntime: string;
  readonly policyEndpoint: string | null;
  readonly targetEndpoint: string | null;
  readonly policyId: string | null;
  readonly verification: string | null;
  readonly safety: string | null;
  readonly execution: FinishedSession['execution'];
}

/** What a session says itself, then what its target says now. Pure. */
export function settingOf(session: FinishedSession, target: KnownTarget | undefined): Setting {
  const { skillruntime, policyId, verification, safety, execution } = session;
  const configured = target?.config['policy_endpoint'];
  return {
    family: target?.family ?? `unknown ${stemOf(session.target)}`,
    skillruntime,
    policyEndpoint: session.policyEndpoint ?? (typeof configured === 'string' ? configured : null),
    targetEndpoint: session.targetEndpoint ?? target?.endpoint ?? null,
    policyId,
    verification,
    safety,
    execution,
  };
}

/** Equal for sessions that may be put together: everything known must be equal, and unknown equals only unknown. Pure. */
export function groupKey({ cell }: AttributedSession, setting: Setting): string {
  const { execution, ...rest } = setting;
  return JSON.stringify([cell.suite, ...Object.values(rest), Object.entries(execution)]);
}

const fits = (left: unknown, right: unknown): boolean => left == null || right == null || left === right;

/**
 * May a session whose episode is unknown belong to sessions of this setting: same target family, skill runtime and
 * policy? What it does not say decides nothing, since a session that failed early says less. Pure.
 * @param stems of the group's targets, for one that TARGETS.md does not have.
 */
export function mayBelong(own: Setting, group: Setting, stems: ReadonlySet<string>): boolean {
  const stem = /^unknown (.*)$/s.exec(own.family)?.[1];
  // Of two targets that TARGETS.md does not have, nobody knows that they differ; one policy is what they share.
  const mayBeOne =
    group.family.startsWith('unknown ') &&
    own.policyEndpoint !== null &&
    own.policyEndpoint === group.policyEndpoint;
  const isFamily = stem === undefined ? own.family === group.family : stems.has(stem) || mayBeOne;
  if (!isFamily || own.skillruntime !== group.skillruntime) return false;
  return fits(own.policyEndpoint, group.policyEndpoint) && fits(own.policyId, group.policyId);
}

/** Are these also the same settings of execution and verifier, as far as both say them? Pure. */
export function sameProtocol(own: Setting, group: Setting): boolean {
  return (
    fits(own.verification, group.verification) &&
    fits(own.safety, group.safety) &&
    Object.entries(own.execution).every(([key, value]) => fits(value, group.execution[key]))
  );
}

/**
 * The id of a target without what marks its episode (`libero_t03_i007`, `libero--rb-0a1b2c3d`): how targets that are no
 * longer in TARGETS.md are told apart. Pure.
 */
export function stemOf(target: string): string {
  const bare = target.replace(/--rb-[0-9a-f]{8}$/, '');
  const stem = bare.replace(/[-_.]+(?:t|task)[-_]?\d+[-_.]+(?:i|s|init|state|ep)[a-z_]*?[-_]?\d+$/i, '');
  return stem === '' ? bare : stem;
}
