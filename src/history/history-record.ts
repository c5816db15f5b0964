import * as z from 'zod';
import { verdictSchema } from '../model/verdict.ts';

export const HISTORY_SCHEMA_ID = 'rollout-bench/history/1';

const count = z.int().min(0);
const rate = z.number().min(0).max(1).nullable();
const known = z.string().max(1_000).nullable();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** k successes of n valid episodes; `planned` tells an unmeasured task from one that never succeeds. */
const historyTaskSchema = z.strictObject({
  taskId: count,
  language: z.string().max(1_000),
  successes: count,
  valid: count,
  planned: count,
});

/** One line of `history/<suite>/<branch>.jsonl`: one attempt of one run. Times are UTC, ISO 8601; unknown is null. */
export const historyRecordSchema = z.strictObject({
  schema: z.literal(HISTORY_SCHEMA_ID),
  runId: z.string().min(1).max(200),
  attempt: z.int().positive(),
  benchmark: z.string().max(300),
  suite: z.string().min(1).max(300),
  branch: z.string().min(1).max(300),
  commit: z.string().max(64).nullable(),
  /** What started it: push, schedule, pull_request, … */
  event: known,
  pullRequest: z.int().positive().nullable(),
  purpose: z.string().max(40),
  finishedAt: z.iso.datetime(),
  verdict: verdictSchema,
  planDigest: digest,
  bundleSha256: digest.nullable(),
  policy: known,
  target: known,
  skillruntime: known,
  simulator: known,
  planned: count,
  recorded: count,
  valid: count,
  successes: count,
  /** Success rate and its 95 % Wilson interval. */
  rate,
  low: rate,
  high: rate,
  errors: count,
  timedOut: count,
  meanStepsSuccessful: z.number().nullable(),
  /** Digest of the protocol fingerprint; absent in older records. */
  fingerprint: digest.nullable().optional(),
  /** What the drift chart expected of this run: the counts of a baseline run. Absent in older records. */
  expected: z
    .strictObject({ name: z.string().min(1).max(200), successes: count, valid: count })
    .nullable()
    .optional(),
  /** Cells are proven by their sessions alone; absent: by the simulator's own account. */
  evidence: z.literal('session').optional(),
  runUrl: known,
  tasks: z.array(historyTaskSchema).max(2_000),
});
export type HistoryRecord = z.infer<typeof historyRecordSchema>;

/** Two records of one attempt are the same record. */
export function recordKey(record: Pick<HistoryRecord, 'suite' | 'runId' | 'attempt'>): string {
  return `${record.suite}\n${record.runId}\n${record.attempt}`;
}
