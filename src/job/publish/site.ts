import type { Repository } from '../../github/client.ts';
import { LEADERBOARD_PAGE_PATH } from '../../history/leaderboard.ts';
import { pageSeries } from '../../history/page-series.ts';
import type { Site } from '../../history/publication.ts';
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
