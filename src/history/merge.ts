import { canonicalJson } from '../base/canonical-json.ts';
import { byCodeUnit } from '../base/stable-json.ts';
import { encodeSegment } from './branch-segment.ts';
import { type HistoryRecord, historyRecordSchema, recordKey } from './history-record.ts';
import { linesText, parseLines } from './json-lines.ts';

/** Records kept per suite and branch: half a megabyte of text, and more points than a chart can show. */
export const HISTORY_CAP = 500;

/** `history/<suite>/<branch>.jsonl`. */
export function historyPath(suite: string, branch: string): string {
  return `history/${encodeSegment(suite)}/${encodeSegment(branch)}.jsonl`;
}

/** @throws RbError RB810 on any line it cannot read */
export function parseHistory(path: string, text: string | null): HistoryRecord[] {
  return text === null ? [] : parseLines(path, text, historyRecordSchema);
}

export function historyText(records: readonly HistoryRecord[]): string {
  return linesText(records);
}

/**
 * Union of two histories in time order, at most `cap` of the newest. Commutative, associative and idempotent, so
 * that publishers may race and repeat: of two different records of one attempt the one that finished later wins,
 * then the greater text.
 */
export function mergeHistory(
  left: readonly HistoryRecord[],
  right: readonly HistoryRecord[],
  cap: number = HISTORY_CAP,
): HistoryRecord[] {
  const byKey = new Map<string, HistoryRecord>();
  for (const record of [...left, ...right]) {
    const known = byKey.get(recordKey(record));
    if (known === undefined || order(known, record) < 0) byKey.set(recordKey(record), record);
  }
  return [...byKey.values()].sort(order).slice(-cap);
}

/** Total order: by end, then by run, attempt and content, so that the cut never depends on who came first. */
function order(left: HistoryRecord, right: HistoryRecord): number {
  return (
    Date.parse(left.finishedAt) - Date.parse(right.finishedAt) ||
    byCodeUnit(left.runId, right.runId) ||
    left.attempt - right.attempt ||
    byCodeUnit(canonicalJson(left), canonicalJson(right))
  );
}
