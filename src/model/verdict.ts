import * as z from 'zod';

export const verdictSchema = z.enum(['PASS', 'FAIL', 'INCONCLUSIVE', 'INVALID']);
export type Verdict = z.infer<typeof verdictSchema>;

/** Why a verdict came out as it did. `code` is stable (e.g. `floor_missed`), `text` is for people. */
export const reasonSchema = z.strictObject({ code: z.string(), text: z.string() });
export type Reason = z.infer<typeof reasonSchema>;

const decisionSchema = z.strictObject({
  verdict: verdictSchema,
  reasons: z.array(reasonSchema),
  /** Warnings that never decide (suspicious patterns, incomplete knowledge). */
  warnings: z.array(reasonSchema),
});
export type Decision = z.infer<typeof decisionSchema>;

/** Each reason once, in its first place: shards of one measurement often have the same one. Pure. */
export function uniqueReasons(reasons: readonly Reason[]): Reason[] {
  return [...new Map(reasons.map((reason) => [`${reason.code} ${reason.text}`, reason])).values()];
}
