import type { EpisodeRecord, Outcome } from '../../model/episode-record.ts';
import { distinctNames } from '../charts/distinct-names.ts';
import type { ReportInput } from '../view/report-input.ts';
import { episodeAnchor } from './anchor.ts';
import type { CellComparison } from './comparison.ts';
import { foreign, type Html, html } from './html.ts';
import { OUTCOMES, outcomeLook } from './outcome-look.ts';
import { scrollBox } from './table-parts.ts';

/** A grid of more cells is drawn by the script when it is asked for: each cell costs a browser two nodes. */
const MAX_CELLS = 1_000;
/** From here on only every fifth initial state is numbered. */
const MANY_STATES = 25;

interface Cells {
  readonly compared: CellComparison | null;
  /** Whether an episode has a row to link to without scripts. */
  readonly listed: (record: EpisodeRecord) => boolean;
  /** The place of an episode in the page's data. */
  readonly placeOf: (record: EpisodeRecord) => number;
}

/** Task × initial state, a cell per episode. */
export function gridSection(input: ReportInput, cells: Cells): Html {
  const { compared } = cells;
  const { records } = input;
  if (records.length === 0) return html``;
  const counts = new Map<Outcome, number>();
  for (const { outcome } of records) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const grid =
    records.length > MAX_CELLS
      ? html`<details class="fold" data-draw hidden><summary>Draw the grid of ${records.length} episodes</summary></details>`
      : scrollBox('Episodes by task and initial state', gridTable(input, cells));
  return html`<section id="grid" aria-labelledby="grid-title">
<h2 id="grid-title">Every episode</h2>
<p class="aside">A row per task, a column per initial state. Point at a cell or move with the arrow keys to see the episode; Enter goes to its row.</p>
${legend(counts, compared)}
${grid}
</section>`;
}

function legend(counts: ReadonlyMap<Outcome, number>, compared: CellComparison | null): Html {
  const items = OUTCOMES.filter((outcome) => counts.has(outcome)).map((outcome) => {
    const { kind, glyph, label } = outcomeLook(outcome);
    return html`<li><span class="c ${kind}" aria-hidden="true">${glyph}</span> ${label} <span class="count">${counts.get(outcome) ?? 0}</span></li>`;
  });
  const changes =
    compared === null
      ? null
      : html`<li><span class="c o-failure worse" aria-hidden="true">×</span> regressed <span class="count">${compared.total.regressed}</span></li><li><span class="c o-success better" aria-hidden="true">·</span> fixed <span class="count">${compared.total.fixed}</span></li>`;
  return html`<ul class="legend">${items}${changes}</ul>`;
}

function gridTable({ records, results }: ReportInput, cells: Cells): Html {
  const states = [...new Set(records.map(({ initStateId }) => initStateId))].sort((a, b) => a - b);
  const several = results.arms.length > 1;
  const rows = results.arms.flatMap((arm) => {
    const names = distinctNames(arm.tasks.map(({ language }) => language));
    return arm.tasks.map((task, index) => ({ arm: arm.arm, task, name: names[index] ?? '' }));
  });
  rows.sort((left, right) => left.task.taskId - right.task.taskId);
  const byPlace = placeRecords(records);
  return html`<table class="grid${states.length > MANY_STATES ? ' dense' : ''}" data-grid>
<caption class="hidden">Outcome of every episode by task and initial state</caption>
<thead><tr><th scope="col" class="corner">Task</th>${states.map((state, index) => stateHeader(state, index, states.length))}</tr></thead>
<tbody>
${rows.map(
  ({ arm, task, name }) =>
    html`<tr><th scope="row"><span class="n">${task.taskId}</span>${several ? html` <span class="arm">${arm}</span>` : null} <span class="name" title="${task.language}">${foreign(name)}</span></th>${states.map(
      (state) =>
        html`<td>${(byPlace.get(`${arm} ${task.taskId} ${state}`) ?? []).map((record) => cell(record, cells))}</td>`,
    )}</tr>
`,
)}</tbody>
</table>`;
}

function stateHeader(state: number, index: number, count: number): Html {
  const shown = count <= MANY_STATES || index % 5 === 0;
  return html`<th scope="col">${shown ? state : html`<span class="hidden">${state}</span>`}</th>`;
}

function placeRecords(records: readonly EpisodeRecord[]): ReadonlyMap<string, readonly EpisodeRecord[]> {
  const byPlace = new Map<string, EpisodeRecord[]>();
  for (const record of records) {
    const key = `${record.arm} ${record.taskId} ${record.initStateId}`;
    const there = byPlace.get(key);
    if (there === undefined) byPlace.set(key, [record]);
    else there.push(record);
  }
  for (const list of byPlace.values()) list.sort((left, right) => left.runIndex - right.runIndex);
  return byPlace;
}

function cell(record: EpisodeRecord, { compared, listed, placeOf }: Cells): Html {
  const { kind, glyph, label } = outcomeLook(record.outcome);
  const change = compared?.changeOf(record) ?? null;
  const mark = change === 'regressed' ? ' worse' : change === 'fixed' ? ' better' : '';
  const run = record.runIndex === 0 ? '' : `, run ${record.runIndex}`;
  const said = change === null || change === 'alike' ? '' : `, ${change}`;
  const name = `task ${record.taskId}, state ${record.initStateId}${run}: ${label}${said}`;
  return listed(record)
    ? html`<a class="c ${kind}${mark}" data-e="${placeOf(record)}" href="#${episodeAnchor(record)}" aria-label="${name}">${glyph}</a>`
    : html`<span class="c ${kind}${mark}" data-e="${placeOf(record)}" role="img" aria-label="${name}">${glyph}</span>`;
}
