import * as z from 'zod';
import { outcomeSchema } from './episode-record.ts';
import { armSchema } from './plan.ts';
import { rateSchema } from './results.ts';
import { verdictSchema } from './verdict.ts';

export const HELD_OUT_SCHEMA_ID = 'rollout-bench/heldout/1';

const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * heldout.json of a public bundle: all that leaves the host of its held-out cells. Counts, rates and digests, no ids and
 * no free text. It was computed from a sealed bundle that stays on the host, so here it can be read, not recomputed.
 */
export const heldOutSummarySchema = z.strictObject({
  schema: z.literal(HELD_OUT_SCHEMA_ID),
  /** As the public plan states it; binds the list. */
  commitment: sha256,
  /** Pairs of task and initial state. */
  count: z.int().positive(),
  runId: z.string().min(1).max(200),
  attempt: z.int().positive(),
  /** Digest of the held-out plan, whose salt keeps it from being guessed. */
  planDigest: sha256,
  /** sha256 of manifest.json of the sealed held-out bundle. */
  manifestSha256: sha256,
  /** By the rules of the plan, on the host. */
  verdict: verdictSchema,
  /** Codes of the reasons; their texts may name cells. */
  reasons: z.array(z.string().regex(/^[a-z_]{1,60}$/)).max(50),
  arms: z
    .array(
      z.strictObject({
        arm: armSchema,
        planned: count,
        recorded: count,
        valid: count,
        outcomes: z.partialRecord(outcomeSchema, count),
        successRate: rateSchema,
        /** Where states ran several times: how many have a valid run, and the sum of their rates. */
        states: z.strictObject({ valid: count, score: z.number().min(0) }).optional(),
      }),
    )
    .min(1)
    .max(2),
  /** The floor of every task, and how many tasks miss it; null without one. */
  taskFloor: z.strictObject({ floor: z.number().min(0).max(1), missed: count }).nullable(),
  /** Candidate less baseline on the same cells, as rates, with a 90 % interval; null with one arm. */
  paired: z
    .strictObject({
      pairs: count,
      fixed: z.number().min(0),
      regressed: z.number().min(0),
      delta: z.number(),
      low: z.number(),
      high: z.number(),
      /** "No worse" was rejected at 5 % on the host. */
      dropConfirmed: z.boolean(),
      /**
       * What any margin can be tested on: whole counts that look no better than the data, and the p of "no worse".
       * Absent in summaries of earlier versions, where the interval decided.
       */
      tested: z
        .strictObject({ n: count, fixed: count, regressed: count, worse: z.number().min(0).max(1) })
        .optional(),
    })
    .nullable(),
});
export type HeldOutSummary = z.infer<typeof heldOutSummarySchema>;
