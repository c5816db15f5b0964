import type { Reason } from '../model/verdict.ts';
import type { RunCounts } from '../stats/cusum.ts';
import { points } from '../stats/rounding.ts';
import { selfStartingCusum } from '../stats/self-starting-cusum.ts';
import { type Interval, wilson } from '../stats/wilson.ts';

/** One run of a schedule on one suite and branch, as the history keeps it; oldest first. */
export interface HistoryPoint {
  readonly runId: string;
  readonly successes: number;
  readonly valid: number;
  /** The baseline in force: the chart begins with its counts, and a new name starts the chart anew. */
  readonly baseline: { readonly name: string; readonly successes: number; readonly valid: number } | null;
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

interface Trend {
  readonly points: readonly TrendPoint[];
  /** The chart in force has reached the alarm and no new baseline has reset it. */
  readonly alarm: boolean;
  /** Runs with episodes of the chart in force, its baseline not counted. */
  readonly runs: number;
}

/** Alarm height: with one baseline run, below 10 % for an alarm within 30 quiet runs; docs/statistics.md has the table. */
export const ALARM_AT = 4;
/** Runs after which the absence of an alarm says something. */
const TELLS_FROM = 20;

/** Run chart with Wilson bars and a self-starting CUSUM per stretch of equal baseline and protocol. Pure; in time order. */
export function trend(history: readonly HistoryPoint[]): Trend {
  const stretches: HistoryPoint[][] = [];
  for (const point of history) {
    const current = stretches.at(-1);
    const before = current?.at(-1);
    if (current === undefined || before === undefined || !sameChart(before, point)) stretches.push([point]);
    else current.push(point);
  }
  const found = stretches.flatMap(chartOf);
  const runs = (stretches.at(-1) ?? []).filter(({ valid }) => valid > 0).length;
  return { points: found, alarm: found.at(-1)?.alarm ?? false, runs };
}

function chartOf(stretch: readonly HistoryPoint[]): TrendPoint[] {
  const baseline = stretch[0]?.baseline ?? null;
  const runs = stretch.map(({ successes, valid }): RunCounts => ({ k: successes, n: valid }));
  const heights =
    baseline === null ? null : selfStartingCusum({ k: baseline.successes, n: baseline.valid }, runs).heights;
  return stretch.map(({ runId, successes, valid }, index) => {
    const height = heights?.[index] ?? null;
    return {
      runId,
      rate: valid === 0 ? null : successes / valid,
      interval: wilson(successes, valid),
      height,
      alarm: height !== null && height >= ALARM_AT,
      reset: index === 0,
    };
  });
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
  const change = points(successes / valid - last.baseline.successes / last.baseline.valid);
  const text = `The success rate has drifted: ${change} points against ${last.baseline.name} over the last ${since.length} runs (CUSUM at ${found.at(-1)?.height?.toFixed(1)}, alarm at ${ALARM_AT}).`;
  return { code: 'trend_alarm', text };
}

/** That a chart without an alarm is too young to mean anything, in words; null when it is not, or none is drawn. */
export function trendTooEarly(history: readonly HistoryPoint[]): Reason | null {
  const { alarm, runs } = trend(history);
  const baseline = history.at(-1)?.baseline ?? null;
  if (alarm || baseline === null || runs >= TELLS_FROM) return null;
  const text = `Drift: too early to tell. ${runs} of ${TELLS_FROM} runs since ${baseline.name}: until then a slow fall may go unnoticed.`;
  return { code: 'trend_too_early', text };
}

function sameChart(a: HistoryPoint, b: HistoryPoint): boolean {
  return a.baseline?.name === b.baseline?.name && a.fingerprint === b.fingerprint;
}
