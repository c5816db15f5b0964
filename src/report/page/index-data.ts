import type { Verdict } from '../../model/verdict.ts';
import type { HistoryMark } from '../charts/history.ts';

/** One run in the history of a suite and branch. A record of the report branch's history fits. */
export interface IndexPoint {
  readonly runId: string;
  readonly attempt: number;
  /** ISO 8601, UTC. */
  readonly finishedAt: string;
  readonly commit: string | null;
  readonly verdict: Verdict;
  readonly planned: number;
  readonly valid: number;
  readonly successes: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly runUrl: string | null;
  readonly policy: string | null;
  /** Address of the run's report, relative to the page or whole. */
  readonly reportUrl: string | null;
  /** The drift alarm (CUSUM) stood at this run. */
  readonly alarm?: boolean;
  /** Cells are proven by their sessions alone. */
  readonly evidence?: 'session' | undefined;
  readonly tasks?: readonly IndexTask[];
}

interface IndexTask {
  readonly taskId: number;
  readonly language?: string;
  readonly successes: number;
  readonly valid: number;
}

export interface IndexSeries {
  readonly suite: string;
  readonly branch: string;
  /** Path of the whole history beside the page, null when there is none. */
  readonly history: string | null;
  /** Oldest first. */
  readonly points: readonly IndexPoint[];
  /** The accepted run; its rate is the line that the chart expects. */
  readonly baseline: { readonly runId: string; readonly commit: string | null } | null;
  /** The pull request that was measured; null for a branch. */
  readonly pullRequest: number | null;
  /** The drift alarm in words, null when there is none. */
  readonly alarm: string | null;
  /** Tasks of the latest run with their instructions, for points that carry none. */
  readonly latestTasks?: readonly IndexTask[];
}

/**
 * What the page's script draws from: numbers and indexes instead of names that repeat. A point is
 * [seconds since 1970, successes, valid, low, high, verdict, policy, alarm, commit, task counts];
 * task counts are [successes, valid] in the order of the series' task ids, or 0 when the run had no such task.
 */
export interface IndexData {
  readonly policies: readonly string[];
  readonly series: readonly DataSeries[];
}

export interface DataSeries {
  readonly suite: string;
  readonly branch: string;
  readonly expected: number | null;
  readonly tasks: readonly number[];
  readonly points: readonly DataPoint[];
}

type TaskCounts = readonly [successes: number, valid: number] | 0;

export type DataPoint = readonly [
  seconds: number,
  successes: number,
  valid: number,
  low: number | null,
  high: number | null,
  verdict: number,
  policy: number,
  alarm: 0 | 1,
  commit: string,
  tasks: readonly TaskCounts[],
];

export const VERDICTS: readonly Verdict[] = ['PASS', 'FAIL', 'INCONCLUSIVE', 'INVALID'];

/** The script's data from the newest `cap` points of each series. */
export function indexData(all: readonly IndexSeries[], cap: number): IndexData {
  const policies = policiesOf(all);
  const series = all.map((item) => {
    const tasks = taskIdsOf(item);
    return {
      suite: item.suite,
      branch: item.branch,
      expected: expectedRate(item),
      tasks,
      points: item.points.slice(-cap).map((point) => dataPoint(point, tasks, policies)),
    };
  });
  return { policies, series };
}

/** Names of policies in the order of their first appearance. */
export function policiesOf(all: readonly IndexSeries[]): string[] {
  return [...new Set(all.flatMap(({ points }) => points.map(({ policy }) => policy ?? '')))];
}

export function taskIdsOf({ points, latestTasks }: IndexSeries): number[] {
  const ids = [...points.flatMap(({ tasks }) => tasks ?? []), ...(latestTasks ?? [])];
  return [...new Set(ids.map(({ taskId }) => taskId))].sort((left, right) => left - right);
}

function dataPoint(point: IndexPoint, tasks: readonly number[], policies: readonly string[]): DataPoint {
  const counts = new Map((point.tasks ?? []).map((task) => [task.taskId, task]));
  return [
    Math.round(Date.parse(point.finishedAt) / 1000),
    point.successes,
    point.valid,
    shortRate(point.low),
    shortRate(point.high),
    VERDICTS.indexOf(point.verdict),
    policies.indexOf(point.policy ?? ''),
    point.alarm === true ? 1 : 0,
    (point.commit ?? '').slice(0, 10),
    tasks.map((id) => {
      const task = counts.get(id);
      return task === undefined ? 0 : [task.successes, task.valid];
    }),
  ];
}

/** Four decimals are a hundredth of a point, finer than any screen. */
function shortRate(rate: number | null): number | null {
  return rate === null ? null : Math.round(rate * 10_000) / 10_000;
}

/** Rate of the accepted run, null when it is unknown or no longer in the history. */
export function expectedRate({ baseline, points }: IndexSeries): number | null {
  const run = points.findLast(({ runId, valid }) => runId === baseline?.runId && valid > 0);
  return run === undefined ? null : run.successes / run.valid;
}

/** A point as the chart draws it. */
export function markOf(point: IndexPoint): HistoryMark {
  const { finishedAt, successes, valid, low, high, verdict, commit } = point;
  return {
    at: Date.parse(finishedAt),
    successes,
    valid,
    low,
    high,
    verdict,
    alarm: point.alarm === true,
    name: markName(finishedAt.slice(0, 10), commit ?? ''),
  };
}

export function markName(day: string, commit: string): string {
  return commit === '' ? day : `${day}, ${commit.slice(0, 10)}`;
}

/** What a run came to, in a word: one that became the baseline had nothing to be compared with. */
export function verdictWord(point: IndexPoint, { baseline }: IndexSeries): string {
  return isBaselineSet(point, baseline) ? 'baseline set' : point.verdict;
}

export function isBaselineSet({ verdict, runId }: IndexPoint, baseline: IndexSeries['baseline']): boolean {
  return verdict === 'INCONCLUSIVE' && runId === baseline?.runId;
}

/** The repository's address, which the address of a workflow run begins with; null when there is none. */
export function repositoryOf(runUrl: string | null): string | null {
  return /^(https:\/\/[^/\s]+\/[\w.-]+\/[\w.-]+)\/actions\/runs\/\d+/.exec(runUrl ?? '')?.[1] ?? null;
}
