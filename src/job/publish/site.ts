import type { Repository } from '../../github/client.ts';
import type { Latest } from '../../history/latest.ts';
import { pageSeries } from '../../history/page-series.ts';
import type { FileChange } from '../../history/publication.ts';
import { indexPage } from '../../report/page/index-page.ts';

/** The pages that GitHub Pages serves from the report branch, from everything the branch knows. Pure. */
export function siteFiles(
  { owner, repo }: Repository,
  writtenAt: string,
): (latest: Latest) => readonly FileChange[] {
  return (latest) => [
    {
      path: 'index.html',
      content: indexPage({
        name: `${owner}/${repo}`,
        writtenAt,
        series: pageSeries(latest),
      }),
    },
    { path: '.nojekyll', content: '' },
  ];
}
