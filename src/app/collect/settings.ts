import type { Limits } from '../../model/plan.ts';
import { scoreConfig } from '../../plan/cell-config.ts';
import type { KnownTarget } from './attribute.ts';
import type { FinishedSession } from './finished-session.ts';
import { settingOf } from './group-key.ts';

/** What documents say a group was measured with. Null is unknown: nothing says it, or sessions differ. */
export interface GroupSettings {
  readonly limits: Limits;
  readonly targetConfig: Readonly<Record<string, unknown>>;
  readonly policyEndpoint: string | null;
  readonly targetEndpoint: string | null;
  readonly policyId: string | null;
  /** Where each known value stands, and what differs, by the name of the setting. */
  readonly stated: Readonly<Record<string, string>>;
}

type Said = readonly [value: string | number | null, where: string];

/** Values that a difference shows. */
const SHOWN = 5;

type Saying = (session: FinishedSession, target: KnownTarget | undefined) => Said;
type Is<T> = (value: unknown) => value is T;

/** Pure. `members` ran an episode: what they were given is what was measured. */
export function settingsOf(
  members: readonly FinishedSession[],
  targets: ReadonlyMap<string, KnownTarget>,
  suite: string,
): GroupSettings {
  const stated: Record<string, string> = {};
  const common = <T extends string | number>(name: string, say: Saying, is: Is<T>): T | null => {
    const said = members.map((session) => say(session, targets.get(session.target)));
    const { value, note } = commonOf(said, is);
    if (note !== null) stated[name] = note;
    return value;
  };
  const limits: Limits = {
    maxSteps: common('maxSteps', configSays('max_steps'), isPositive),
    settleSteps: common('settleSteps', configSays('num_steps_wait'), isCount),
    maxPolicyCalls: common('maxPolicyCalls', executionSays(['max_steps']), isPositive),
    // The first is what a session asks for; without it the runtime fills in the second.
    replanEverySteps: common(
      'replanEverySteps',
      executionSays(['replan_every_steps', 'replan_every']),
      isPositive,
    ),
    actionChunkMode: common('actionChunkMode', executionSays(['action_chunk_mode']), isText),
    sessionTimeoutS: common('sessionTimeoutS', saySessionTimeout, isNumber),
    policyTimeoutS: common('policyTimeoutS', sayPolicyTimeout, isNumber),
  };
  const outdated = outdatedLimit(limits, members);
  if (outdated !== null) stated['maxSteps'] = outdated;
  return {
    limits: outdated === null ? limits : { ...limits, maxSteps: null },
    targetConfig: commonConfig(members, targets, suite),
    policyEndpoint: common('policyEndpoint', sayPolicyEndpoint, isText),
    targetEndpoint: common('targetEndpoint', sayTargetEndpoint, isText),
    policyId: common('policyId', ({ policyId }) => [policyId, 'SESSIONS.md benchmark.policy_id'], isText),
    stated,
  };
}

/**
 * TARGETS.md is as it is now, and an episode that ran on beyond its limit was not measured under it. Null when none did.
 * The steps to settle may have been counted with the others.
 */
function outdatedLimit(
  { maxSteps, settleSteps }: Limits,
  members: readonly FinishedSession[],
): string | null {
  if (maxSteps === null) return null;
  const most = members.reduce((steps, { found }) => Math.max(steps, found.steps ?? 0), 0);
  if (most <= maxSteps + (settleSteps ?? 0)) return null;
  return `TARGETS.md config.max_steps says ${maxSteps} now, but an episode ran ${most} steps`;
}

/** The value that all sessions say, with its place; null with what differs, or with nothing said. */
function commonOf<T extends string | number>(
  said: readonly Said[],
  is: Is<T>,
): { readonly value: T | null; readonly note: string | null } {
  const values = [...new Set(said.map(([value]) => value))];
  const [value = null] = values;
  const where = said[0]?.[1] ?? '';
  if (values.length === 1 && is(value)) return { value, note: where };
  const known = values.filter((each) => each !== null);
  if (known.length === 0) return { value: null, note: null };
  return {
    value: null,
    note: `differs between sessions: ${known.slice(0, SHOWN).join(', ')}; ${where}`,
  };
}

const saySessionTimeout: Saying = ({ sessionTimeoutS }) => [
  sessionTimeoutS,
  'SESSIONS.md timeouts.execute_timeout_s',
];

const sayPolicyTimeout: Saying = ({ policyTimeoutS }) => [
  policyTimeoutS,
  'SESSIONS.md timeouts.policy_timeout_s',
];

const sayPolicyEndpoint: Saying = (session, target) => [
  settingOf(session, target).policyEndpoint,
  session.policyEndpoint === null
    ? 'TARGETS.md config.policy_endpoint, as it is now'
    : 'SESSIONS.md routing.policy_endpoint',
];

const sayTargetEndpoint: Saying = (session, target) => [
  settingOf(session, target).targetEndpoint,
  session.targetEndpoint === null
    ? 'TARGETS.md runtime.target_endpoint, as it is now'
    : 'SESSIONS.md routing.target_endpoint',
];

/** The first of these keys that an entry has. */
function executionSays(keys: readonly string[]): Saying {
  return ({ execution }) => {
    const key = keys.find((each) => execution[each] !== undefined);
    const value = key === undefined ? null : (execution[key] ?? null);
    return [typeof value === 'boolean' ? String(value) : value, `SESSIONS.md execution.${key ?? keys[0]}`];
  };
}

function configSays(key: string): Saying {
  return (_, target) => {
    const value = target?.config[key];
    return [typeof value === 'number' ? value : null, `TARGETS.md config.${key}, as it is now`];
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): value is number => typeof value === 'number' && value > 0;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isPositive = (value: unknown): value is number => isCount(value) && value > 0;

/** All targets of a group are of one family, so that one that is known speaks for all; none known: nothing is. */
function commonConfig(
  members: readonly FinishedSession[],
  targets: ReadonlyMap<string, KnownTarget>,
  suite: string,
): Readonly<Record<string, unknown>> {
  const known = members.map(({ target }) => targets.get(target));
  const [first] = known;
  if (first === undefined || known.some((target) => target === undefined)) return {};
  return Object.fromEntries(
    Object.entries(scoreConfig(first.config, suite, null)).filter(([, value]) => isJson(value)),
  );
}

/** A plan is JSON; what that cannot hold exactly is left out rather than said wrongly. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isJson);
}
