import type { IndexSeries } from '../report/page/index-data.ts';
import type { Latest } from './latest.ts';

/** latest.json as the page draws it. */
export function pageSeries(latest: Latest): IndexSeries[] {
  return latest.series.map(({ suite, branch, history, latest: last, points, baseline, alarm }) => ({
    suite,
    branch,
    history,
    baseline: baseline === null ? null : { runId: baseline.runId, commit: baseline.commit },
    alarm: alarm ?? null,
    points: points.map(({ tasks, alarm: stood, ...point }) => ({
      ...point,
      alarm: stood === true,
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
