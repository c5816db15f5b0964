import * as z from 'zod';
import { outcomeSchema } from './episode-record.ts';

export const QUALIFICATION_SCHEMA_ID = 'rollout-bench/qualification/1';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

/** What a qualification holds for; it is void as soon as any of it is something else. */
const boundSchema = z.strictObject({
  suite: z.string().min(1),
  skillruntime: z.string().min(1),
  /** Id in TARGETS.md. */
  target: z.string().min(1),
  /** sha256 of the target's endpoint; null for a target inside the runtime, and in a redacted copy. */
  targetEndpointSha256: digest.nullable(),
  /** Canonical digest of the target's contract document. */
  contractSha256: digest,
  /** The target's part of the protocol fingerprint; null is unknown. */
  fingerprint: z.record(z.string(), z.unknown()),
  /** What was asked of the policies, by the name of the input; null is nothing. Absent in older ones: not known. */
  asked: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).optional(),
  /** This program; `distHash` is null when it ran from its sources. */
  tool: z.strictObject({ version: z.string(), distHash: z.string().nullable() }),
});
export type Bound = z.infer<typeof boundSchema>;

const CONTROL_STATES = ['ok', 'misbehaved', 'skipped'] as const;

const controlSchema = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(['negative', 'positive']),
  /** In words. */
  expected: z.string(),
  observed: z.string(),
  /** `skipped`: its episodes did not run to their end, so it shows nothing. */
  state: z.enum(CONTROL_STATES),
  /**
   * In planned order; steps are simulator steps, null when the runtime told none. Which cells they were is left to the
   * control's own bundle: this document goes into public bundles, and one of them may be held out.
   */
  episodes: z.array(
    z.strictObject({
      outcome: outcomeSchema,
      errorCode: z.string().nullable(),
      steps: z.number().nullable(),
    }),
  ),
  /** sha256 of the manifest of the control's own bundle on the host; null when it was not sealed. */
  manifestSha256: digest.nullable(),
});
export type ControlResult = z.infer<typeof controlSchema>;

const mutantSchema = z.strictObject({
  /** What was done to a copy of real evidence. */
  name: z.string().min(1),
  expected: z.string(),
  observed: z.string(),
  /** The copy really differs from the original. */
  applied: z.boolean(),
  ok: z.boolean(),
});
export type MutantResult = z.infer<typeof mutantSchema>;

/**
 * qualification.json: proof on the real path, without the policy under test, that this benchmark tells good from bad.
 * Times are milliseconds, rates 0..1; unknown is null, never 0.
 */
export const qualificationSchema = z.strictObject({
  schema: z.literal(QUALIFICATION_SCHEMA_ID),
  /** Run id; also the name of its folder on the host. */
  id: z.string().min(1).max(200),
  /** UTC, ISO 8601. */
  startedAt: z.iso.datetime(),
  qualifiedAt: z.iso.datetime(),
  /** Every control and every mutant came out as it should, and none was left out. */
  qualified: z.boolean(),
  bound: boundSchema,
  /** Success rate that a bad policy must miss and the positive control must reach. */
  gate: z.number().min(0).max(1),
  controls: z.array(controlSchema),
  mutants: z.array(mutantSchema),
  /** Controls that did not run, by name; they show nothing. */
  skipped: z.array(z.string()),
  /** Name of the positive control that reached the gate; null: no positive control. */
  positiveControl: z.string().nullable(),
  /** What each part took. Steps are known simulator steps; `stepsUnknown` episodes told none. */
  phases: z.array(
    z.strictObject({
      name: z.string(),
      ms: z.number().min(0),
      episodes: count,
      simulatorSteps: count,
      stepsUnknown: count,
    }),
  ),
  policyUnderTestUsed: z.literal(false),
  statement: z.literal('no policy under test used'),
});
export type Qualification = z.infer<typeof qualificationSchema>;
