import type { EpisodeRecord } from '../../model/episode-record.ts';
import { codeOf } from '../../results/error-codes.ts';
import { numberText } from '../text/format.ts';
import { artifactLink } from '../view/artifact-link.ts';
import { episodeDetail } from '../view/failures-view.ts';
import type { ReportInput } from '../view/report-input.ts';
import { episodeAnchor } from './anchor.ts';
import type { CellComparison } from './comparison.ts';
import { foreign, type Html, html, link } from './html.ts';
import { OUTCOMES, outcomeLook } from './outcome-look.ts';
import { scrollBox } from './table-parts.ts';

/** Rows of the table; beyond, successes are left to the grid and to episodes.csv. */
export const MAX_EPISODE_ROWS = 3_000;

/** The episodes that get a row, by task, state, run and arm: those without success first of all. */
export function listedEpisodes(records: readonly EpisodeRecord[]): readonly EpisodeRecord[] {
  const notable = records.filter(({ outcome }) => outcome !== 'success');
  const room = Math.max(0, MAX_EPISODE_ROWS - notable.length);
  const successes = records.filter(({ outcome }) => outcome === 'success').slice(0, room);
  return [...notable.slice(0, MAX_EPISODE_ROWS), ...successes].sort(
    (left, right) =>
      left.taskId - right.taskId ||
      left.initStateId - right.initStateId ||
      left.runIndex - right.runIndex ||
      (left.arm === right.arm ? 0 : left.arm < right.arm ? -1 : 1),
  );
}

/** Filters (for those with scripts) and the table of episodes; each row can be linked to. */
export function episodeSection(
  input: ReportInput,
  compared: CellComparison | null,
  listed: readonly EpisodeRecord[],
): Html {
  const { records, results } = input;
  const left = records.length - listed.length;
  const omitted =
    left === 0
      ? null
      : html`<p class="aside">${left} more episodes are in episodes.csv; every episode without success comes first.</p>`;
  const several = results.arms.length > 1;
  // A page lies in its bundle, never where the runtime keeps its files.
  const isInBundle = input.audience === 'published';
  const linkOf = (record: EpisodeRecord): string | null => (isInBundle ? artifactLink(input, record) : null);
  const columns: Columns = { several, repeated: results.repeats > 1, compared, linkOf };
  return html`<section id="episodes" aria-labelledby="episodes-title">
<h2 id="episodes-title">Episodes</h2>
${filters({ records, results }, columns)}
${omitted}
${scrollBox('Episodes', episodeTable(listed, columns))}
<button type="button" class="more" data-more hidden></button>
</section>`;
}

interface Columns {
  readonly several: boolean;
  readonly repeated: boolean;
  readonly compared: CellComparison | null;
  /** Where an episode's files are, as seen from the page; null where that cannot be followed. */
  readonly linkOf: (record: EpisodeRecord) => string | null;
}

function filters(
  { records, results }: Pick<ReportInput, 'records' | 'results'>,
  { several, compared }: Columns,
): Html {
  const tasks = [...new Set(records.map(({ taskId }) => taskId))].sort((a, b) => a - b);
  const languages = new Map(
    results.arms.flatMap((arm) => arm.tasks.map((task) => [task.taskId, task.language])),
  );
  const present = new Set(records.map(({ outcome }) => outcome));
  const arms = several
    ? html`<label>Arm <select data-filter="arm"><option value="">both</option><option>candidate</option><option>baseline</option></select></label>`
    : null;
  const changed =
    compared === null
      ? null
      : html`<option value="!regressed">regressed</option><option value="!fixed">fixed</option>`;
  return html`<form class="filters" data-filters hidden>
<label>Task <select data-filter="task"><option value="">all</option>${tasks.map((id) => html`<option value="${id}">${id} · ${(languages.get(id) ?? '').slice(0, 60)}</option>`)}</select></label>
<label>Outcome <select data-filter="outcome"><option value="">all</option><option value="!notable">without success</option>${changed}${OUTCOMES.filter((outcome) => present.has(outcome)).map((outcome) => html`<option value="${outcome}">${outcomeLook(outcome).label}</option>`)}</select></label>
${arms}
<label>Text <input type="search" data-filter="text" placeholder="code, message, session" autocomplete="off"></label>
<output data-shown></output>
</form>`;
}

function episodeTable(listed: readonly EpisodeRecord[], columns: Columns): Html {
  const head = [
    number('Task'),
    number('State'),
    columns.repeated ? number('Run') : null,
    columns.several ? text('Arm') : null,
    text('Outcome'),
    columns.compared === null ? null : text('Change'),
    number('Steps'),
    number('Return'),
    number('Latency, ms'),
    number('Time, s'),
    text('Code'),
    text('Detail'),
    text('Session'),
  ];
  return html`<table class="episodes" data-sortable data-episodes>
<caption class="hidden">Episodes</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${listed.map((record) => episodeRow(record, columns))}</tbody>
</table>`;
}

const number = (title: string): Html => html`<th scope="col" data-sort="number" class="n">${title}</th>`;
const text = (title: string): Html => html`<th scope="col" data-sort="text">${title}</th>`;

function episodeRow(record: EpisodeRecord, { several, repeated, compared, linkOf }: Columns): Html {
  const { kind, glyph, label } = outcomeLook(record.outcome);
  const change = compared?.changeOf(record) ?? null;
  const detail = episodeDetail(record);
  const tries = record.attempts.length > 1 ? ` (${record.attempts.length} tries)` : '';
  const changed = compared === null ? null : html`<td>${change ?? ''}</td>`;
  return html`<tr id="${episodeAnchor(record)}" data-o="${record.outcome}"><td class="n">${record.taskId}</td><td class="n">${record.initStateId}</td>${repeated ? html`<td class="n">${record.runIndex}</td>` : null}${several ? html`<td>${record.arm}</td>` : null}<td class="outcome"><span class="c ${kind}" aria-hidden="true">${glyph}</span> ${label}${tries}</td>${changed}<td class="n">${numberText(record.steps, 0)}</td><td class="n">${numberText(record.episodeReturn, 2)}</td><td class="n">${numberText(record.policyLatencyMs, 1)}</td><td class="n">${numberText(record.durationMs === null ? null : record.durationMs / 1000, 1)}</td><td>${codeCell(record)}</td><td class="detail">${detail === '' ? null : foreign(detail)}</td><td class="id">${record.sessionId === null ? null : link(html`<code>${record.sessionId}</code>`, linkOf(record))}</td></tr>
`;
}

function codeCell(record: EpisodeRecord): Html | null {
  const code = codeOf(record);
  return code === null ? null : html`<code>${code}</code>`;
}
