import type { Reason } from '../model/verdict.ts';
import { type HistoryPoint, trend, trendAlarm, trendTooEarly } from '../verdict/trend.ts';
import type { BaselineHeader } from './baseline.ts';
import { type HistoryRecord, recordKey } from './history-record.ts';

/** The count that the chart of a branch expects, and the run it came from. */
type Expected = NonNullable<HistoryRecord['expected']>;

/** The drift of a branch's runs, as its records tell it. */
interface Drift {
  /** In words, while the chart in force stands at or above its alarm; null otherwise. */
  readonly alarm: Reason | null;
  /** In words, that a chart without an alarm says nothing yet; null otherwise. */
  readonly tooEarly: Reason | null;
  /** `recordKey` of every run at which the alarm stood. */
  readonly alarmed: ReadonlySet<string>;
}

/** Self-starting CUSUM over the records of one suite and branch, oldest first. */
export function driftOf(records: readonly HistoryRecord[]): Drift {
  const points = records.map(pointOf);
  const { points: drawn } = trend(points);
  const alarmed = records.filter((_, index) => drawn[index]?.alarm === true).map(recordKey);
  return { alarm: trendAlarm(points), tooEarly: trendTooEarly(points), alarmed: new Set(alarmed) };
}

function pointOf(record: HistoryRecord): HistoryPoint {
  const { expected = null, fingerprint = null } = record;
  // What an INVALID run counted says nothing about the policy.
  const sound = record.verdict !== 'INVALID';
  return {
    runId: record.runId,
    successes: sound ? record.successes : 0,
    valid: sound ? record.valid : 0,
    baseline:
      expected === null || expected.valid === 0
        ? null
        : { name: expected.name, successes: expected.successes, valid: expected.valid },
    // A rate over other cells is another rate, even under the same protocol.
    fingerprint: `${fingerprint ?? 'unknown'} ${record.planned}`,
  };
}

/** An accepted baseline with its counts. */
type InForce = Expected & {
  readonly acceptedBy: BaselineHeader['acceptedBy'];
  /** Cells that it was asked for. */
  readonly planned: number;
};

/**
 * What the chart expects of a new run; nothing while the baseline is of other cells than the run. A baseline that somebody blessed (a push, a merge, `accept`) begins a new chart.
 * One that a scheduled run became by itself does not: a slow drift would otherwise move its own goal every night.
 * @param inForce the accepted baseline of the branch before this run, with its counts; null when there is none.
 * @param previous the latest record of the branch; undefined when there is none.
 */
export function expectedFor(
  inForce: InForce | null,
  previous: HistoryRecord | undefined,
  own: Pick<HistoryRecord, 'fingerprint' | 'planned'>,
): Expected | null {
  const standing = previous?.expected ?? null;
  const sameProtocol =
    previous !== undefined &&
    (previous.fingerprint ?? null) === (own.fingerprint ?? null) &&
    previous.planned === own.planned;
  if (inForce === null || inForce.planned !== own.planned) return sameProtocol ? standing : null;
  if (inForce.acceptedBy === 'schedule' && sameProtocol && standing !== null) return standing;
  const { name, successes, valid } = inForce;
  return { name, successes, valid };
}

/** Where a suite stands in the course of its branch. */
export interface SuiteDrift {
  /** What the chart expects of this run; kept in its history record. */
  readonly expected: Expected | null;
  readonly alarm: Reason | null;
  /** The course is too short for the absence of an alarm to mean anything; only on a schedule. */
  readonly tooEarly: Reason | null;
}
