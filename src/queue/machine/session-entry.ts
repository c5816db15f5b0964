import { isRecord } from '../../base/guards.ts';
import type { Limits } from '../../model/plan.ts';
import { goalId } from '../../plan/ids.ts';

/** Checked by the runtime to be positive and otherwise without effect (runtime-protocol.md 3.4). */
const INERT_QUEUE_TIMEOUT_S = 30;
const INERT_PREFLIGHT_TIMEOUT_S = 20;

interface SessionRequest {
  readonly runId: string;
  readonly sessionId: string;
  readonly cellTarget: string;
  readonly skillruntime: string;
  /** Reaches the policy's prompt byte for byte. */
  readonly language: string;
  readonly limits: Limits;
  readonly policyEndpoint: string;
  /** Only when the user names another one than TARGETS.md. */
  readonly targetEndpoint: string | null;
}

/** An entry of SESSIONS.md before it is written. */
export type SessionEntry = Readonly<Record<string, unknown>>;

/**
 * The entry that executes one cell. It has only keys that every supported dialect of the runtime accepts: an unknown
 * one makes the later dialect refuse the whole document. `max_retries` is 0 because a retry of the runtime erases the
 * evidence of the attempt before it.
 */
export function sessionEntry(request: SessionRequest): SessionEntry {
  const { limits, targetEndpoint } = request;
  return {
    session_id: request.sessionId,
    goal_id: goalId(request.runId),
    target_ref: `target://${request.cellTarget}`,
    skillruntime_ref: `skillruntime://${request.skillruntime}`,
    task_description: request.language,
    status: 'pending',
    priority: 'low',
    timeouts: {
      queue_timeout_s: INERT_QUEUE_TIMEOUT_S,
      preflight_timeout_s: INERT_PREFLIGHT_TIMEOUT_S,
      execute_timeout_s: limits.sessionTimeoutS,
      policy_timeout_s: limits.policyTimeoutS,
    },
    retry: { max_retries: 0, attempted: 0 },
    routing: {
      ...(targetEndpoint === null ? {} : { target_endpoint: targetEndpoint }),
      policy_endpoint: request.policyEndpoint,
      adapter_resolution: 'strict_auto',
    },
    execution: {
      max_steps: limits.maxPolicyCalls,
      replan_every_steps: limits.replanEverySteps,
      action_chunk_mode: limits.actionChunkMode,
      chunk_switch_mode: 'hard_switch',
    },
    safety_profile: {
      profile: 'default_simulation',
      workspace_bounds: 'default',
      stop_on_policy_timeout: true,
    },
    result: {},
  };
}

/** Fields that say what a session does; the runtime never changes them. */
const IDENTITY_FIELDS = ['goal_id', 'target_ref', 'skillruntime_ref', 'task_description'] as const;

/**
 * Which of the fields that decide what runs differ between the entry as we queued it and the entry now: somebody
 * edited it, so its result is not the planned cell's.
 */
export function editedFields(queued: SessionEntry, now: unknown): readonly string[] {
  if (!isRecord(now)) return ['entry'];
  const edited: string[] = IDENTITY_FIELDS.filter((field) => bare(queued[field]) !== bare(now[field]));
  for (const endpoint of ['policy_endpoint', 'target_endpoint'] as const) {
    const before = isRecord(queued.routing) ? queued.routing[endpoint] : undefined;
    const after = isRecord(now.routing) ? now.routing[endpoint] : undefined;
    if ((before ?? null) !== (after ?? null)) edited.push(`routing.${endpoint}`);
  }
  return edited;
}

/** The runtime takes references with or without their scheme. */
function bare(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^(?:target|skillruntime):\/\//, '') : (value ?? null);
}
