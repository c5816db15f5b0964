import * as z from 'zod';
import { outcomeSchema } from '../model/episode-record.ts';
import { cellsBySchema } from '../model/plan.ts';
import { encodeSegment } from './branch-segment.ts';
import { linesText, parseLine, parseLines, unreadable } from './json-lines.ts';

export const BASELINE_SCHEMA_ID = 'rollout-bench/baseline/1';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** First line of the file: where the accepted cells come from and why they were accepted. */
export const baselineHeaderSchema = z.strictObject({
  schema: z.literal(BASELINE_SCHEMA_ID),
  suite: z.string().min(1).max(300),
  branch: z.string().min(1).max(300),
  runId: z.string().min(1).max(200),
  attempt: z.int().positive(),
  commit: z.string().max(64).nullable(),
  planDigest: digest,
  bundleSha256: digest.nullable(),
  /** Everything that must be equal for a comparison; results.json run.fingerprint. */
  fingerprint: z.record(z.string(), z.unknown()),
  policy: z.string().max(1_000).nullable(),
  /** Declared digest of the checkpoint; absent in older files. */
  checkpointDigest: z.string().max(1_000).nullable().optional(),
  /** Measured after a fresh qualification; absent: exploratory. */
  qualified: z.literal(true).optional(),
  /** What each task was called; absent in older files, of which nobody can tell. */
  tasks: z
    .array(z.strictObject({ taskId: z.int().min(0), language: z.string().max(4_000) }))
    .max(10_000)
    .optional(),
  /** As in the plan. Absent: initial states. */
  cellsBy: cellsBySchema.optional(),
  /** Another tool measured it. Absent: this program did. */
  imported: z.literal(true).optional(),
  acceptedAt: z.iso.datetime(),
  acceptedBy: z.enum(['push', 'schedule', 'merged-pull-request', 'manual', 'release']),
  reason: z.string().max(1_000).nullable(),
  cells: z.int().min(0),
});
export type BaselineHeader = z.infer<typeof baselineHeaderSchema>;

/** One accepted cell; fits what pairing needs of an episode. Steps are simulator steps, null when unknown. */
export const baselineCellSchema = z.strictObject({
  suite: z.string(),
  taskId: z.int().min(0),
  initStateId: z.int().min(0),
  runIndex: z.int().min(0),
  position: z.int().min(0),
  outcome: outcomeSchema,
  steps: z.number().nullable(),
});
type BaselineCell = z.infer<typeof baselineCellSchema>;

export interface Baseline {
  readonly header: BaselineHeader;
  readonly cells: readonly BaselineCell[];
}

/** `anchors/<suite>/<branch>/episodes.jsonl`: what small drops are added up since. */
export function anchorPath(suite: string, branch: string): string {
  return `anchors/${encodeSegment(suite)}/${encodeSegment(branch)}/episodes.jsonl`;
}

/** `baselines/<suite>/<branch>/episodes.jsonl`. */
export function baselinePath(suite: string, branch: string): string {
  return `baselines/${encodeSegment(suite)}/${encodeSegment(branch)}/episodes.jsonl`;
}

export function baselineText({ header, cells }: Baseline): string {
  return linesText([header, ...cells]);
}

/** Does a text begin as the file of an accepted baseline, of whatever version? */
export function isBaselineText(text: string): boolean {
  return /^\{[^\n]*"schema":"rollout-bench\/baseline\//.test(text);
}

/**
 * @param text null: no baseline was accepted yet
 * @throws RbError RB810 on any line it cannot read, or when cells are missing
 */
export function parseBaseline(path: string, text: string | null): Baseline | null {
  if (text === null) return null;
  const end = text.indexOf('\n');
  if (end < 0) throw unreadable(path, 'has no complete first line.', text);
  const header = parseLine(`${path} line 1`, text.slice(0, end), baselineHeaderSchema);
  const cells = parseLines(`${path} after line 1:`, text.slice(end + 1), baselineCellSchema);
  if (cells.length !== header.cells) {
    throw unreadable(path, `holds ${cells.length} cells, its first line says ${header.cells}.`);
  }
  return { header, cells };
}

/** The baseline to keep of two: the one accepted later, then the greater run id, whoever writes first. */
export function newerBaseline(left: Baseline | null, right: Baseline | null): Baseline | null {
  if (left === null || right === null) return left ?? right;
  const key = ({ header }: Baseline) =>
    [header.acceptedAt, header.runId, String(header.attempt).padStart(6, '0')].join('\n');
  const instant = Date.parse(left.header.acceptedAt) - Date.parse(right.header.acceptedAt);
  if (instant !== 0) return instant > 0 ? left : right;
  return key(left) >= key(right) ? left : right;
}
