import { SORTED } from './sorting.ts';

/** Rows shown at once until somebody asks for all: laying out thousands makes every click slow. */
const ROWS_AT_ONCE = 250;

/** What an episode's row is filtered by; read once, because reading thousands of cells is slow. */
interface Row {
  readonly task: string;
  readonly outcome: string;
  readonly arm: string;
  readonly change: string;
  text: string | null;
}

type Control = HTMLInputElement | HTMLSelectElement;

interface Parts {
  readonly table: HTMLTableElement;
  readonly controls: readonly Control[];
  readonly output: HTMLElement;
  readonly more: HTMLButtonElement;
  readonly rows: ReadonlyMap<Element, Row>;
}

/** Filters of the episodes' table. A link to a row that they hide clears them. */
export function connectFilters(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-filters]');
  const table = document.querySelector<HTMLTableElement>('table[data-episodes]');
  const more = document.querySelector<HTMLButtonElement>('button[data-more]');
  const output = form?.querySelector('output') ?? null;
  if (form === null || table === null || more === null || output === null) return;
  const controls = [...form.querySelectorAll<Control>('[data-filter]')];
  const parts: Parts = { table, controls, output, more, rows: readRows(table) };
  const apply = (): void => showRows(parts, ROWS_AT_ONCE);
  const reveal = (): void => revealTarget(parts);
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  table.addEventListener(SORTED, apply);
  more.addEventListener('click', () => {
    showRows(parts, Number.POSITIVE_INFINITY);
    table.parentElement?.focus();
  });
  addEventListener('hashchange', reveal);
  startWithFailures(parts);
  form.hidden = false;
  apply();
  reveal();
}

/** People come for the failures; with none, everything is shown. */
function startWithFailures({ controls, rows }: Parts): void {
  const outcome = controls.find((control) => control.dataset['filter'] === 'outcome');
  const notable = [...rows.values()].some((row) => row.outcome !== 'success');
  if (outcome !== undefined && notable) outcome.value = '!notable';
}

/** Shows the row that the address names, and puts the focus on it. */
function revealTarget(parts: Parts): void {
  const target = document.getElementById(location.hash.slice(1));
  if (!(target instanceof HTMLTableRowElement)) return;
  if (target.hidden) {
    for (const control of parts.controls) control.value = '';
    showRows(parts, ROWS_AT_ONCE);
    // It may lie beyond the rows that are shown at once.
    target.hidden = false;
  }
  target.scrollIntoView({ block: 'center' });
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function readRows(table: HTMLTableElement): ReadonlyMap<Element, Row> {
  const titles = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent ?? '');
  const [arm, change] = [titles.indexOf('Arm'), titles.indexOf('Change')];
  const textOf = (row: HTMLTableRowElement, column: number): string => row.cells[column]?.textContent ?? '';
  return new Map(
    [...(table.tBodies[0]?.rows ?? [])].map((element) => [
      element,
      {
        task: textOf(element, 0),
        outcome: element.dataset['o'] ?? '',
        arm: textOf(element, arm),
        change: textOf(element, change),
        text: null,
      },
    ]),
  );
}

/** The first `limit` rows that match, in the order of the table. */
function showRows({ table, controls, output, more, rows }: Parts, limit: number): void {
  const wanted = (name: string): string =>
    controls.find((control) => control.dataset['filter'] === name)?.value.trim() ?? '';
  const [task, outcome, arm, text] = [wanted('task'), wanted('outcome'), wanted('arm'), wanted('text')];
  let matching = 0;
  for (const element of table.tBodies[0]?.rows ?? []) {
    const row = rows.get(element);
    const match =
      row !== undefined &&
      (task === '' || row.task === task) &&
      (arm === '' || row.arm === arm) &&
      hasOutcome(row, outcome) &&
      hasText(element, row, text.toLowerCase());
    if (match) matching += 1;
    const hide = !match || matching > limit;
    if (element.hidden !== hide) element.hidden = hide;
  }
  output.textContent = `${matching} of ${rows.size} episodes`;
  more.hidden = matching <= limit;
  more.textContent = `Show all ${matching} episodes, not only the first ${ROWS_AT_ONCE}`;
}

function hasText(element: HTMLElement, row: Row, text: string): boolean {
  if (text === '') return true;
  row.text ??= (element.textContent ?? '').toLowerCase();
  return row.text.includes(text);
}

function hasOutcome(row: Row, outcome: string): boolean {
  if (outcome === '') return true;
  if (outcome === '!notable') return row.outcome !== 'success';
  return outcome.startsWith('!') ? row.change === outcome.slice(1) : row.outcome === outcome;
}
