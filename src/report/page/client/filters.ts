/** What an episode's row is filtered by; read once, because reading thousands of cells is slow. */
interface Row {
  readonly element: HTMLTableRowElement;
  readonly task: string;
  readonly outcome: string;
  readonly arm: string;
  readonly change: string;
  text: string | null;
}

interface Wanted {
  readonly task: string;
  readonly outcome: string;
  readonly arm: string;
  readonly text: string;
}

/** Filters of the episodes' table. A link to a row that they hide clears them. */
export function connectFilters(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-filters]');
  const table = document.querySelector<HTMLTableElement>('table[data-episodes]');
  if (form === null || table === null) return;
  const rows = readRows(table);
  const controls = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-filter]')];
  const output = form.querySelector('output');
  const chosen = (name: string): string =>
    controls.find((control) => control.dataset['filter'] === name)?.value ?? '';
  const apply = (): void => {
    const wanted: Wanted = {
      task: chosen('task'),
      outcome: chosen('outcome'),
      arm: chosen('arm'),
      text: chosen('text').trim().toLowerCase(),
    };
    const shown = showRows(rows, wanted);
    if (output !== null) output.textContent = `${shown} of ${rows.length} episodes`;
  };
  const reveal = (): void => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!(target instanceof HTMLTableRowElement)) return;
    if (target.hidden) {
      for (const control of controls) control.value = '';
      apply();
    }
    target.scrollIntoView({ block: 'center' });
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
  };
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  addEventListener('hashchange', reveal);
  startWithFailures(controls, rows);
  form.hidden = false;
  apply();
  reveal();
}

/** People come for the failures; with none, everything is shown. */
function startWithFailures(
  controls: readonly (HTMLInputElement | HTMLSelectElement)[],
  rows: readonly Row[],
): void {
  const outcome = controls.find((control) => control.dataset['filter'] === 'outcome');
  if (outcome !== undefined && rows.some((row) => row.outcome !== 'success')) outcome.value = '!notable';
}

function readRows(table: HTMLTableElement): Row[] {
  const titles = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent ?? '');
  const [arm, change] = [titles.indexOf('Arm'), titles.indexOf('Change')];
  const textOf = (row: HTMLTableRowElement, column: number): string => row.cells[column]?.textContent ?? '';
  return [...(table.tBodies[0]?.rows ?? [])].map((element) => ({
    element,
    task: textOf(element, 0),
    outcome: element.dataset['o'] ?? '',
    arm: textOf(element, arm),
    change: textOf(element, change),
    text: null,
  }));
}

function showRows(rows: readonly Row[], wanted: Wanted): number {
  let shown = 0;
  for (const row of rows) {
    const show = matches(row, wanted);
    if (row.element.hidden === show) row.element.hidden = !show;
    if (show) shown += 1;
  }
  return shown;
}

function matches(row: Row, { task, outcome, arm, text }: Wanted): boolean {
  if (task !== '' && row.task !== task) return false;
  if (arm !== '' && row.arm !== arm) return false;
  if (!hasOutcome(row, outcome)) return false;
  if (text === '') return true;
  row.text ??= (row.element.textContent ?? '').toLowerCase();
  return row.text.includes(text);
}

function hasOutcome(row: Row, outcome: string): boolean {
  if (outcome === '') return true;
  if (outcome === '!notable') return row.outcome !== 'success';
  return outcome.startsWith('!') ? row.change === outcome.slice(1) : row.outcome === outcome;
}
