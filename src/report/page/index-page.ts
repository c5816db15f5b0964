import { CHART_STYLE } from '../charts/chart-style.ts';
import { foreign, type Html, html, link } from './html.ts';
import { pullList, seriesCard } from './index-card.ts';
import { type IndexSeries, indexData, policiesOf, taskIdsOf } from './index-data.ts';
import { INDEX_SCRIPT, INDEX_STYLE } from './page-assets.ts';
import { htmlPage, jsonScript } from './page-shell.ts';
import { timeText } from './time-text.ts';
import { VERDICT_TINTS } from './verdict-section.ts';

export interface IndexInput {
  /** Whose history it is, e.g. `owner/name`. */
  readonly name: string;
  /** When the page was written; ISO 8601, UTC. */
  readonly writtenAt: string;
  readonly series: readonly IndexSeries[];
  /** Page beside this one with policies side by side; null where there is none. */
  readonly leaderboard: string | null;
}

/** Bytes of the whole page; a history without bound makes slow pages. */
export const INDEX_BUDGET = 200_000;

/** How much is inside: points per series for the script, and series. Each step says less. */
const LADDER: readonly { readonly points: number; readonly series: number }[] = [
  { points: 500, series: 200 },
  { points: 300, series: 200 },
  { points: 180, series: 200 },
  { points: 120, series: 100 },
  { points: 60, series: 60 },
  { points: 30, series: 30 },
  { points: 30, series: 12 },
  { points: 15, series: 6 },
  { points: 15, series: 3 },
  { points: 5, series: 1 },
];

/**
 * index.html of the report branch: the course of every suite and task on every branch, in one file that asks nothing
 * of any network. Never above `INDEX_BUDGET` bytes: older runs, then series that are quiet for longest, are left out,
 * and the page says so. Equal input gives equal bytes.
 */
export function indexPage(input: IndexInput): string {
  let page = '';
  for (const step of LADDER) {
    page = pageWith(input, step);
    if (Buffer.byteLength(page, 'utf8') <= INDEX_BUDGET) break;
  }
  return page;
}

function pageWith(input: IndexInput, { points, series: count }: { points: number; series: number }): string {
  const isPull = ({ pullRequest }: IndexSeries): boolean => pullRequest !== null;
  const branches = input.series.filter((series) => !isPull(series));
  const kept = newestSeries(branches, count);
  const pulls = newestSeries(input.series.filter(isPull), count);
  const size = {
    chartPoints: Math.min(60, points),
    sparkPoints: Math.min(40, points),
    runRows: Math.min(20, points),
  };
  const longest = Math.max(0, ...kept.map((series) => series.points.length));
  const body = html`<a class="skip" href="#main">Skip to the history</a>
<header class="top"><div class="wrap">
<p class="kind">Benchmark history</p>
<h1>${foreign(input.name)}</h1>
<p class="about">Written <time datetime="${input.writtenAt}">${timeText(input.writtenAt)}</time>${boardLink(input.leaderboard ?? null)}</p>
</div></header>
<main id="main" class="wrap">
${kept.length > 0 ? filters(kept) : pulls.length > 0 ? null : html`<p class="aside">Nothing was published yet.</p>`}
${notice({ shown: Math.min(points, longest), longest, left: input.series.length - kept.length - pulls.length })}
<div class="cards">
${kept.map((series, index) => seriesCard(series, index, size))}
</div>
${pullList(pulls)}
<p class="aside none" data-none hidden>No series matches these filters.</p>
</main>
<footer class="wrap"><p>Data for other programs: ${link('latest.json', 'latest.json')}${kept.map(({ history }) => (history === null ? null : html` · ${link(history, history)}`))}</p></footer>
${jsonScript('history', indexData(kept, points))}`;
  const verdict = (kept[0] ?? pulls[0])?.points.at(-1)?.verdict ?? 'INVALID';
  return htmlPage({
    title: `Benchmark history · ${input.name}`,
    description: `Success rates of every suite and task of ${input.name} over time.`,
    tint: VERDICT_TINTS[verdict],
    style: INDEX_STYLE + CHART_STYLE,
    script: INDEX_SCRIPT,
    body,
  }).text;
}

function boardLink(page: string | null): Html | null {
  return page === null ? null : html` · ${link('Leaderboard: policies side by side', page)}`;
}

/** The series that ran last, in the given order. */
function newestSeries(all: readonly IndexSeries[], count: number): readonly IndexSeries[] {
  if (all.length <= count) return all;
  const last = ({ points }: IndexSeries): number => Date.parse(points.at(-1)?.finishedAt ?? '1970-01-01');
  const kept = new Set([...all].sort((left, right) => last(right) - last(left)).slice(0, count));
  return all.filter((series) => kept.has(series));
}

function notice(cut: { shown: number; longest: number; left: number }): Html | null {
  const said = [
    cut.longest > cut.shown
      ? `Shown are the newest ${cut.shown} runs of each series; older ones are in its history file.`
      : '',
    cut.left > 0
      ? `${cut.left} series that are quiet for longest are left out; latest.json has all of them.`
      : '',
  ].filter((text) => text !== '');
  return said.length === 0 ? null : html`<p class="aside">${said.join(' ')}</p>`;
}

/** Hidden until the script is there to obey them. */
function filters(all: readonly IndexSeries[]): Html {
  const options = (values: readonly string[]): Html[] =>
    values.map((value) => html`<option value="${value}">${value}</option>`);
  const suites = [...new Set(all.map(({ suite }) => suite))];
  const branches = [...new Set(all.map(({ branch }) => branch))];
  const tasks = [...new Set(all.flatMap(taskIdsOf))].sort((left, right) => left - right);
  const policies = policiesOf(all).filter((policy) => policy !== '');
  return html`<form class="filters" data-filters hidden>
<label>Suite <select data-filter="suite"><option value="">all</option>${options(suites)}</select></label>
<label>Branch <select data-filter="branch"><option value="">all</option>${options(branches)}</select></label>
<label>Task <select data-filter="task"><option value="">all, whole suite</option>${tasks.map((id) => html`<option value="${id}">task ${id}</option>`)}</select></label>
<label>Policy <select data-filter="policy"><option value="">all</option>${options(policies)}</select></label>
<output data-shown></output>
</form>`;
}
