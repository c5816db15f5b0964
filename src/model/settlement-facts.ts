import * as z from 'zod';

/** Changes that a bundle lists; a rewritten document of thousands of entries is one change with its count. */
export const MAX_CHANGES = 20;
/** How a change of RUNTIME.md is told; a release looks for it. */
export const RUNTIME_EDITED = 'RUNTIME.md edited';
/** Names that one change lists. */
export const MAX_NAMES = 5;

/**
 * What a run's workspace was before its first write and after its last. Each answer is null when one of the two looks
 * was not possible: unknown is neither changed nor unchanged.
 */
export const settlementSchema = z.strictObject({
  /** The measured target, its contract and the skill runtime: what the numbers are about. */
  measuredUnchanged: z.boolean().nullable(),
  /** Every other target and skill runtime, and RUNTIME.md. */
  workspaceUnchanged: z.boolean().nullable(),
  /** Entries of others in SESSIONS.md: finished ones the same, none gone, the rest only moved forward. */
  foreignUnchanged: z.boolean().nullable(),
  /** Entries of others that were there before; null when nobody could look. */
  foreignEntries: z.int().min(0).nullable(),
  changes: z
    .array(
      z.strictObject({
        /** `measured` makes the run INVALID, the others are somebody else's business and only said. */
        concerns: z.enum(['measured', 'workspace', 'foreign']),
        /** What changed, without names. */
        what: z.string(),
        /** Some of the entries; left out of published copies. */
        names: z.array(z.string()).max(MAX_NAMES),
      }),
    )
    .max(MAX_CHANGES),
});
export type Settlement = z.infer<typeof settlementSchema>;

/** Of several parts of one measurement: each answer as bad as the worst of them. Undefined when none has looked. Pure. */
export function mergedSettlement(parts: readonly (Settlement | undefined)[]): Settlement | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  const isWhole = known.length === parts.length;
  const worst = (answers: readonly (boolean | null)[]): boolean | null => {
    if (answers.includes(false)) return false;
    return isWhole && !answers.includes(null) ? true : null;
  };
  const entries = known.map(({ foreignEntries }) => foreignEntries);
  return {
    measuredUnchanged: worst(known.map(({ measuredUnchanged }) => measuredUnchanged)),
    workspaceUnchanged: worst(known.map(({ workspaceUnchanged }) => workspaceUnchanged)),
    foreignUnchanged: worst(known.map(({ foreignUnchanged }) => foreignUnchanged)),
    foreignEntries:
      isWhole && !entries.includes(null) ? entries.reduce<number>((sum, each) => sum + (each ?? 0), 0) : null,
    // What makes a measurement INVALID must not be cut off behind what is only said.
    changes: known
      .flatMap(({ changes }) => changes)
      .toSorted((left, right) => Number(right.concerns === 'measured') - Number(left.concerns === 'measured'))
      .slice(0, MAX_CHANGES),
  };
}
