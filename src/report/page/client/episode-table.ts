import type { DataRow } from '../episode-data.ts';
import { element } from './dom.ts';
import { type Controls, connectControls } from './episode-controls.ts';
import {
  armOf,
  type Column,
  cellOf,
  columnsOf,
  type Episodes,
  matching,
  outcomeOf,
  sorted,
} from './episode-model.ts';
import { episodeView, openCase } from './episode-view.ts';

/** Rows of one page. */
const PAGE_ROWS = 15;

interface State {
  /** Places in the data, in the order they are shown. */
  places: readonly number[];
  page: number;
  sortedBy: { readonly column: Column; readonly downward: boolean } | null;
}

interface Parts {
  readonly episodes: Episodes;
  readonly columns: readonly Column[];
  readonly body: HTMLTableSectionElement;
  readonly controls: Controls;
  readonly state: State;
}

/** The table of all episodes, a page at a time. An address that names an episode shows it, whatever the filters hide. */
export function connectEpisodes(episodes: Episodes): void {
  const box = document.querySelector<HTMLElement>('[data-episodes]');
  if (box === null || episodes.data.rows.length === 0) return;
  const columns = columnsOf(episodes);
  const body = element('tbody', {});
  const controls = connectControls(episodes);
  const state: State = { places: [], page: 0, sortedBy: null };
  const parts: Parts = { episodes, columns, body, controls, state };
  const table = element('table', { class: 'episodes', 'data-list': '' });
  table.append(element('caption', { class: 'hidden' }, 'Episodes'), headOf(parts), body);
  const scroll = element('div', { class: 'scroll', role: 'region', tabindex: '0' }, table);
  scroll.setAttribute('aria-label', 'Episodes, scrolls sideways');
  box.append(element('div', { class: 'drawn' }, controls.form, scroll, controls.pager));
  controls.onFilter(() => filter(parts));
  controls.onTurn((by) => turn(parts, by));
  body.addEventListener('click', (event) => toggle(parts, event.target));
  addEventListener('hashchange', () => reveal(parts));
  filter(parts);
  reveal(parts);
}

function filter(parts: Parts): void {
  const { episodes, controls, state } = parts;
  const found = matching(episodes, controls.wanted());
  const { sortedBy } = state;
  state.places = sortedBy === null ? found : sorted(episodes, found, sortedBy.column, sortedBy.downward);
  state.page = 0;
  draw(parts);
}

function turn(parts: Parts, by: number): void {
  parts.state.page += by;
  draw(parts);
}

function draw({ episodes, columns, body, controls, state }: Parts): void {
  const pages = Math.max(1, Math.ceil(state.places.length / PAGE_ROWS));
  state.page = Math.min(Math.max(0, state.page), pages - 1);
  const from = state.page * PAGE_ROWS;
  const shown = state.places.slice(from, from + PAGE_ROWS);
  body.replaceChildren(
    ...shown.flatMap((place) => {
      const row = episodes.data.rows[place];
      return row === undefined ? [] : [rowOf(episodes, columns, row, place)];
    }),
  );
  controls.tell({ from, shown: shown.length, matching: state.places.length, all: episodes.data.rows.length });
}

function rowOf(episodes: Episodes, columns: readonly Column[], row: DataRow, place: number): HTMLElement {
  const cells = columns.map((column) => {
    const text = column.text?.(row) ?? String(column.key(row) ?? '');
    if (column.title === 'Outcome') return outcomeCell(episodes, row);
    if (column.isNumber) return element('td', { class: 'n' }, text);
    if (column.title === 'Code') return element('td', {}, text === '' ? null : element('code', {}, text));
    if (column.title === 'Detail') return element('td', { class: 'cut' }, element('bdi', {}, text));
    return element('td', {}, text);
  });
  const name = `Open task ${row[0]}, state ${row[1]}, run ${row[2]}, ${armOf(row)}`;
  const open = element('button', { type: 'button', 'aria-expanded': 'false', 'aria-label': name }, '▸');
  return element(
    'tr',
    { id: `ep-${cellOf(row)}`, 'data-place': String(place) },
    element('td', { class: 'open' }, open),
    ...cells,
  );
}

function outcomeCell(episodes: Episodes, row: DataRow): HTMLElement {
  const [label, glyph, kind] = outcomeOf(episodes, row);
  const tries = row[13] > 1 ? ` (${row[13]} tries)` : '';
  const mark = element('span', { class: `c ${kind}`, 'aria-hidden': 'true' }, glyph);
  return element('td', { class: 'outcome' }, mark, ` ${label}${tries}`);
}

/** Shows or hides what there is to see of the row whose button was pressed. */
function toggle(parts: Parts, target: EventTarget | null): void {
  const button = target instanceof Element ? target.closest('button') : null;
  const row = button?.closest('tr') ?? null;
  if (button === null || row === null) return;
  const isOpen = button.getAttribute('aria-expanded') === 'true';
  button.setAttribute('aria-expanded', String(!isOpen));
  button.textContent = isOpen ? '▸' : '▾';
  if (isOpen) {
    row.nextElementSibling?.remove();
    return;
  }
  const data = parts.episodes.data.rows[Number(row.dataset['place'])];
  if (data === undefined) return;
  const cell = element(
    'td',
    { colspan: String(parts.columns.length + 1) },
    episodeView(parts.episodes, data),
  );
  row.after(element('tr', { class: 'opened' }, cell));
}

/** Shows what the address names: the page's own case, else the episode's row, opened and in focus. */
function reveal(parts: Parts): void {
  const id = decodeURIComponent(location.hash.slice(1));
  if (openCase(id)) return;
  const wanted = id.replace(/^cell-/, 'ep-');
  if (!wanted.startsWith('ep-')) return;
  const { rows } = parts.episodes.data;
  const place = rows.findIndex((row) => `ep-${cellOf(row)}` === wanted);
  if (place === -1) return;
  if (!parts.state.places.includes(place)) {
    parts.controls.clear();
    filter(parts);
  }
  parts.state.page = Math.floor(parts.state.places.indexOf(place) / PAGE_ROWS);
  draw(parts);
  const row = document.getElementById(wanted);
  if (row === null) return;
  toggle(parts, row.querySelector('button'));
  row.scrollIntoView({ block: 'center' });
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
}

function headOf(parts: Parts): HTMLElement {
  const row = element('tr', {});
  row.append(element('th', { scope: 'col' }, element('span', { class: 'hidden' }, 'Open')));
  for (const column of parts.columns) row.append(headerOf(parts, column, row));
  return element('thead', {}, row);
}

function headerOf(parts: Parts, column: Column, row: HTMLElement): HTMLElement {
  const button = element('button', { type: 'button' }, column.title);
  const header = element('th', { scope: 'col', 'aria-sort': 'none' }, button);
  if (column.isNumber) header.className = 'n';
  button.addEventListener('click', () => {
    const downward = header.getAttribute('aria-sort') === 'ascending';
    for (const other of row.querySelectorAll('[aria-sort]')) other.setAttribute('aria-sort', 'none');
    header.setAttribute('aria-sort', downward ? 'descending' : 'ascending');
    parts.state.sortedBy = { column, downward };
    filter(parts);
  });
  return header;
}
