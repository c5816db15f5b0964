import type { DataRow } from '../episode-data.ts';
import { element } from './dom.ts';
import { armOf, cellOf, changeOf, type Episodes, nameOf, outcomeOf } from './episode-model.ts';

/** The grid of a run that is too large for the page itself: a row per task and arm, a column per initial state. */
export function drawGrid(episodes: Episodes): HTMLElement {
  const { data, languages } = episodes;
  const states = [...new Set(data.rows.map((row) => row[1]))].sort((left, right) => left - right);
  const byPlace = new Map<string, number[]>();
  data.rows.forEach((row, place) => {
    const key = placeKey(row[0], armOf(row), row[1]);
    byPlace.set(key, [...(byPlace.get(key) ?? []), place]);
  });
  const arms = data.several
    ? ['candidate', 'baseline']
    : [data.rows[0] === undefined ? '' : armOf(data.rows[0])];
  const rows = [...languages].flatMap(([task, language]) =>
    arms.map((arm) => {
      const cells = states.map((state) => {
        const places = byPlace.get(placeKey(task, arm, state)) ?? [];
        return element('td', {}, ...places.map((place) => cell(episodes, place)));
      });
      const name = element('span', { class: 'name', title: language }, language);
      const number = element('span', { class: 'n' }, String(task));
      const said = data.several ? element('span', { class: 'arm' }, arm) : null;
      return element('tr', {}, element('th', { scope: 'row' }, number, ' ', said, ' ', name), ...cells);
    }),
  );
  const head = element('tr', {}, element('th', { scope: 'col', class: 'corner' }, 'Task'));
  states.forEach((state, at) => {
    const isShown = at % 5 === 0;
    head.append(
      element('th', { scope: 'col' }, element('span', isShown ? {} : { class: 'hidden' }, String(state))),
    );
  });
  const caption = element(
    'caption',
    { class: 'hidden' },
    'Outcome of every episode by task and initial state',
  );
  const table = element('table', { class: 'grid dense', 'data-grid': '' }, caption);
  table.append(element('thead', {}, head), element('tbody', {}, ...rows));
  const label = 'Episodes by task and initial state, scrolls sideways';
  return element('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label }, table);
}

const placeKey = (task: number, arm: string, state: number): string => `${arm} ${task} ${state}`;

function cell(episodes: Episodes, place: number): HTMLElement | null {
  const row: DataRow | undefined = episodes.data.rows[place];
  if (row === undefined) return null;
  const [, glyph, kind] = outcomeOf(episodes, row);
  const change = changeOf(row);
  const mark = change === 'regressed' ? ' worse' : change === 'fixed' ? ' better' : '';
  return element(
    'a',
    {
      class: `c ${kind}${mark}`,
      'data-e': String(place),
      href: `#ep-${cellOf(row)}`,
      'aria-label': nameOf(episodes, row),
    },
    glyph,
  );
}
