import * as z from 'zod';
import { staysBelow } from '../base/plain-name.ts';
import { outcomeSchema } from './episode-record.ts';
import { cellSchema } from './plan.ts';

export const JOURNAL_SCHEMA_ID = 'rollout-bench/journal/1';

/** Names a folder of raw/, so it must be able to. */
const sessionId = z.string().min(1).refine(staysBelow, 'a session id leads out of its folder');
const count = z.int().min(0);
const milliseconds = z.number().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.string();

/** A file of `raw/<session id>/` as it was written. */
const archivedFileSchema = z.strictObject({ name: z.string(), bytes: count, sha256 });
export type ArchivedFile = z.infer<typeof archivedFileSchema>;

/** A source that was not archived, and why (absent, too large, a link). */
const omittedFileSchema = z.strictObject({ name: z.string(), reason: z.string() });
export type OmittedFile = z.infer<typeof omittedFileSchema>;

/** What a session turned out to be, as it was judged when it was collected. */
const judgementSchema = z.strictObject({
  outcome: outcomeSchema,
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
});
export type Judgement = z.infer<typeof judgementSchema>;

const placeShape = {
  /** Index of the cell in planned order. */
  position: count,
  /** Number of the session inside its cell, 0 for the first. */
  sessionAttempt: count,
  cellTarget: z.string(),
  /** Where this session finds its policy when a relay records it. Absent: at the policy itself. */
  relay: z.string().optional(),
};

const startedShape = {
  schema: z.literal(JOURNAL_SCHEMA_ID),
  runId: z.string(),
  attempt: z.int().positive(),
  planDigest: z.string(),
  suite: z.string(),
  /** Attempts whose journals were folded into this one. */
  resumes: z.array(z.int().positive()),
  /** What must be equal for a resume: head commit, policy identity …; null is unknown. */
  identity: z.record(z.string(), z.string().nullable()),
};

const collectedShape = {
  sessionId,
  ...judgementSchema.shape,
  files: z.array(archivedFileSchema),
  omitted: z.array(omittedFileSchema),
  /** When this client first saw the session running and terminal; null when it was not watching. */
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  /** Milliseconds between the two by the runtime's own stamps, null when one is unknown. */
  durationMs: milliseconds.nullable(),
  /** Bytes that the runtime keeps for the session, null when unreadable; absent unless a cap asks for it. */
  artifactBytes: count.nullable().optional(),
};

const evidence = z.number().min(0).nullable();
const probability = z.number().min(0).max(1);

/** What a run with caps has used, its earlier attempts included. */
export const usageShape = {
  /** Queued for cells, without those that were taken back before they were claimed. */
  sessions: count,
  wallMs: milliseconds,
  /** Null when it is not known, or no cap asks for it. */
  artifactBytes: count.nullable(),
};
export type Usage = z.infer<z.ZodObject<typeof usageShape>>;

const capNameSchema = z.enum(['max-sessions', 'max-wall-time', 'max-artifact-size']);
export type CapName = z.infer<typeof capNameSchema>;

/** As the input `caps` calls it. Pure. */
export function capWord(name: CapName): string {
  return name.slice('max-'.length);
}

/** A cap is used up: in sessions, seconds or bytes. The last one of a journal has the final amounts. */
export const capReachedShape = {
  name: capNameSchema,
  limit: z.number().positive(),
  /** Null when it is not known. */
  observed: z.number().min(0).nullable(),
  /** How far beyond the limit the session went that was running then. */
  overshoot: z.number().min(0).nullable(),
};

/** The verdict was proven before the last cell; counts are over the prefix of the planned order that proved it. */
export const earlyStopShape = {
  decision: z.enum(['PASS', 'FAIL']),
  /** Cells of the candidate (pairs, when compared) that were looked at, and all planned ones. */
  prefix: count,
  planned: count,
  /** Looked at without a valid outcome on a needed side. */
  skipped: count,
  successes: count,
  valid: count,
  pairs: count,
  regressed: count,
  fixed: count,
  gates: z.array(
    z.strictObject({
      gate: z.enum(['floor', 'task_floor', 'non_inferiority']),
      state: z.enum(['pass', 'fail', 'open']),
      /** e-values of "worse" and "not inferior"; null for floors, the second also where looks are planned. */
      worse: evidence,
      notInferior: evidence,
      /** The last look: pairs, p values of "no worse" and "worse by the margin", and what each had to reach. */
      test: z
        .strictObject({
          look: count,
          looks: count,
          pairs: count,
          worse: probability,
          marginal: probability,
          failAt: probability,
          passAt: probability,
        })
        .optional(),
    }),
  ),
};

