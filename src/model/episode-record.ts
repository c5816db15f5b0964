import * as z from 'zod';
import { armSchema, cellsBySchema } from './plan.ts';

/** What became of a cell; product words, docs/statistics.md says how each enters a denominator. */
export const outcomeSchema = z.enum([
  'success',
  'failure',
  'timed_out',
  'error',
  'rejected',
  'cancelled',
  'lost',
  'mismatch',
  'conflict',
  'missing',
  'not_run',
  'after_stop',
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** Where a success flag was read; anything else is not evidence. */
export const successSourceSchema = z.enum([
  'episode.benchmark',
  'session.final_status',
  'session.result',
  'imported file',
]);

/** One session that executed (or tried to execute) the cell. All attempts stay in the record. */
const sessionAttemptSchema = z.strictObject({
  sessionId: z.string(),
  /** Retry number inside the cell, 0 for the first. */
  attempt: z.int().min(0),
  outcome: outcomeSchema,
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
});
export type SessionAttempt = z.infer<typeof sessionAttemptSchema>;

const count = z.int().min(0);

/**
 * What the recording of a session says about which policy acted in it. `nothing_to_prove`: it ended before its episode
 * did, so nothing of it counts. Counts are null without a recording.
 */
const policyProofSchema = z.strictObject({
  state: z.enum(['proven', 'not_proven', 'other_policy', 'nothing_to_prove']),
  /** In words, where the state does not say it all; null otherwise. */
  note: z.string().nullable(),
  calls: count.nullable(),
  answers: count.nullable(),
  /** Mean latency of a call at the relay, milliseconds. */
  latencyMs: z.number().nullable(),
});
export type PolicyProof = z.infer<typeof policyProofSchema>;

/** What the episode came to with a verifier's help, which is no outcome: nobody but the simulator says what that is. */
const assistedSchema = z.strictObject({
  /** The verifier's word at the end; null while it has none. */
  success: z.boolean().nullable(),
  /** Further attempts that it had made. */
  replans: count,
});

const measure = z.number().nullable();

/**
 * One line of episodes.jsonl: the cell, its outcome and its facts. Unknown is null, never 0.
 * Times are milliseconds; steps are simulator steps; episodeReturn is the episode's sum of rewards.
 */
export const episodeRecordSchema = z.strictObject({
  benchmark: z.string(),
  suite: z.string(),
  taskId: z.int().min(0),
  initStateId: z.int().min(0),
  runIndex: z.int().min(0),
  arm: armSchema,
  /** Index in planned order. */
  position: z.int().min(0),
  language: z.string(),
  outcome: outcomeSchema,
  /** The session that decided the outcome. */
  sessionId: z.string().nullable(),
  attempts: z.array(sessionAttemptSchema),
  success: z.boolean().nullable(),
  successSource: successSourceSchema.nullable(),
  steps: measure,
  episodeReturn: measure,
  policyLatencyMs: measure,
  policyCalls: measure,
  /** Runtime's own transition times where the client saw them: running → terminal. */
  durationMs: measure,
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  /** Workspace-relative folder with the runtime's artifacts. */
  artifactDir: z.string().nullable(),
  /** Which policy acted, as a relay recorded it. Absent: the run did not record its policies. */
  policyProof: policyProofSchema.optional(),
  /** The cell is proven by the session alone. Absent: by the simulator's own account. */
  evidence: z.literal('session').optional(),
  /** Absent: no verifier had a word. */
  assisted: assistedSchema.optional(),
  /**
   * `unplanned`: the session was queued by others and belongs to no plan. `imported`: another tool says so. Absent:
   * planned, or recorded by an earlier release.
   */
  evidenceClass: z.enum(['unplanned', 'imported']).optional(),
  /** As in the plan. */
  cellsBy: cellsBySchema.optional(),
  /** Said aloud: mismatching fields, conflicting sources, late timeouts reclassified. */
  notes: z.array(z.string()),
});
export type EpisodeRecord = z.infer<typeof episodeRecordSchema>;
