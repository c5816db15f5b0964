import type { IndexSeries } from '../report/page/index-data.ts';
import type { Latest } from './latest.ts';

/** latest.json as the page draws it. @param alarmOf the drift alarm of a series in words, null when there is none */
export function pageSeries(
  latest: Latest,
  alarmOf: (suite: string, branch: string) => string | null,
): IndexSeries[] {
  return latest.series.map(({ suite, branch, history, latest: last, points, baseline }) => ({
    suite,
    branch,
    history,
    baseline: baseline === null ? null : { runId: baseline.runId, commit: baseline.commit },
    alarm: alarmOf(suite, branch),
    points: points.map(({ tasks, ...point }) => ({
      ...point,
      tasks: tasks.map(([taskId, successes, valid]) => ({ taskId, successes, valid })),
    })),
    latestTasks: last.tasks.map(({ taskId, language, successes, valid }) => ({
      taskId,
      language,
      successes,
      valid,
    })),
  }));
}
