import * as z from 'zod';
import { runApprovalSchema } from './approval.ts';
import { EXPORTS } from './exports.ts';
import { importedFactsSchema } from './imported-facts.ts';
import { pinSchema } from './pins.ts';
import { armSchema } from './plan.ts';
import { settlementSchema } from './settlement-facts.ts';

export const RUN_SCHEMA_ID = 'rollout-bench/run/1';

const known = z.string().nullable();
const milliseconds = z.number().min(0);
/** Free facts about something observed; nested values stay as they were read. */
const facts = z.record(z.string(), z.unknown());

/** One policy under test as it was declared and as it answered. Null is unknown. */
const armFactsSchema = z.strictObject({
  arm: armSchema,
  /** As used, without credentials; published copies show the role only. */
  endpoint: known,
  policyRef: known,
  checkpointDigest: known,
  imageDigest: known,
  /** The policy server's own metadata, read before and after the run; null when it could not be read. */
  metadataBefore: facts.nullable(),
  metadataAfter: facts.nullable(),
  /** How the identity changed during the run, in words. */
  changed: known,
});
export type ArmFacts = z.infer<typeof armFactsSchema>;

/** The qualification that a run relied on; qualification.json of its bundle is the whole. */
const reliedQualificationSchema = z.strictObject({
  /** Run id of the qualification. */
  id: z.string().min(1),
  /** sha256 of the bundle's qualification.json. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** UTC, ISO 8601; when it was sealed. */
  qualifiedAt: z.string(),
  /** Name of the positive control that reached its floor; null when there was none. */
  positiveControl: known,
  /** Controls that did not run, by name. */
  skipped: z.array(z.string()),
});

/** How it was recorded which policy answered; raw/<session id>/policy.json has what was seen. */
const recordingFactsSchema = z.strictObject({
  /** A relay on the loopback device stood between runtime and policy, with an address for each session. */
  by: z.literal('relay'),
  arms: z.array(armSchema).min(1),
});

/** Which policies the run started itself. */
const startedFactsSchema = z.strictObject({
  by: z.literal('command'),
  arms: z.array(armSchema).min(1),
  /** One of the two was there at a time. */
  turns: z.boolean(),
});

/** What `collect` was asked for and what made it one group. */
const collectedSchema = z.strictObject({
  /** Targets of the sessions, all of one family. */
  targets: z.array(z.string()).min(1),
  /** What others wrote as the sessions' goals; null is none. */
  goals: z.array(known),
  /** Times of the first and last session that ended; UTC, null when no entry says. */
  from: known,
  until: known,
  /** Number of this group and of all that were found; one measures another thing than the next. */
  group: z.int().positive(),
  groups: z.int().positive(),
  /** What the user chose, in words; empty is everything that others queued and that is finished. */
  chosen: z.array(z.string()),
  /** Episodes that were meant, as the user said it; null when nobody said. */
  planned: known,
  /** Where settings were read, by their names in limits and arms; what no document states is not here. */
  stated: z.record(z.string(), z.string()),
});

/**
 * `run.json`: what a run knows that is neither in the plan (the same on every host) nor in the journal (what
 * happened). With plan.json, journal.jsonl and raw/ it gives results.json.
 */
export const runFactsSchema = z.strictObject({
  schema: z.literal(RUN_SCHEMA_ID),
  runId: z.string().min(1),
  attempt: z.int().positive(),
  planDigest: z.string().regex(/^[0-9a-f]{64}$/),
  /** `unplanned`: sessions that others queued, collected afterwards. `imported`: result files of another tool. */
  evidenceClass: z.enum(['planned', 'unplanned', 'imported']),
  tool: z.strictObject({ version: z.string(), distHash: known }),
  /** UTC, ISO 8601; when this attempt began and was sealed. */
  startedAt: known,
  sealedAt: known,
  shard: z.strictObject({ index: z.int().positive(), count: z.int().positive() }).nullable(),
  /** Indexes into plan.cells that this run was to execute; null is all. */
  positions: z.array(z.int().min(0)).nullable(),
  target: z.strictObject({ id: z.string(), endpoint: known, kind: known }),
  arms: z.array(armFactsSchema),
  /** How tasks were found, and why in that way. */
  discovery: z.strictObject({ method: z.string(), note: known }),
  /** Runtime and simulator versions, protocol facts … as far as they were seen. */
  runtime: facts,
  /** GPU, driver, host name … as far as a tool told. */
  host: facts,
  /** Everything that must be equal for two runs to be comparable. */
  fingerprint: facts,
  /** Repository, commit, workflow run … */
  source: facts,
  /** Absent: no fresh qualification was there, so the run is exploratory. */
  qualification: reliedQualificationSchema.optional(),
  /** Absent: the run needed no approval where it was started. */
  approval: runApprovalSchema.optional(),
  /** Absent: sessions asked their policies directly, and nothing shows which policy answered them. */
  recording: recordingFactsSchema.optional(),
  /** Policies that the run started by its own commands, as the user it ran as. Absent: none. */
  started: startedFactsSchema.optional(),
  /** Absent: nobody looked, as in bundles of earlier releases and of `collect`. */
  settlement: settlementSchema.optional(),
  /** Absent: bundles of earlier releases and of `collect`. */
  pins: z.array(pinSchema).optional(),
  /** By which cells the policy was chosen, as declared; absent: nothing was declared. */
  selection: z
    .strictObject({
      from: z.array(z.strictObject({ name: z.string(), cells: z.int().min(0) })),
      /** Planned cells among them, all arms. */
      overlap: z.int().min(0),
    })
    .optional(),
  /**
   * How often this was measured on its host, this attempt included: attempts of the run, and of all runs of the suite at
   * this commit as far as they are kept (null: no commit is known). Absent: nobody counted.
   */
  attempts: z.strictObject({ ofRun: z.int().positive(), atCommit: z.int().positive().nullable() }).optional(),
  /** The public attempt whose held-out cells these are; absent in every other run. */
  heldOutOf: z.strictObject({ runId: z.string().min(1), attempt: z.int().positive() }).optional(),
  /** Which sessions of others were collected. Absent: none were, or an earlier release collected them. */
  collected: collectedSchema.optional(),
  /** What was imported, from which files of the bundle. Absent: nothing was. */
  imported: importedFactsSchema.optional(),
  /** Files for other tools that were asked for. Absent: none. */
  exports: z.array(z.enum(EXPORTS)).min(1).optional(),
  phases: z.array(z.strictObject({ name: z.string(), ms: milliseconds })),
  warnings: z.array(z.string()),
});
export type RunFacts = z.infer<typeof runFactsSchema>;
