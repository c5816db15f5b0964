import * as z from 'zod';
import { capsSchema } from './caps.ts';
import { outcomeSchema } from './episode-record.ts';
import { capReachedShape, earlyStopShape, usageShape } from './journal-events.ts';
import { armSchema, limitsSchema, thresholdsSchema } from './plan.ts';
import { runFactsSchema } from './run-facts.ts';

export const RESULTS_SCHEMA_ID = 'rollout-bench/results/1';

/** Confidence level of every interval in results.json; printed beside each. */
export const RESULTS_LEVEL = 0.95;

const count = z.int().min(0);
const unit = z.number().min(0).max(1).nullable();

/** k of n with its Wilson interval. n = 0 has no rate: null, never 0. */
export const rateSchema = z.strictObject({ k: count, n: count, rate: unit, low: unit, high: unit });
export type Rate = z.infer<typeof rateSchema>;

/** A measure over `n` episodes that have it; `missing` do not and are left out. Null when n = 0. */
const measureSchema = z.strictObject({
  n: count,
  missing: count,
  mean: z.number().nullable(),
  /** Linear interpolation between order statistics (type 7). */
  median: z.number().nullable(),
  /** Distribution-free interval of the median, at least 95 %; null below 6 episodes. */
  medianLow: z.number().nullable(),
  medianHigh: z.number().nullable(),
  p95: z.number().nullable(),
});
export type Measure = z.infer<typeof measureSchema>;

const countsShape = {
  planned: count,
  /** Cells of which something is known: all but not_run and after_stop. */
  recorded: count,
  /** success + failure, and timed_out when the plan counts timeouts as failures. */
  valid: count,
  /** Planned after an early stop: never run, or finished too late. Outside every denominator. */
  unneeded: count,
  outcomes: z.record(outcomeSchema, count),
  /** Successes over valid episodes: the success rate. */
  successRate: rateSchema,
  /** Successes over the episodes that the run answers for: what is left when every lost one counts as no success. */
  rateOverPlanned: rateSchema,
};

const taskResultSchema = z.strictObject({
  taskId: count,
  language: z.string(),
  ...countsShape,
  /** Over successful episodes only: failures end at the step limit. */
  stepsSuccessful: measureSchema,
  stepsCompleted: measureSchema,
  episodeReturn: measureSchema,
});
export type TaskResult = z.infer<typeof taskResultSchema>;

const errorCodeSchema = z.strictObject({
  /** The runtime's code, or the outcome in capitals where there is none. */
  code: z.string(),
  /** Cells that ended with it. */
  episodes: count,
  /** Sessions that ended with it, earlier tries of cells included. */
  sessions: count,
  /** The most frequent message. */
  message: z.string().nullable(),
  /** Some session ids to look at. */
  examples: z.array(z.string()),
});
export type ErrorCodeCount = z.infer<typeof errorCodeSchema>;

const assistedResultSchema = z.strictObject({
  /** Episodes that a verifier had a word in. */
  episodes: count,
  /** Those of them on which it has decided, and those it takes for a success. */
  known: count,
  successes: count,
  /** Those that it had tried again. */
  replanned: count,
});

const armResultSchema = z.strictObject({
  arm: armSchema,
  ...countsShape,
  /** Unweighted mean of the task rates, over tasks with valid episodes. */
  macroRate: z.strictObject({ tasks: count, missingTasks: count, rate: unit, low: unit, high: unit }),
  tasks: z.array(taskResultSchema),
  stepsCompleted: measureSchema,
  stepsSuccessful: measureSchema,
  episodeReturn: measureSchema,
  /** Mean latency of an episode's policy calls, over episodes; milliseconds. */
  policyLatencyMs: measureSchema,
  policyCalls: measureSchema,
  /** Running to terminal, milliseconds, every session that ran. */
  durationMs: measureSchema,
  /** Cells that needed more than one session. */
  retriedCells: count,
  /** What episodes came to with a verifier's help, in no rate. Absent: no verifier had a word. */
  assisted: assistedResultSchema.optional(),
  errorCodes: z.array(errorCodeSchema),
});
export type ArmResult = z.infer<typeof armResultSchema>;

/** What relays between runtime and policies saw, over the sessions that decided a cell. */
const recordingResultSchema = z.strictObject({
  /** Every episode that counts was proven to be acted by the policy that was meant, and there is at least one. */
  verified: z.boolean(),
  arms: z.array(
    z.strictObject({
      arm: armSchema,
      /** Episodes that count, and those of them that are proven. */
      valid: count,
      proven: count,
      calls: count,
      answers: count,
      /** Mean latency of an episode's calls at the relay, over episodes; milliseconds. */
      latencyMs: measureSchema,
    }),
  ),
  /** Sessions that prove nothing, or that another policy answered. */
  unproven: z.array(z.string()),
});
export type RecordingResult = z.infer<typeof recordingResultSchema>;

/** A session of others that ended, though nothing tells which episode it ran. */
const unattributedSchema = z.strictObject({
  sessionId: z.string(),
  outcome: outcomeSchema,
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  /** Why its episode is not known. */
  reason: z.string(),
});
export type Unattributed = z.infer<typeof unattributedSchema>;

const duration = z.number().min(0).nullable();

/** results.json: everything the report shows. Rates are 0..1, times milliseconds; unknown is null, never 0. */
export const resultsSchema = z.strictObject({
  schema: z.literal(RESULTS_SCHEMA_ID),
  level: z.number(),
  benchmark: z.string(),
  suite: z.string(),
  skillruntime: z.string(),
  purpose: z.string(),
  timeoutsAs: z.enum(['error', 'failure']),
  repeats: z.int().positive(),
  initStates: z.array(count),
  limits: limitsSchema,
  targetConfig: z.record(z.string(), z.unknown()),
  thresholds: thresholdsSchema,
  /** Cells are proven by their sessions alone. Absent: by the simulator's own account. */
  evidence: z.literal('session').optional(),
  order: z.strictObject({ scheme: z.string(), seed: count }),
  arms: z.array(armResultSchema),
  time: z.strictObject({
    wallMs: duration,
    laneWaitMs: duration,
    /** Sessions of others ran while ours waited. */
    foreignMs: duration,
    pausedMs: duration,
    /** How often the lane was lent to runs that passed, and for how long; no part of `wallMs`. Absent: never. */
    yields: count.optional(),
    yieldedMs: z.number().min(0).optional(),
  }),
  /** How the run ended; null when nothing was journaled. */
  end: z
    .strictObject({ kind: z.enum(['complete', 'interrupted', 'incomplete']), reason: z.string().nullable() })
    .nullable(),
  /** Null unless the plan may stop early; `stopped` is null when it went on to its end. */
  earlyStop: z
    .strictObject({
      stopped: z
        .strictObject({
          ...earlyStopShape,
          /** Cells of all arms: planned, never run because of the stop, finished after it. */
          cells: count,
          notRun: count,
          afterStop: count,
        })
        .nullable(),
    })
    .nullable(),
  /** Absent: the run did not record its policies. */
  recording: recordingResultSchema.optional(),
  /** Absent for a plan without caps. */
  caps: z
    .strictObject({
      limits: capsSchema,
      /** Null when nothing was journaled. */
      used: z.strictObject(usageShape).nullable(),
      /** Null when none was. */
      reached: z.strictObject(capReachedShape).nullable(),
    })
    .optional(),
  /** Collected sessions whose episode nothing tells; each counts as one that was lost. Absent: none. */
  unattributed: z.array(unattributedSchema).optional(),
  run: runFactsSchema,
  warnings: z.array(z.string()),
});
export type Results = z.infer<typeof resultsSchema>;
