import { benchmarkBlock } from './benchmark-shape.ts';
import type { Dialect } from './dialect.ts';
import {
  absent,
  anyMapping,
  bool,
  choice,
  float,
  integer,
  listOf,
  mapping,
  maybe,
  optional,
  refined,
  required,
  type Shape,
  type ShapeOf,
  text,
  time,
} from './shape.ts';
import { executionRecord, verificationContract, verificationState } from './verification-shape.ts';

const JUNE_STATUSES = [
  'pending',
  'claimed',
  'preflight_checking',
  'running',
  'finalizing',
  'succeeded',
  'failed',
  'timed_out',
  'cancelling',
  'cancelled',
  'rejected',
] as const;

const JULY_STATUSES = [...JUNE_STATUSES, 'awaiting_verification', 'verifying', 'replanned'] as const;

const AUGUST_STATUSES = [...JULY_STATUSES, 'awaiting_replan'] as const;

export type SessionStatus = (typeof AUGUST_STATUSES)[number];

const TERMINAL: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'rejected',
  'replanned',
]);

/** Whether the runtime is done with a session in this state for good. */
export function isTerminal(status: string): boolean {
  return TERMINAL.has(status);
}

const timeouts = mapping(
  {
    queue_timeout_s: optional(float(), () => 30),
    preflight_timeout_s: optional(float(), () => 20),
    execute_timeout_s: optional(float(), () => 300),
    policy_timeout_s: optional(float(), () => 5),
  },
  'ignore',
);

const retry = mapping(
  { max_retries: optional(integer(), () => 0), attempted: optional(integer(), () => 0) },
  'ignore',
);

const routing = mapping(
  {
    target_endpoint: maybe(text()),
    policy_endpoint: maybe(text()),
    adapter_resolution: optional(choice(['strict_auto', 'strict_override']), () => 'strict_auto'),
    adapter_overrides: maybe(anyMapping()),
  },
  'refuse',
);

const executionKeys = {
  max_steps: optional(integer(), () => 600),
  control_hz: maybe(float()),
  replan_every: optional(integer(), () => 8),
  replan_every_steps: maybe(integer()),
  action_chunk_mode: optional(choice(['chunk_buffer', 'open_loop', 'single_step']), () => 'chunk_buffer'),
  chunk_switch_mode: optional(choice(['soft_blend', 'hard_switch']), () => 'hard_switch'),
};
const execution = mapping(executionKeys, 'ignore');

const hints = {
  perception_queries: optional(listOf(anyMapping()), () => []),
  force_environment_refresh: optional(bool(), () => false),
  preferred_replan_every_steps: maybe(integer()),
};

const safetyProfile = mapping(
  {
    profile: optional(text(), () => 'default'),
    workspace_bounds: maybe(text()),
    stop_on_policy_timeout: optional(bool(), () => true),
  },
  'ignore',
);

const result = {
  status: maybe(text()),
  success: maybe(bool()),
  num_steps: maybe(integer()),
  return_value: maybe(float()),
  mean_policy_latency_ms: maybe(float()),
  artifact_dir: maybe(text()),
  error_code: maybe(text()),
  error_message: maybe(text()),
  trace_path: maybe(text()),
  metadata: optional(anyMapping(), () => ({})),
};

const juneKeys = {
  session_id: required(text()),
  goal_id: maybe(text()),
  parent_goal_id: maybe(text()),
  horizon: maybe(choice(['short_term', 'long_term'])),
  target_ref: required(text()),
  skillruntime_ref: required(text()),
  task_description: required(text()),
  priority: optional(choice(['low', 'normal', 'high']), () => 'normal'),
  created_at: maybe(time()),
  updated_at: maybe(time()),
  claimed_by: maybe(text()),
  claim_token: maybe(text()),
  timeouts: optional(timeouts, () => defaults(timeouts)),
  retry: optional(retry, () => defaults(retry)),
  depends_on: optional(listOf(text()), () => []),
  routing: optional(routing, () => defaults(routing)),
  execution: optional(execution, () => defaults(execution)),
  safety_profile: optional(safetyProfile, () => defaults(safetyProfile)),
};

/** What a mapping is when it is not there: every key at its default. */
function defaults<T>(shape: Shape<T>): T {
  const value = shape({}, { path: [], issues: [] });
  // Only called for mappings without required keys, which accept an empty one.
  return value as T;
}

const juneHints = mapping(hints, 'ignore');
const augustHints = mapping({ ...hints, gateway_action: optional(anyMapping(), () => ({})) }, 'ignore');
const juneResult = mapping(result, 'ignore');
const augustResult = mapping(
  {
    ...result,
    execution: maybe(executionRecord),
    verification: optional(verificationState, () => defaults(verificationState)),
  },
  'ignore',
);

const juneSession = mapping(
  {
    ...juneKeys,
    status: optional(choice(JUNE_STATUSES), () => 'pending'),
    runtime_hints: optional(juneHints, () => defaults(juneHints)),
    result: optional(juneResult, () => defaults(juneResult)),
  },
  'ignore',
);

const julyExecution = mapping(
  {
    ...executionKeys,
    steps: maybe(listOf(anyMapping())),
    timeline: maybe(listOf(anyMapping())),
    reset_policy: optional(choice(['session_runner', 'skillruntime_managed']), () => 'session_runner'),
  },
  'ignore',
);

const julySession = mapping(
  {
    ...juneKeys,
    parent_session_id: maybe(text()),
    replan_attempt: optional(integer({ min: 0 }), () => 0),
    verification_profile: optional(choice(['strict', 'audit', 'recovery']), () => 'strict'),
    status: optional(choice(JULY_STATUSES), () => 'pending'),
    execution: optional(julyExecution, () => defaults(julyExecution)),
    runtime_hints: optional(juneHints, () => defaults(juneHints)),
    benchmark: maybe(benchmarkBlock),
    result: optional(juneResult, () => defaults(juneResult)),
  },
  'refuse',
);

const augustSession = refined(
  mapping(
    {
      ...juneKeys,
      parent_session_id: maybe(text()),
      replan_attempt: optional(integer({ min: 0 }), () => 0),
      verification: absent(verificationContract),
      verification_profile: maybe(choice(['strict', 'audit', 'recovery'])),
      status: optional(choice(AUGUST_STATUSES), () => 'pending'),
      runtime_hints: optional(augustHints, () => defaults(augustHints)),
      result: optional(augustResult, () => defaults(augustResult)),
    },
    'refuse',
  ),
  (session) => {
    const id = session.session_id.trim();
    if (id === '' || id === '.' || id === '..' || /[/\\]/.test(id)) {
      return {
        code: 'RB210',
        statement: 'it must be usable as a file name (not empty, no slashes, not a dot or two)',
        at: 'session_id',
      };
    }
    return profileProblem(session);
  },
);

function profileProblem(session: {
  readonly verification: unknown;
  readonly verification_profile: string | null;
  readonly task_description: string;
}): { code: 'RB211'; statement: string; at: string } | null {
  if (session.verification_profile === null) return null;
  const at = 'verification_profile';
  if (session.verification !== null)
    return { code: 'RB211', statement: 'it cannot stand beside `verification`', at };
  const needsGoal = session.verification_profile !== 'strict' && session.task_description.trim() === '';
  return needsGoal ? { code: 'RB211', statement: 'it needs a task_description', at } : null;
}

export type JuneSession = ShapeOf<typeof juneSession>;

export const SESSION_SHAPES = {
  august: augustSession,
  july: julySession,
  june: juneSession,
} as const satisfies Record<Dialect, unknown>;