/** Everything a run writes down, in the order in which it became true. */
export const journalEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('started'), ...startedShape }),
  z.strictObject({
    type: z.literal('lane'),
    waitedMs: milliseconds,
    holder: z.string().nullable(),
  }),
  z.strictObject({ type: z.literal('primer'), sessionId, status: z.string(), suite: z.string() }),
  z.strictObject({ type: z.literal('torn'), attempt: z.int().positive(), bytes: count }),
  /** A session of an earlier attempt taken over: finished ones with their evidence, others to be dealt with here. */
  z.strictObject({ type: z.literal('adopted'), sessionId, ...placeShape, fromAttempt: z.int().positive() }),
  z.strictObject({
    type: z.literal('intent'),
    sessionId,
    ...placeShape,
    cell: cellSchema,
    /** Mode of a verifier that may have had a word in the status of a collected session. Absent: none had. */
    verifier: z.string().optional(),
    /** The session that a collected one tries again for a verifier; it never decides its cell. Absent: a first attempt. */
    replanOf: sessionId.optional(),
  }),
  /** A session of others that belongs to what was collected, though nothing tells which episode it ran. */
  z.strictObject({ type: z.literal('unattributed'), sessionId, reason: z.string() }),
  z.strictObject({ type: z.literal('queued'), sessionId }),
  z.strictObject({ type: z.literal('running'), sessionId, updatedAt: time.nullable() }),
  z.strictObject({ type: z.literal('terminal'), sessionId, status: z.string(), updatedAt: time.nullable() }),
  z.strictObject({ type: z.literal('collected'), ...collectedShape }),
  z.strictObject({ type: z.literal('removed'), sessionId }),
  /** A pending entry of ours taken back before the watchdog claimed it. */
  z.strictObject({ type: z.literal('cancelled'), sessionId, reason: z.string() }),
  /** The session can no longer count: never queued, or back after it was archived. */
  z.strictObject({ type: z.literal('discarded'), sessionId, reason: z.string() }),
  z.strictObject({
    type: z.literal('lost'),
    sessionId,
    reason: z.string(),
    artifactBytes: count.nullable().optional(),
  }),
  z.strictObject({ type: z.literal('conflict'), sessionId, reason: z.string() }),
  /** Whether a session that ended in a connection error used up an attempt of its cell. The last word counts. */
  z.strictObject({ type: z.literal('weighed'), sessionId, counts: z.boolean(), reason: z.string() }),
  z.strictObject({ type: z.literal('kept'), sessionIds: z.array(sessionId) }),
  z.strictObject({ type: z.literal('cell_targets_restored'), cellTargets: z.array(z.string()) }),
  z.strictObject({ type: z.literal('paused'), reason: z.string(), consecutiveErrors: count }),
  z.strictObject({ type: z.literal('continued'), pausedMs: milliseconds, probe: z.string() }),
  /** Nothing of ours is in the queue, and the lane goes to those who wait and pass. */
  z.strictObject({ type: z.literal('yielded'), to: z.string() }),
  /** The lane is ours again, and what is measured is what it was. */
  z.strictObject({ type: z.literal('regained'), yieldedMs: milliseconds }),
  z.strictObject({ type: z.literal('early_stop'), ...earlyStopShape }),
  z.strictObject({ type: z.literal('usage'), ...usageShape }),
  z.strictObject({ type: z.literal('cap_reached'), ...capReachedShape }),
  /** The outcome of this session is unknown, and the host was fenced for it. */
  z.strictObject({
    type: z.literal('fenced'),
    sessionId,
    status: z.string(),
    since: time.nullable(),
    reason: z.string(),
  }),
  z.strictObject({ type: z.literal('warning'), message: z.string() }),
  z.strictObject({ type: z.literal('interrupted'), reason: z.string() }),
  z.strictObject({
    type: z.literal('ended'),
    end: z.enum(['complete', 'interrupted', 'incomplete']),
    reason: z.string().nullable(),
    foreignMs: milliseconds,
    pausedMs: milliseconds,
    /** Without the time that the lane was lent to others. */
    totalMs: milliseconds,
    /** How often it was lent and for how long; absent: never. */
    yields: count.optional(),
    yieldedMs: milliseconds.optional(),
  }),
]);
export type JournalEvent = z.infer<typeof journalEventSchema>;

/** One line of journal.jsonl. `prev` is the sha256 of the line before it (64 zeros for the first). */
export const journalLineSchema = z.strictObject({
  seq: count,
  at: time,
  prev: sha256,
  event: journalEventSchema,
});

/** What is kept of a line when its place in the chain has been checked. */
export type JournalRecord = Pick<z.infer<typeof journalLineSchema>, 'at' | 'event'>;
