import * as z from 'zod';
import type { Classified } from '../../outcome/classify.ts';

/** The owner mark of sessions that a benchmark of ours queued (plan/ids.ts). */
const OUR_GOAL = 'rollout-bench:';

/** A finished session that others queued. Nothing was planned. */
export interface FinishedSession {
  readonly sessionId: string;
  /** Id of its target, without scheme. */
  readonly target: string;
  readonly skillruntime: string;
  readonly prompt: string;
  /** `execution.…` and `timeouts.…` of the entry; null where it has none. */
  readonly maxPolicyCalls: number | null;
  readonly replanEverySteps: number | null;
  readonly actionChunkMode: string | null;
  readonly sessionTimeoutS: number | null;
  readonly policyTimeoutS: number | null;
  readonly found: Classified;
}

const positive = z.number().positive().nullish().catch(null);

/** What grouping needs of an entry; the rest was judged already. */
const entrySchema = z.object({
  goal_id: z.string().nullish().catch(null),
  target_ref: z.string().catch('unknown'),
  skillruntime_ref: z.string().catch('unknown'),
  task_description: z.string().catch(''),
  execution: z
    .object({
      max_steps: positive,
      replan_every_steps: positive,
      action_chunk_mode: z.string().nullish().catch(null),
    })
    .nullish()
    .catch(null),
  timeouts: z.object({ execute_timeout_s: positive, policy_timeout_s: positive }).nullish().catch(null),
});

/** Pure. An entry that is no map gives a session of unknown target. */
export function finishedSession(sessionId: string, body: unknown, found: Classified): FinishedSession {
  const entry = entrySchema.safeParse(body).data;
  return {
    sessionId,
    target: (entry?.target_ref ?? 'unknown').replace(/^target:\/\//, ''),
    skillruntime: (entry?.skillruntime_ref ?? 'unknown').replace(/^skillruntime:\/\//, ''),
    prompt: entry?.task_description ?? '',
    maxPolicyCalls: whole(entry?.execution?.max_steps ?? null),
    replanEverySteps: whole(entry?.execution?.replan_every_steps ?? null),
    actionChunkMode: entry?.execution?.action_chunk_mode ?? null,
    sessionTimeoutS: entry?.timeouts?.execute_timeout_s ?? null,
    policyTimeoutS: entry?.timeouts?.policy_timeout_s ?? null,
    found,
  };
}

function whole(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

/** True for entries that a run of ours made; `collect` is for those of others. */
export function isOurs(body: unknown): boolean {
  return entrySchema.safeParse(body).data?.goal_id?.startsWith(OUR_GOAL) === true;
}
