import { canonicalDigest, canonicalJson } from '../base/canonical-json.ts';
import type { Plan } from '../model/plan.ts';
import { type TaskNames, taskFields, taskFieldText } from './task-identity.ts';

/**
 * The protocol fingerprint: everything that changes a score and that can be observed, as named fields. Null is
 * unknown. What differs between the arms on purpose (policy, checkpoint) is no part of it, nor are the cells:
 * pairing deals with those.
 */
type FingerprintValue = string | number | boolean | null;
export type Fingerprint = Readonly<Record<string, FingerprintValue>>;

/** Each field and what goes wrong when it silently differs. */
const FINGERPRINT_FIELDS = {
  benchmark: 'another benchmark',
  suite: 'another suite',
  max_steps: 'a small cap cuts episodes off, a large one inflates the rate',
  settle_steps: 'objects still falling when the policy starts',
  max_policy_calls: 'episodes end before the simulator step cap',
  replan_every_steps: 'longer open-loop stretches cost up to 20 points',
  action_chunk_mode: 'how chunks are executed',
  timeouts_as: 'wall-clock timeouts in or out of the denominator',
  harness: 'the program that ran the episodes',
  runtime_version: 'runtime generation or version',
  simulator: 'simulator runtime that answered',
  simulator_versions: 'versions of simulator packages; another physics version has halved a rate',
  observation_schema: 'what the policy sees; digest',
  action_contract: 'shape, frame and normalisation of actions; digest',
  action_frame: 'an action in the frame of the base moves another way in that of the world',
  control_rate: 'how long an action lasts',
  described_settings: 'whatever else the target says of itself; digest',
  init_state_source: 'which initial-state files were used; digest',
  env_seed: 'changes object positions even with a fixed initial state',
  policy_seed: 'noise of sampling policies',
  environments: 'vector environments change which seed meets which state',
  success_rule: 'any step, last step or held',
  image_processing: 'resolution, rotation and crop of the images',
  gl_backend: 'pixels differ between rendering backends',
  gl_renderer: 'pixels differ between drivers and GPUs',
} as const;
type FingerprintField = keyof typeof FINGERPRINT_FIELDS;

const CONFIG_PREFIX = 'config.';
/** What proves which cell ran. Only there when it is not the simulator's own account, so that older fingerprints stay. */
const EVIDENCE = 'evidence';

/** Settings of a plan that say how much is asked of a policy, not what answers. */
export const ASKED_FIELDS = [
  'max_steps',
  'settle_steps',
  'max_policy_calls',
  'replan_every_steps',
  'action_chunk_mode',
  'timeouts_as',
] as const satisfies readonly FingerprintField[];

const PLANNED_FIELDS = ['benchmark', 'suite', ...ASKED_FIELDS] as const satisfies readonly FingerprintField[];

/** Fields that only an observer of the run can fill. Objects and lists are digested. */
type ObservedProtocol = Partial<Record<Exclude<FingerprintField, (typeof PLANNED_FIELDS)[number]>, unknown>>;

/**
 * The fingerprint of a run of this plan: the plan's own settings, `config.<key>` for each key of the target config,
 * and what was observed; the rest is unknown. What the target calls its tasks is in fields of their own, since two runs
 * may share only some tasks; their languages are compared with the records (task-identity.ts).
 */
export function fingerprintOf(
  plan: Plan,
  observed: ObservedProtocol,
  tasks: readonly TaskNames[] = [],
): Fingerprint {
  const { limits } = plan;
  const planned: Record<(typeof PLANNED_FIELDS)[number], FingerprintValue> = {
    benchmark: plan.benchmark,
    suite: plan.suite,
    max_steps: limits.maxSteps,
    settle_steps: limits.settleSteps,
    max_policy_calls: limits.maxPolicyCalls,
    replan_every_steps: limits.replanEverySteps,
    action_chunk_mode: limits.actionChunkMode,
    timeouts_as: plan.timeoutsAs,
  };
  const unknown = Object.fromEntries(Object.keys(FINGERPRINT_FIELDS).map((field) => [field, null]));
  const seen = Object.entries(observed).map(([field, value]) => [field, fieldValue(value)] as const);
  const config = Object.entries(plan.targetConfig).map(
    ([key, value]) => [`${CONFIG_PREFIX}${key}`, fieldValue(value)] as const,
  );
  return {
    ...(plan.evidence === undefined ? {} : { [EVIDENCE]: plan.evidence }),
    ...unknown,
    ...Object.fromEntries(seen),
    ...Object.fromEntries(config),
    ...taskFields(plan, tasks),
    ...planned,
  };
}

/** sha256 of all fields, unknown ones included. Equal digests mean equal protocols as far as they were seen. */
export function fingerprintDigest(fingerprint: Readonly<Record<string, unknown>>): string {
  return canonicalDigest(fingerprint);
}

/** How two fingerprints relate, field by field, in the table's order. */
interface FingerprintComparison {
  /** Known on both sides and different: the runs are not comparable. */
  readonly differing: readonly string[];
  /** Unknown on at least one side: comparability is not established there. */
  readonly unestablished: readonly string[];
}

/**
 * Compares fingerprints as read from files: fields one side does not have are unknown, fields this version does not
 * know are compared too.
 */
export function compareFingerprints(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): FingerprintComparison {
  const known = Object.keys(FINGERPRINT_FIELDS);
  const extra = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (name) => !known.includes(name) && name !== EVIDENCE,
  );
  const differing: string[] = [];
  const unestablished: string[] = [];
  // A config is recorded as a whole, so a key that one side lacks is a difference and not a gap.
  const configs = [a, b].every((side) => Object.keys(side).some((name) => name.startsWith(CONFIG_PREFIX)));
  for (const name of [...known, ...extra.sort()]) {
    const left = a[name] ?? null;
    const right = b[name] ?? null;
    const task = taskFieldText(name);
    // Two runs need not share all tasks; what becomes of those without a name is said by `unknownTasks`.
    if (task !== null) {
      if (left !== null && right !== null && canonicalJson(left) !== canonicalJson(right))
        differing.push(task);
      continue;
    }
    if (configs && name.startsWith(CONFIG_PREFIX)) {
      if (canonicalJson(left) !== canonicalJson(right)) differing.push(name);
    } else if (left === null || right === null) unestablished.push(name);
    else if (canonicalJson(left) !== canonicalJson(right)) differing.push(name);
  }
  const kinds = [evidenceIn(a), evidenceIn(b)];
  if (kinds.includes('session') && kinds[0] !== kinds[1])
    (kinds.includes(null) ? unestablished : differing).push(EVIDENCE);
  return { differing, unestablished };
}

/** A fingerprint of ours without the field rests on the simulator's account; of another nobody can tell. */
function evidenceIn(fingerprint: Readonly<Record<string, unknown>>): string | null {
  const said = fingerprint[EVIDENCE];
  if (said !== undefined && said !== null) return canonicalJson(said).replaceAll('"', '');
  return typeof fingerprint.suite === 'string' ? 'simulator' : null;
}

function fieldValue(seen: unknown): FingerprintValue {
  if (seen === undefined || seen === null) return null;
  if (typeof seen === 'string' || typeof seen === 'boolean') return seen;
  if (typeof seen === 'number') return Number.isFinite(seen) ? seen : null;
  return digestOf(seen);
}

function digestOf(value: unknown): string {
  return canonicalDigest(value).slice(0, 16);
}
