import { cusum } from '../stats/cusum.ts';
import { points } from '../stats/rounding.ts';
import { type Interval, wilson } from '../stats/wilson.ts';
import type { Reason } from './verdict.ts';

/** One run of a schedule on one suite and branch, as the history keeps it; oldest first. */
export interface HistoryPoint {
  readonly runId: string;
  readonly successes: number;
  readonly valid: number;
  /** The baseline in force: its rate is what the chart expects, and a new name starts the chart anew. */
  readonly baseline: { readonly name: string; readonly rate: number } | null;
  /** Digest of the protocol; a change starts the chart anew, for another protocol measures something else. */
  readonly fingerprint: string | null;
}

/** One point of the run chart. Rates as rates; the height of the CUSUM has no unit. */
interface TrendPoint {
  readonly runId: string;
  readonly rate: number | null;
  readonly interval: Interval | null;
  /** Null where nothing is expected yet (no baseline). */
  readonly height: number | null;
  readonly alarm: boolean;
  /** A chart begins here. */
  readonly reset: boolean;
}

export interface Trend {
  readonly points: readonly TrendPoint[];
  /** The chart in force has reached the alarm and no new baseline has reset it. */
  readonly alarm: boolean;
}

/** Alarm height: about 270 runs of 100 episodes between false alarms. */
const ALARM_AT = 4;
/** The drop the chart is tuned to notice. */
const TREND_DROP = 0.05;

/**
 * Run chart with Wilson bars and a binomial CUSUM per stretch of equal baseline and protocol. Pure; points in time
 * order. An expected rate outside (TREND_DROP, 1) is pulled inside, because the chart's logarithms need it.
 */
export function trend(history: readonly HistoryPoint[]): Trend {
  const found: TrendPoint[] = [];
  let begin = 0;
  history.forEach((point, index) => {
    const before = history[index - 1];
    const reset = before === undefined || !sameChart(before, point);
    if (reset) begin = index;
    const stretch = history.slice(begin, index + 1);
    const height = point.baseline === null ? null : heightOf(stretch, point.baseline.rate);
    found.push({
      runId: point.runId,
      rate: point.valid === 0 ? null : point.successes / point.valid,
      interval: wilson(point.successes, point.valid),
      height,
      alarm: height !== null && height >= ALARM_AT,
      reset,
    });
  });
  return { points: found, alarm: found.at(-1)?.alarm ?? false };
}

/** The alarm of the latest point, in words; null without one. */
export function trendAlarm(history: readonly HistoryPoint[]): Reason | null {
  const { points: found, alarm } = trend(history);
  const last = history.at(-1);
  if (!alarm || last?.baseline === undefined || last.baseline === null) return null;
  const first = found.findLastIndex((point) => point.reset);
  const since = history.slice(first);
  const successes = since.reduce((sum, point) => sum + point.successes, 0);
  const valid = since.reduce((sum, point) => sum + point.valid, 0);
  const change = points(successes / valid - last.baseline.rate);
  const text = `The success rate has drifted: ${change} points against ${last.baseline.name} over the last ${since.length} runs (CUSUM at ${found.at(-1)?.height?.toFixed(1)}, alarm at ${ALARM_AT}).`;
  return { code: 'trend_alarm', text };
}

function sameChart(a: HistoryPoint, b: HistoryPoint): boolean {
  return a.baseline?.name === b.baseline?.name && a.fingerprint === b.fingerprint;
}

function heightOf(stretch: readonly HistoryPoint[], rate: number): number {
  const expected = Math.min(0.999, Math.max(TREND_DROP + 0.001, rate));
  const runs = stretch.map(({ successes, valid }) => ({ k: successes, n: valid }));
  const { heights } = cusum(runs, { expected, worse: expected - TREND_DROP, alarmAt: ALARM_AT });
  return heights.at(-1) ?? 0;
}
