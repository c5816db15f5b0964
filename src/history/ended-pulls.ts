import { badgePath } from './badge.ts';
import { encodeSegment } from './branch-segment.ts';
import type { Latest, Series } from './latest.ts';
import { historyPath } from './merge.ts';

interface Removal {
  readonly path: string;
  readonly content: null;
}

interface EndedInput {
  /** Numbers of all open pull requests; null: nobody could tell. */
  readonly openPulls: ReadonlySet<number> | null;
  /** What is published now stays, also of a pull request that was closed meanwhile. */
  readonly series: readonly Series[];
}

/** Pull requests whose files one publication takes away; those that are left go with the next ones. */
const AT_ONCE = 6;

/** The folder of the newest report of a suite on a branch. Pure. */
export function reportFolder(suite: string, branch: string): string {
  return `reports/${encodeSegment(suite)}/${encodeSegment(branch)}`;
}

/** The pull request that a series is of; null for a branch or tag. Pure. */
export function pullOf({ latest, branch }: Pick<Series, 'latest' | 'branch'>): number | null {
  return branch === `pull/${latest.pullRequest ?? 0}` ? latest.pullRequest : null;
}

/** What is known without the series of pull requests that are merged or closed, and the files that go with them. Pure. */
export function withoutEnded(
  known: Latest,
  { openPulls, series }: EndedInput,
): { readonly kept: Latest; readonly ended: readonly Removal[] } {
  if (openPulls === null) return { kept: known, ended: [] };
  const fresh = new Set(series.map(({ suite, branch }) => `${suite}\n${branch}`));
  const gone = known.series
    .filter((item) => {
      const pull = pullOf(item);
      return pull !== null && !openPulls.has(pull) && !fresh.has(`${item.suite}\n${item.branch}`);
    })
    .slice(0, AT_ONCE);
  const isGone = new Set(gone);
  return {
    kept: { ...known, series: known.series.filter((item) => !isGone.has(item)) },
    ended: gone.flatMap(filesOf),
  };
}

function filesOf({ suite, branch }: Series): Removal[] {
  const folder = reportFolder(suite, branch);
  const names = ['report.html', 'README.md', 'charts/tasks.svg'].map((name) => `${folder}/${name}`);
  return [historyPath(suite, branch), badgePath(suite, branch), ...names].map((path) => ({
    path,
    content: null,
  }));
}
