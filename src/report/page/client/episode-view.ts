import type { DataRow } from '../episode-data.ts';
import { element } from './dom.ts';
import { cellOf, type Episodes, sessionOf } from './episode-model.ts';
import { unfoldCases } from './later.ts';

/** What there is to see of an episode: the page's own case where it has one, else what the data says. */
export function episodeView(episodes: Episodes, row: DataRow): HTMLElement {
  const known = document.getElementById(`cell-${cellOf(row)}`);
  if (known !== null) {
    const copy = known.cloneNode(true);
    if (copy instanceof HTMLElement) {
      copy.removeAttribute('id');
      return copy;
    }
  }
  return factsOf(episodes, row);
}

function factsOf(episodes: Episodes, row: DataRow): HTMLElement {
  const { data, languages } = episodes;
  const session = sessionOf(episodes, row);
  const detail = data.texts[row[11]] ?? '';
  const list = element('dl', { class: 'facts' });
  const add = (label: string, ...value: (Node | string)[]): void =>
    list.append(element('div', {}, element('dt', {}, label), element('dd', {}, ...value)));
  add('Instruction', element('bdi', {}, languages.get(row[0]) ?? ''));
  if (detail !== '') add(row[4] === 0 ? 'Note' : 'Last error', element('bdi', {}, detail));
  if (row[13] > 1) add('Tries', String(row[13]));
  if (session !== '') add('Session', sessionLink(session, data.folders));
  if (data.rerun !== null) add('Run it again', element('code', { class: 'rerun' }, rerunOf(data.rerun, row)));
  return element('div', { class: 'seen' }, list);
}

/** Only a name that is the same in a path and in an address is one. */
function sessionLink(session: string, hasFolder: boolean): HTMLElement {
  const code = element('code', {}, session);
  const isPlain = /^[A-Za-z0-9_][A-Za-z0-9._~-]*$/.test(session);
  return hasFolder && isPlain ? element('a', { href: `raw/${session}/` }, code) : code;
}

const rerunOf = (command: string, row: DataRow): string =>
  command.replace('<task>', String(row[0])).replace('<initial state>', String(row[1]));

/** Opens the case that the address names; false when the page has none. */
export function openCase(id: string): boolean {
  if (!id.startsWith('cell-')) return false;
  if (document.getElementById(id) === null) unfoldCases();
  const found = document.getElementById(id);
  const fold = found?.closest('details') ?? null;
  if (found === null || fold === null) return false;
  fold.open = true;
  fold.scrollIntoView({ block: 'start' });
  fold.querySelector('summary')?.focus({ preventScroll: true });
  return true;
}
