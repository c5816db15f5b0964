import { percentOf } from '../../stats/rounding.ts';
import { historySvg } from '../charts/history.ts';
import { sparkline } from '../charts/mini.ts';
import { usualSpace } from '../charts/stretches.ts';
import { intervalText, UNKNOWN } from '../text/format.ts';
import { foreign, type Html, html, link, trusted } from './html.ts';
import {
  expectedRate,
  type IndexPoint,
  type IndexSeries,
  isBaselineSet,
  markOf,
  repositoryOf,
  taskIdsOf,
  verdictWord,
} from './index-data.ts';
import { scrollBox } from './table-parts.ts';
import { timeText } from './time-text.ts';
import { baselineBadge, verdictBadge } from './verdict-section.ts';

/** How much of a series stands in the page itself, for those without scripts. */
interface CardSize {
  readonly chartPoints: number;
  readonly sparkPoints: number;
  readonly runRows: number;
}

/** Above this many tasks their table is folded. */
const MANY_TASKS = 12;

/** Verdict, rate, course and alarms of one suite on one branch. */
export function seriesCard(series: IndexSeries, index: number, size: CardSize): Html {
  const latest = series.points.at(-1);
  const tasks = taskIdsOf(series);
  return html`<article class="card" data-series="${index}" aria-labelledby="s${index}">
<header><h2 id="s${index}">${foreign(series.suite)} <span class="branch">${foreign(series.branch)}</span></h2>${latest === undefined ? null : isBaselineSet(latest, series.baseline) ? baselineBadge() : verdictBadge(latest.verdict)}</header>
${latest === undefined ? html`<p class="aside">No runs yet.</p>` : latestFacts(latest, series)}
${series.alarm === null ? null : html`<p class="alarm" role="note"><b>Drift alarm.</b> ${foreign(series.alarm)}</p>`}
<figure data-chart>${chart(series, size)}</figure>
${key(series)}
${tasks.length === 0 ? null : fold(`Tasks (${tasks.length})`, tasks.length <= MANY_TASKS, taskTable(series, tasks, size))}
${series.points.length === 0 ? null : fold('Runs', false, runTable(series, size))}
</article>`;
}

function fold(title: string, open: boolean, content: Html): Html {
  return open
    ? html`<details open><summary>${title}</summary>${content}</details>`
    : html`<details><summary>${title}</summary>${content}</details>`;
}

function latestFacts(point: IndexPoint, series: IndexSeries): Html {
  const percent = percentOf(point.successes, point.valid);
  const rate =
    percent === null
      ? html`<b>no valid episode</b>`
      : html`<b>${percent}%</b> <span>${point.successes} of ${point.valid}, interval ${intervalText(point)} %</span>`;
  const usual = usualSpace(series.points.map(markOf));
  const every = usual === null ? null : html` data-every="${Math.round(usual / 1000)}"`;
  const policy = point.policy ?? '';
  const ways = [
    ...(point.reportUrl == null ? [] : [link('Report', point.reportUrl)]),
    ...(point.runUrl === null ? [] : [link('Workflow run', point.runUrl)]),
  ];
  return html`<p class="latest">${rate}</p>
${ways.length === 0 ? null : html`<p class="links">${ways.map((way) => html`<span>${way}</span> `)}</p>`}
<p class="note">Last run <time datetime="${point.finishedAt}" data-age${every}>${timeText(point.finishedAt)}</time>${policy === '' ? null : html` · policy ${foreign(policy)}`}${point.planned > point.valid ? html` · ${point.planned - point.valid} of ${point.planned} planned without valid outcome` : null}${point.evidence === undefined ? null : html` · session evidence: the simulator did not confirm which cells ran`}</p>`;
}

function chart(series: IndexSeries, { chartPoints }: CardSize): Html {
  return trusted(
    historySvg(
      {
        title: `${series.suite} on ${series.branch}: success rate`,
        points: series.points.slice(-chartPoints).map(markOf),
        expected: expectedRate(series),
      },
      'inline',
    ),
  );
}

const KEY = '<svg viewBox="0 0 14 14" width="14" height="14" class="rb-chart" aria-hidden="true">SHAPE</svg>';
const SHAPES = {
  pass: '<circle class="rb-dot" cx="7" cy="7" r="4"/>',
  fail: '<path class="rb-dot-fail" d="M7 2l5 5-5 5-5-5z"/>',
  open: '<circle class="rb-dot-open" cx="7" cy="7" r="4"/>',
  cross: '<path class="rb-cross" d="M3 3l8 8m0-8l-8 8"/>',
  ring: '<circle class="rb-ring" cx="7" cy="7" r="5"/>',
  expected: '<path class="rb-expected" d="M0 7h14"/>',
} as const;

/** Only what occurs in this card. */
function key(series: IndexSeries): Html {
  const has = (test: (point: IndexPoint) => boolean): boolean => series.points.some(test);
  const entries: [boolean, keyof typeof SHAPES, string][] = [
    [has(({ verdict }) => verdict === 'PASS'), 'pass', 'pass'],
    [has(({ verdict }) => verdict === 'FAIL'), 'fail', 'fail'],
    [has(({ verdict }) => verdict === 'INCONCLUSIVE'), 'open', 'inconclusive'],
    [has(({ verdict, valid }) => verdict === 'INVALID' || valid === 0), 'cross', 'invalid or failed run'],
    [has(({ alarm }) => alarm === true), 'ring', 'drift alarm'],
    [expectedRate(series) !== null, 'expected', 'accepted baseline'],
  ];
  const shown = entries.filter(([occurs]) => occurs);
  return html`<ul class="key">${shown.map(([, shape, label]) => html`<li>${trusted(KEY.replace('SHAPE', SHAPES[shape]))} ${label}</li>`)}</ul>`;
}

