import * as z from 'zod';
import { verdictSchema } from '../model/verdict.ts';
import type { BaselineHeader } from './baseline.ts';
import { driftOf } from './drift.ts';
import { type HistoryRecord, historyRecordSchema, recordKey } from './history-record.ts';
import { parseLine } from './json-lines.ts';
import { historyPath } from './merge.ts';

const LATEST_SCHEMA_ID = 'rollout-bench/latest/1';
export const LATEST_PATH = 'latest.json';

/** Points of a series the page can draw without reading its history file. */
export const SERIES_POINTS = 60;
/** Branches of pull requests come and go: only this many series, those with a baseline and the newest, keep all points. */
const FULL_SERIES = 12;
const QUIET_SERIES_POINTS = 10;
/** Series beyond this leave latest.json; their history files stay. */
const SERIES_MAX = 100;

const count = z.int().min(0);
const rate = z.number().min(0).max(1).nullable();

const seriesPointSchema = z.strictObject({
  runId: z.string(),
  attempt: z.int().positive(),
  finishedAt: z.iso.datetime(),
  commit: z.string().nullable(),
  verdict: verdictSchema,
  planned: count,
  valid: count,
  successes: count,
  low: rate,
  high: rate,
  runUrl: z.string().nullable(),
  policy: z.string().nullable(),
  /** Task id, successes, valid. */
  tasks: z.array(z.tuple([count, count, count])),
  /** The drift alarm stood at this run. */
  alarm: z.literal(true).optional(),
  /** As in the history. */
  evidence: z.literal('session').optional(),
});
type SeriesPoint = z.infer<typeof seriesPointSchema>;

const seriesSchema = z.strictObject({
  suite: z.string(),
  branch: z.string(),
  /** The history file on this branch. */
  history: z.string(),
  latest: historyRecordSchema,
  /** Oldest first. */
  points: z.array(seriesPointSchema).max(SERIES_POINTS),
  /** The drift alarm in words; absent without one. */
  alarm: z.string().max(1_000).optional(),
  /** The accepted run that pull requests are compared with; null when none is. */
  baseline: z
    .strictObject({ runId: z.string(), commit: z.string().nullable(), acceptedAt: z.string() })
    .nullable(),
});
export type Series = z.infer<typeof seriesSchema>;

/** latest.json: what every suite and branch last gave, for the page and for other programs. */
export const latestSchema = z.strictObject({
  schema: z.literal(LATEST_SCHEMA_ID),
  series: z.array(seriesSchema),
});
export type Latest = z.infer<typeof latestSchema>;

/** @throws RbError RB810 when it cannot be read */
export function parseLatest(text: string | null): Latest {
  if (text === null) return { schema: LATEST_SCHEMA_ID, series: [] };
  return parseLine(LATEST_PATH, text, latestSchema);
}

/** A series from its whole, merged history. @throws RangeError on an empty history */
export function seriesOf(
  records: readonly HistoryRecord[],
  baseline: Pick<BaselineHeader, 'runId' | 'commit' | 'acceptedAt'> | null,
): Series {
  const latest = records.at(-1);
  if (latest === undefined) throw new RangeError('a series needs a record');
  const { alarm, alarmed } = driftOf(records);
  return {
    suite: latest.suite,
    branch: latest.branch,
    history: historyPath(latest.suite, latest.branch),
    latest,
    points: records.slice(-SERIES_POINTS).map((record) => pointOf(record, alarmed.has(recordKey(record)))),
    ...(alarm === null ? {} : { alarm: alarm.text }),
    baseline:
      baseline === null
        ? null
        : { runId: baseline.runId, commit: baseline.commit, acceptedAt: baseline.acceptedAt },
  };
}

/** Puts series in place of those of the same suite and branch; all others stay, within the caps. */
export function withSeries(latest: Latest, changed: readonly Series[]): Latest {
  const key = ({ suite, branch }: Series) => `${suite}\n${branch}`;
  const all = new Map([...latest.series, ...changed].map((series) => [key(series), series]));
  const ranked = [...all.values()].sort(
    (left, right) =>
      Number(right.baseline !== null) - Number(left.baseline !== null) ||
      Date.parse(right.latest.finishedAt) - Date.parse(left.latest.finishedAt) ||
      (key(left) < key(right) ? -1 : 1),
  );
  const kept = ranked
    .slice(0, SERIES_MAX)
    .map((series, rank) =>
      rank < FULL_SERIES ? series : { ...series, points: series.points.slice(-QUIET_SERIES_POINTS) },
    );
  return {
    schema: LATEST_SCHEMA_ID,
    series: kept.sort((left, right) => (key(left) < key(right) ? -1 : 1)),
  };
}

function pointOf(record: HistoryRecord, alarm: boolean): SeriesPoint {
  const { runId, attempt, finishedAt, commit, verdict, runUrl, policy } = record;
  const { planned, valid, successes, low, high } = record;
  const tasks = record.tasks.map((task): [number, number, number] => [
    task.taskId,
    task.successes,
    task.valid,
  ]);
  const numbers = { planned, valid, successes, low, high };
  return {
    runId,
    attempt,
    finishedAt,
    commit,
    verdict,
    ...numbers,
    runUrl,
    policy,
    tasks,
    ...(alarm ? { alarm } : {}),
    ...(record.evidence === undefined ? {} : { evidence: record.evidence }),
  };
}
