import * as z from 'zod';
import {
  bool,
  type FreeMap,
  float,
  freeMap,
  integer,
  moment,
  optional,
  text,
  withoutNulls,
} from './loose-values.ts';
import { augustResult, juneResult, type SessionResult, trimmed, verification } from './result-schema.ts';

export type { ExecutionRecord, SessionResult } from './result-schema.ts';

/** The two generations of the runtime's documents (runtime-protocol 7). */
export type Dialect = 'august' | 'june';

const COMMON_STATUSES = [
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
const AUGUST_STATUSES = ['awaiting_verification', 'verifying', 'awaiting_replan', 'replanned'] as const;

export type SessionStatus = (typeof COMMON_STATUSES)[number] | (typeof AUGUST_STATUSES)[number];

const timeouts = z.object({
  queue_timeout_s: whole(30),
  preflight_timeout_s: whole(20),
  execute_timeout_s: whole(300),
  policy_timeout_s: whole(5),
});

/** A float with a default; the default goes through the same conversion as a value. */
function whole(value: number): z.ZodPrefault<typeof float> {
  return float.prefault(value);
}

const retry = z.object({ max_retries: integer.default(0), attempted: integer.default(0) });

const routing = z.strictObject({
  target_endpoint: optional(text),
  policy_endpoint: optional(text),
  adapter_resolution: z.enum(['strict_auto', 'strict_override']).default('strict_auto'),
  adapter_overrides: optional(freeMap),
});

const execution = z.object({
  max_steps: integer.default(600),
  control_hz: optional(float),
  replan_every: integer.default(8),
  replan_every_steps: optional(integer),
  action_chunk_mode: z.enum(['chunk_buffer', 'open_loop', 'single_step']).default('chunk_buffer'),
  chunk_switch_mode: z.enum(['soft_blend', 'hard_switch']).default('hard_switch'),
});

const juneHints = z.object({
  perception_queries: z.array(freeMap).default(() => []),
  force_environment_refresh: bool.default(false),
  preferred_replan_every_steps: optional(integer),
});
const augustHints = juneHints.extend({ gateway_action: freeMap.default(() => ({})) });

const safety = z.object({
  profile: text.default('default'),
  workspace_bounds: optional(text),
  stop_on_policy_timeout: bool.default(true),
});

const head = {
  goal_id: optional(text),
  parent_goal_id: optional(text),
  horizon: optional(z.enum(['short_term', 'long_term'])),
  target_ref: text,
  skillruntime_ref: text,
  task_description: text,
};
const tail = {
  priority: z.enum(['low', 'normal', 'high']).default('normal'),
  created_at: optional(moment),
  updated_at: optional(moment),
  claimed_by: optional(text),
  claim_token: optional(text),
  timeouts: timeouts.prefault({}),
  retry: retry.prefault({}),
  depends_on: z.array(text).default(() => []),
  routing: routing.prefault({}),
  execution: execution.prefault({}),
};

const juneSession = z.object({
  session_id: text,
  ...head,
  status: z.enum(COMMON_STATUSES).default('pending'),
  ...tail,
  runtime_hints: juneHints.prefault({}),
  safety_profile: safety.prefault({}),
  result: juneResult.prefault({}),
});

const pathSafe = trimmed.refine((id) => id !== '' && id !== '.' && id !== '..' && !/[/\\]/.test(id), {
  message: 'session_id must be a non-empty path-safe identifier',
});

const augustSession = z
  .strictObject({
    session_id: pathSafe,
    parent_session_id: optional(text),
    replan_attempt: integer.pipe(z.int().min(0)).default(0),
    ...head,
    verification: verification.optional(),
    verification_profile: optional(z.enum(['strict', 'audit', 'recovery'])),
    status: z.enum([...COMMON_STATUSES, ...AUGUST_STATUSES]).default('pending'),
    ...tail,
    runtime_hints: augustHints.prefault({}),
    safety_profile: safety.prefault({}),
    result: augustResult.prefault({}),
  })
  .transform((session, context) => {
    const { verification_profile: profile, ...rest } = session;
    if (profile !== null && rest.verification !== undefined) {
      context.addIssue({ code: 'custom', message: 'use verification or verification_profile, not both' });
      return z.NEVER;
    }
    return inSchemaOrder({
      ...rest,
      verification: rest.verification ?? contractOf(profile, rest.task_description.trim()),
    });
  });

/** The contract of an entry without one, or with the older one-word form. */
function contractOf(
  profile: 'strict' | 'audit' | 'recovery' | null,
  task: string,
): z.output<typeof verification> {
  if (profile === null) return verification.parse({});
  if (profile === 'strict') return verification.parse({ mode: 'off', contract_origin: 'legacy' });
  return verification.parse({
    mode: profile,
    goal: task,
    success_criteria: [task],
    contract_origin: 'legacy',
  });
}

/** `verification` is written after the description, also when it was not given. */
function inSchemaOrder<T extends { verification: unknown; status: unknown }>(session: T): T {
  const { verification: contract, ...rest } = session;
  const entries = Object.entries(rest).flatMap(([key, value]) =>
    key === 'status'
      ? [
          ['verification', contract],
          [key, value],
        ]
      : [[key, value]],
  );
  // Same keys and values as before, only their order differs.
  return Object.fromEntries(entries) as T;
}

type AugustSession = z.output<typeof augustSession>;
type JuneSession = z.output<typeof juneSession>;

/** An entry of SESSIONS.md with all defaults filled in; the August fields are absent in June. */
export type Session = Omit<JuneSession, 'status' | 'result'> &
  Partial<Pick<AugustSession, 'parent_session_id' | 'replan_attempt' | 'verification'>> & {
    status: SessionStatus;
    result: SessionResult;
  };
const version = z.literal('runtime_sessions_v1').default('runtime_sessions_v1');
const documents = {
  august: z.object({ version, sessions: z.array(augustSession).default(() => []) }),
  june: z.object({ version, sessions: z.array(juneSession).default(() => []) }),
};

export interface SessionsDocument {
  version: string;
  sessions: Session[];
}

/** Validates the block of SESSIONS.md as the dialect's runtime does. Throws zod's error when it would refuse it. */
export function parseSessions(block: FreeMap, dialect: Dialect): SessionsDocument {
  // June's and August's entries are both a Session: August adds optional fields and statuses, June lacks them.
  return documents[dialect].parse(block) as SessionsDocument;
}

/** A result with all defaults, in the dialect's field order. */
export function makeResult(fields: Partial<SessionResult>, dialect: Dialect): SessionResult {
  const empty: SessionResult = (dialect === 'august' ? augustResult : juneResult).parse({});
  return { ...empty, ...fields };
}

/** User data inside an entry: kept as it is, nulls included. */
const FREE_FIELDS = new Set([
  'adapter_overrides',
  'perception_queries',
  'gateway_action',
  'metadata',
  'completion',
  'outputs',
  'attempts',
]);

/** The entry as the runtime writes it: known fields in schema order, without nulls. */
export function sessionForWriting(session: Session): unknown {
  return withoutNulls(session, FREE_FIELDS);
}

const TRANSITIONS: Readonly<Partial<Record<SessionStatus, readonly SessionStatus[]>>> = {
  pending: ['claimed', 'rejected', 'cancelled'],
  claimed: ['preflight_checking', 'failed', 'rejected'],
  preflight_checking: ['running', 'failed', 'rejected'],
  running: ['finalizing', 'succeeded', 'failed', 'timed_out', 'cancelling'],
  finalizing: ['succeeded', 'failed', 'timed_out', 'cancelled'],
  cancelling: ['cancelled', 'failed'],
};

/** True when the runtime lets an entry go from one status to the other. */
export function mayMove(from: SessionStatus, to: SessionStatus): boolean {
  return from === to || (TRANSITIONS[from] ?? []).includes(to);
}
