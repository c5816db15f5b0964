import * as z from 'zod';

export const MANIFEST_SCHEMA_ID = 'rollout-bench/manifest/1';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Every file with size and hash; no times, so that sealing twice gives the same bytes. */
export const manifestSchema = z.strictObject({
  schema: z.literal(MANIFEST_SCHEMA_ID),
  runId: z.string(),
  attempt: z.int().positive(),
  planDigest: sha256,
  tool: z.strictObject({ version: z.string(), distHash: z.string().nullable() }),
  /** `redacted`: host paths, claim tokens, endpoints and tracebacks removed; names the sealed bundle it came from. */
  kind: z.enum(['sealed', 'redacted']),
  redactedFrom: sha256.nullable(),
  /** Where its pages say that the bundle is; absent: in the folder of its attempt, and for a copy nowhere. */
  shownAs: z.string().max(500).optional(),
  files: z.array(z.strictObject({ path: z.string(), bytes: z.int().min(0), sha256 })),
  /** What is not here and why: too large, a link, held back because of a secret. */
  leftOut: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;
