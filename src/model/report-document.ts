import * as z from 'zod';
import { heldOutSummarySchema } from './held-out-summary.ts';
import { thresholdsSchema } from './plan.ts';
import { reasonSchema, verdictSchema } from './verdict.ts';

const count = z.int().min(0);

/** How far a run that was allowed to stop early had got, and what each gate had proven by then. */
const earlyStopSchema = z.looseObject({
  decision: z.enum(['PASS', 'FAIL']).nullable(),
  /** Candidate cells (pairs, when compared) looked at. */
  prefix: count,
  planned: count,
  skipped: count,
  successes: count,
  valid: count,
  pairs: count,
  regressed: count,
  fixed: count,
  gates: z.array(
    z.looseObject({
      gate: z.enum(['floor', 'task_floor', 'non_inferiority']),
      state: z.enum(['pass', 'fail', 'open']),
      /** e-values; null for floors, where none is asked, and where one is too large for a number. `test`: the last look. */
      worse: z.number().nullable(),
      notInferior: z.number().nullable(),
    }),
  ),
});

const reportedSuiteSchema = z.looseObject({
  suite: z.string(),
  verdict: verdictSchema,
  reasons: z.array(reasonSchema),
  warnings: z.array(reasonSchema),
  /** The rules the verdict was made by. */
  thresholds: thresholdsSchema,
  planDigest: z.string(),
  /** The sealed evidence: one bundle, or one for each shard. */
  bundles: z.array(
    z.looseObject({
      runId: z.string(),
      attempt: z.int().positive(),
      shard: z.looseObject({ index: z.int().positive(), count: z.int().positive() }).nullable(),
      manifestSha256: z.string(),
    }),
  ),
  /** Figures against the baseline as the report prints them; null without one. */
  comparison: z.array(z.looseObject({ label: z.string(), value: z.string() })).nullable(),
  earlyStop: earlyStopSchema.nullable(),
  /** The aggregate of the cells that the plan holds out; absent without. */
  heldOut: heldOutSummarySchema.optional(),
});

/** report.json: what was decided, by which rules and from which evidence. Later versions may add keys. */
export const reportDocumentSchema = z.looseObject({
  schema: z.literal('rollout-bench/report/1'),
  tool: z.looseObject({ version: z.string() }),
  /** The worst of the suites and of their average; null without any. */
  verdict: verdictSchema.nullable(),
  /** The mean of several suites against their baselines; absent without one. Differences and bounds (95 %) as rates. */
  average: z
    .looseObject({
      verdict: verdictSchema,
      reasons: z.array(reasonSchema),
      warnings: z.array(reasonSchema),
      suites: z.array(z.string()),
      delta: z.number(),
      interval: z.looseObject({ low: z.number(), high: z.number() }),
      regressed: count,
      fixed: count,
    })
    .optional(),
  /** What the runner and GitHub say about the measured code; unknown is null. */
  source: z.record(z.string(), z.unknown()),
  suites: z.array(reportedSuiteSchema),
});
