import type { Repository } from '../../github/client.ts';
import { pullOf, reportFolder } from '../../history/ended-pulls.ts';
import type { Latest } from '../../history/latest.ts';
import { LEADERBOARD_PAGE_PATH } from '../../history/leaderboard.ts';
import type { Site } from '../../history/publication.ts';
import type { IndexSeries } from '../../report/page/index-data.ts';
import { indexPage } from '../../report/page/index-page.ts';

/** The pages that GitHub Pages serves from the report branch, from everything the branch knows. Pure. */
export function siteFiles({ owner, repo }: Repository, writtenAt: string): Site {
  return (latest, { hasLeaderboard }) => [
    {
      path: 'index.html',
      content: indexPage({
        name: `${owner}/${repo}`,
        writtenAt,
        series: pageSeries(latest),
        leaderboard: hasLeaderboard ? LEADERBOARD_PAGE_PATH : null,
      }),
    },
    { path: '.nojekyll', content: '' },
  ];
}

/** latest.json as the page draws it. */
export function pageSeries(latest: Latest): IndexSeries[] {
  return latest.series.map(({ suite, branch, history, latest: last, points, baseline, alarm }) => ({
    suite,
    branch,
    history,
    baseline: baseline === null ? null : { runId: baseline.runId, commit: baseline.commit },
    alarm: alarm ?? null,
    pullRequest: pullOf({ latest: last, branch }),
    points: points.map(({ tasks, alarm: stood, ...point }) => ({
      ...point,
      // Of a suite and branch only the newest report is kept.
      reportUrl:
        point.runId === last.runId && point.attempt === last.attempt
          ? `${reportFolder(suite, branch)}/report.html`
          : null,
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