function taskTable(series: IndexSeries, ids: readonly number[], { sparkPoints }: CardSize): Html {
  const points = series.points.slice(-sparkPoints);
  const rows = ids.map((taskId) => {
    const course = points.map(({ finishedAt, tasks }) => {
      const task = tasks?.find((item) => item.taskId === taskId);
      return { at: Date.parse(finishedAt), successes: task?.successes ?? 0, valid: task?.valid ?? 0 };
    });
    const last = latestTask(series, taskId);
    const percent = last === null ? null : percentOf(last.successes, last.valid);
    const rate = percent === null ? UNKNOWN : `${percent}% (${last?.successes}/${last?.valid})`;
    return html`<tr><td class="n">${taskId}</td><th scope="row" class="words">${foreign(last?.language ?? '')}</th><td class="n strong">${rate}</td><td class="spark">${trusted(sparkline(course))}</td></tr>`;
  });
  return scrollBox(
    `Tasks of ${series.suite} on ${series.branch}`,
    html`<table data-sortable><caption class="hidden">Tasks, latest rate and course</caption><thead><tr><th scope="col" data-sort="number" class="n">Task</th><th scope="col" data-sort="text">Instruction</th><th scope="col" data-sort="number" class="n">Latest</th><th scope="col">Course</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

function latestTask({ points, latestTasks }: IndexSeries, taskId: number) {
  const of = (tasks: IndexPoint['tasks']) => tasks?.find((task) => task.taskId === taskId);
  return of(latestTasks) ?? of(points.findLast(({ tasks }) => of(tasks) !== undefined)?.tasks) ?? null;
}

function runTable(series: IndexSeries, { runRows }: CardSize): Html {
  const rows = series.points
    .slice(-runRows)
    .reverse()
    .map((point) => {
      const percent = percentOf(point.successes, point.valid);
      const name = `${point.runId}${point.attempt === 1 ? '' : `, attempt ${point.attempt}`}`;
      return html`<tr data-policy="${point.policy ?? ''}"><td class="when">${timeText(point.finishedAt)}</td><td>${verdictWord(point, series)}${point.alarm === true ? ', drift' : ''}</td><td class="n strong">${percent === null ? UNKNOWN : `${percent}%`}</td><td class="n">${intervalText(point)}</td><td class="n">${point.valid}/${point.planned}</td><td>${commitLink(point)}</td><td>${foreign(point.policy ?? '')}</td><td class="id">${link(html`<code>${name}</code>`, point.runUrl)}${point.reportUrl == null ? null : html` · ${link('report', point.reportUrl)}`}</td></tr>`;
    });
  return scrollBox(
    `Runs of ${series.suite} on ${series.branch}`,
    html`<table data-sortable><caption class="hidden">Newest runs</caption><thead><tr><th scope="col" data-sort="text">Finished</th><th scope="col" data-sort="text">Verdict</th><th scope="col" data-sort="number" class="n">Rate</th><th scope="col" data-sort="number" class="n">95 %</th><th scope="col" data-sort="number" class="n">Valid</th><th scope="col" data-sort="text">Commit</th><th scope="col" data-sort="text">Policy</th><th scope="col" data-sort="text">Run</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

function commitLink({ commit, runUrl }: IndexPoint): Html | null {
  if (commit === null || commit === '') return null;
  const home = /^[0-9a-f]{7,64}$/.test(commit) ? repositoryOf(runUrl) : null;
  return link(html`<code>${commit.slice(0, 10)}</code>`, home === null ? null : `${home}/commit/${commit}`);
}

/** Pull requests come and go: a line each, folded. */
export function pullList(all: readonly IndexSeries[]): Html | null {
  const rows = all.flatMap((series) => {
    const point = series.points.at(-1);
    if (point === undefined) return [];
    const home = repositoryOf(point.runUrl);
    const percent = percentOf(point.successes, point.valid);
    const address = home === null ? null : `${home}/pull/${series.pullRequest}`;
    return [
      html`<tr><th scope="row" data-key="${series.pullRequest ?? 0}">${link(`#${series.pullRequest}`, address)}</th><td>${foreign(series.suite)}</td><td>${point.verdict}</td><td class="n strong">${percent === null ? UNKNOWN : `${percent}%`}</td><td class="n">${intervalText(point)}</td><td>${commitLink(point)}</td><td class="when">${timeText(point.finishedAt)}</td><td>${link(point.reportUrl == null ? 'run' : 'report', point.reportUrl ?? point.runUrl)}</td></tr>`,
    ];
  });
  if (rows.length === 0) return null;
  const table = html`<table data-sortable><caption class="hidden">Open pull requests</caption><thead><tr><th scope="col" data-sort="number">Pull request</th><th scope="col" data-sort="text">Suite</th><th scope="col" data-sort="text">Verdict</th><th scope="col" data-sort="number" class="n">Rate</th><th scope="col" data-sort="number" class="n">95 %</th><th scope="col" data-sort="text">Commit</th><th scope="col" data-sort="text">Finished</th><th scope="col" data-sort="text">Report</th></tr></thead><tbody>${rows}</tbody></table>`;
  return fold(`Pull requests (${rows.length})`, false, scrollBox('Pull requests', table));
}
