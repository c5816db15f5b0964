import { isRecord } from '../base/guards.ts';
import { plainMap } from '../base/plain-message.ts';

/** What a description says of the protocol, as far as it says anything; values are plain JSON. */
export type DescribedProtocol = Readonly<Record<string, unknown>>;

/**
 * What a server answers about its present session: the suite and task that it was configured for last, and the list of
 * tasks, which the plan takes over.
 */
const SESSION_KEYS: ReadonlySet<string> = new Set([
  'runtime',
  'benchmark_name',
  'suite',
  'suite_id',
  'task',
  'task_id',
  'task_index',
  'task_name',
  'task_description',
  'language',
  'instruction',
  'num_tasks',
  'task_list',
  'tasks',
  'init_state_id',
  'step_index',
  'status',
  'state',
  'busy',
  'configured',
  'started',
  // Settings of the last session; the plan has those of the next.
  'config',
  'max_steps',
  'num_steps_wait',
  'max_chunk_size',
  'camera_height',
  'camera_width',
  'record_dir',
  'record_fps',
]);

/** Clocks, counters and addresses: they differ between two answers of one server, or between two hosts. */
const VOLATILE =
  /^(?:.*_)?(?:session|episode|request|connection|trace)_id$|^(?:.*_)?time(?:stamp)?(?:_n?m?s)?$|^now$|^uptime|^seq$|(?:^|_)(?:pid|host|hostname|address|port|endpoint|url|path|dir)$/;

/** Fields of the protocol that a server may answer under their own names. */
const NAMED = [
  'init_state_source',
  'env_seed',
  'environments',
  'success_rule',
  'image_processing',
  'gl_backend',
  'gl_renderer',
];

const OBSERVATION_KEYS = ['observation_schema', 'observation_contract', 'observation_space'];
const ACTION_KEYS = ['action_contract', 'action_schema', 'action_space'];
const RATE_KEYS = ['control_hz', 'control_rate_hz', 'control_rate', 'control_freq', 'control_frequency'];
/** Longer texts are compared by their digest. */
const MAX_TEXT = 200;
/** A setting of the last session; what cells are given is part of the plan's target config. */
const SESSION_LIMIT = 'max_chunk_size';

/**
 * Everything in a decoded `target.describe` payload that can change a result: contracts of observations and actions, frame,
 * control rate, versions, and under `described_settings` whatever else is no state of a session. Pure.
 * @returns null when the payload is nested too deeply to be read.
 */
export function describedProtocol(payload: object): DescribedProtocol | null {
  const plain = plainMap(payload);
  if (plain === null) return null;
  const lasting = Object.fromEntries(Object.entries(plain).filter(([key]) => isLasting(key)));
  const action = withoutLimit(firstOf(lasting, ACTION_KEYS));
  const versions = Object.fromEntries(Object.entries(lasting).filter(([key]) => /versions?$/.test(key)));
  const taken = new Set([
    ...OBSERVATION_KEYS,
    ...ACTION_KEYS,
    ...RATE_KEYS,
    ...NAMED,
    ...Object.keys(versions),
  ]);
  const rest = Object.fromEntries(Object.entries(lasting).filter(([key]) => !taken.has(key)));
  return knownParts({
    observation_schema: firstOf(lasting, OBSERVATION_KEYS),
    action_contract: action,
    action_frame: isRecord(action) ? action.frame : null,
    control_rate: firstOf({ ...(isRecord(action) ? action : {}), ...lasting }, RATE_KEYS),
    simulator_versions: Object.keys(versions).length === 0 ? null : versions,
    ...Object.fromEntries(NAMED.map((key) => [key, lasting[key]])),
    described_settings: rest,
  });
}

function isLasting(key: string): boolean {
  return NAMED.includes(key) || !(SESSION_KEYS.has(key) || VOLATILE.test(key.toLowerCase()));
}

function firstOf(map: Readonly<Record<string, unknown>>, keys: readonly string[]): unknown {
  return keys.map((key) => map[key]).find((value) => value !== undefined && value !== null) ?? null;
}

function withoutLimit(action: unknown): unknown {
  if (!isRecord(action)) return action;
  const { [SESSION_LIMIT]: _limit, ...contract } = action;
  return contract;
}

/** Without what is not said. A long text is put into a map, so that the fingerprint has its digest. */
function knownParts(map: Readonly<Record<string, unknown>>): DescribedProtocol {
  return Object.fromEntries(
    Object.entries(map)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => [
        key,
        typeof value === 'string' && value.length > MAX_TEXT ? { text: value } : value,
      ]),
  );
}
