import * as z from 'zod';
import { canonicalDigest, canonicalJson } from '../base/canonical-json.ts';
import { type EpisodeRecord, outcomeSchema } from '../model/episode-record.ts';
import { bareRecord } from './bare-record.ts';
import type { RecordedBaseline } from './baseline.ts';
import { pairKey } from './pairing.ts';

const STOP_BASELINE_SCHEMA_ID = 'rollout-bench/stop-baseline/1';

const cellSchema = z.strictObject({
  suite: z.string(),
  taskId: z.int().min(0),
  initStateId: z.int().min(0),
  runIndex: z.int().min(0),
  position: z.int().min(0),
  language: z.string(),
  outcome: outcomeSchema,
  steps: z.number().nullable(),
});
type StopBaselineCell = z.infer<typeof cellSchema>;

const headerSchema = z.strictObject({
  schema: z.literal(STOP_BASELINE_SCHEMA_ID),
  /** As people know it. */
  name: z.string().min(1).max(300),
  /** Null when the baseline carries none. */
  fingerprint: z.record(z.string(), z.unknown()).nullable(),
  /** Absent: exploratory. */
  qualified: z.literal(true).optional(),
  cells: z.int().min(0),
});

/** The recorded baseline that an early stop compared with, as its bundle keeps it. */
export interface StopBaseline {
  readonly name: string;
  readonly fingerprint: Readonly<Record<string, unknown>> | null;
  /** Left out: exploratory. */
  readonly qualified?: true | undefined;
  /** Sorted by key, so that equal baselines have equal bytes. */
  readonly cells: readonly StopBaselineCell[];
}

/** What of a recorded baseline decides: the candidate's cells and its protocol. */
export function stopBaselineOf({ name, records, fingerprint, grade }: RecordedBaseline): StopBaseline {
  const cells = records
    .map(({ suite, taskId, initStateId, runIndex, position, language, outcome, steps }) => ({
      suite,
      taskId,
      initStateId,
      runIndex,
      position,
      language,
      outcome,
      steps,
    }))
    .sort((left, right) => {
      const [a, b] = [pairKey(left), pairKey(right)];
      return a < b ? -1 : a > b ? 1 : left.position - right.position;
    });
  return {
    name: name.slice(0, 300),
    fingerprint,
    ...(grade === 'qualified' ? { qualified: true } : {}),
    cells,
  };
}

/** sha256 over cells, protocol and grade; the name may differ from host to host. */
export function stopBaselineDigest({ fingerprint, qualified, cells }: StopBaseline): string {
  return canonicalDigest({ fingerprint, cells, ...(qualified === true ? { qualified } : {}) });
}

/** baseline.jsonl of a bundle. */
export function stopBaselineText({ name, fingerprint, qualified, cells }: StopBaseline): string {
  const grade = qualified === true ? { qualified } : {};
  const header = { schema: STOP_BASELINE_SCHEMA_ID, name, fingerprint, ...grade, cells: cells.length };
  return [header, ...cells].map((line) => `${canonicalJson(line)}\n`).join('');
}

/** Reads baseline.jsonl; a text says why it cannot be used. */
export function parseStopBaseline(text: string): StopBaseline | string {
  const lines = text.split('\n').filter((line) => line !== '');
  try {
    const header = headerSchema.parse(JSON.parse(lines[0] ?? ''));
    const cells = lines.slice(1).map((line) => cellSchema.parse(JSON.parse(line)));
    if (cells.length !== header.cells)
      return `it holds ${cells.length} cells, its first line says ${header.cells}`;
    const { name, fingerprint, qualified } = header;
    return { name, fingerprint, ...(qualified === true ? { qualified } : {}), cells };
  } catch (error) {
    return error instanceof z.ZodError
      ? `${error.issues[0]?.path.join('.') ?? ''} ${error.issues[0]?.message ?? ''}`.trim()
      : 'a line is not JSON';
  }
}

/** The kept cells as records again, for pairing and for the stop. */
export function recordsOfStopBaseline(kept: StopBaseline, benchmark: string): RecordedBaseline {
  const records: EpisodeRecord[] = kept.cells.map((cell) => bareRecord({ ...cell, benchmark }));
  const grade = kept.qualified === true ? 'qualified' : 'exploratory';
  return { name: kept.name, records, fingerprint: kept.fingerprint, grade };
}
