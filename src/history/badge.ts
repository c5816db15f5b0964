import { percentOf } from '../stats/rounding.ts';
import { encodeSegment } from './branch-segment.ts';
import type { HistoryRecord } from './history-record.ts';

/** The JSON that shields.io's endpoint badge reads (its schema version 1). */
interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

const COLORS = { PASS: 'brightgreen', FAIL: 'red', INCONCLUSIVE: 'yellow', INVALID: 'lightgrey' } as const;

/** `badges/<suite>/<branch>.json`. */
export function badgePath(suite: string, branch: string): string {
  return `badges/${encodeSegment(suite)}/${encodeSegment(branch)}.json`;
}

/**
 * `libero_spatial | 93.0% PASS`; without a valid episode the verdict alone.
 * @param isBaseline what later runs are compared with: of one that could not be compared itself that is what it says
 */
export function badgeOf(record: HistoryRecord, isBaseline = false): Badge {
  const percent = percentOf(record.successes, record.valid);
  const isFirst = isBaseline && record.verdict === 'INCONCLUSIVE';
  const word = isFirst ? 'baseline set' : record.verdict;
  const rate = percent === null ? record.verdict : `${percent}% ${word}`;
  const message = record.evidence === undefined ? rate : `${rate} (session evidence)`;
  return { schemaVersion: 1, label: record.suite, message, color: isFirst ? 'blue' : COLORS[record.verdict] };
}
