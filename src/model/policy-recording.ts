import * as z from 'zod';

export const RECORDING_SCHEMA_ID = 'rollout-bench/policy-recording/1';

/** File of `raw/<session id>/` with what a relay between runtime and policy saw of the session. */
export const RECORDING_FILE = 'policy.json';

/** Latencies that are listed one by one; statistics cover more. */
export const LISTED_LATENCIES = 1000;
/** Faults and closes that are listed; a policy that refuses for hours must not fill the disk. */
export const LISTED_EVENTS = 50;

/** A recording is a few hundred bytes and at most the listed latencies. */
export const MAX_RECORDING_BYTES = 1024 * 1024;

const count = z.int().min(0);
const milliseconds = z.number().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const reason = z.string().max(200);

/** Who ended or broke a connection: the runtime, the policy, or the relay itself. */
const sideSchema = z.enum(['runtime', 'policy', 'relay']);
export type Side = z.infer<typeof sideSchema>;

/**
 * `policy.json`: how often a session's policy was asked and what it was, as seen on the wire. Of observations and
 * actions nothing is kept but hashes. Unknown is null.
 */
export const policyRecordingSchema = z.strictObject({
  schema: z.literal(RECORDING_SCHEMA_ID),
  sessionId: z.string().min(1).max(300),
  /** WebSocket connections of the runtime that reached the policy. */
  connections: count,
  /** The metadata of the last connection; null when none was sent. */
  metadata: z
    .strictObject({
      /** Of the message as it was sent. */
      sha256,
      /** Of what describes the policy, as in run.json; null when it says nothing about itself. */
      digest: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/)
        .nullable(),
      /** Over all connections: the same policy as before the run; null when its metadata cannot tell. */
      sameAsBefore: z.boolean().nullable(),
    })
    .nullable(),
  /** Messages of the runtime, and messages of the policy after its metadata. */
  calls: count,
  answers: count,
  /** Answers that were text, which the runtime takes for an error. */
  textAnswers: count,
  requestBytes: count,
  answerBytes: count,
  /** From the whole request at the relay to the whole answer; null without an answer. */
  latencyMs: z
    .strictObject({ n: count, mean: milliseconds, p50: milliseconds, p95: milliseconds, max: milliseconds })
    .nullable(),
  /** The first ones, in order. */
  latenciesMs: z.array(milliseconds).max(LISTED_LATENCIES),
  /** sha256 over all messages in their order: each link hashes the link before, the direction and the message's hash. */
  chain: sha256,
  closes: z.array(z.strictObject({ by: sideSchema, code: count.max(65_535) })).max(LISTED_EVENTS),
  faults: z.array(z.strictObject({ at: sideSchema, reason })).max(LISTED_EVENTS),
});
export type PolicyRecording = z.infer<typeof policyRecordingSchema>;

/** What a policy.json says; null when it is not one of this session. */
export function parseRecording(text: string | null, sessionId: string): PolicyRecording | null {
  if (text === null) return null;
  try {
    const recording = policyRecordingSchema.parse(JSON.parse(text));
    return recording.sessionId === sessionId ? recording : null;
  } catch {
    return null;
  }
}
