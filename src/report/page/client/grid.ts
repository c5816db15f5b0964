import { element } from './dom.ts';
import { type Column, columnsOf, type Episodes, cellOf as keyOf, sessionOf } from './episode-model.ts';
import { drawGrid } from './grid-drawing.ts';

/** Arrow keys and facts on hover and focus for the grid of episodes. A large grid is drawn when it is unfolded. */
export function connectGrid(episodes: Episodes): void {
  const box = document.getElementById('facts');
  if (box === null) return;
  const fold = document.querySelector<HTMLDetailsElement>('details[data-draw]');
  const connect = (): void => {
    const grid = document.querySelector<HTMLTableElement>('table[data-grid]');
    if (grid === null) return;
    roveWithArrows(grid);
    showFacts(grid, box, episodes);
    grid.addEventListener('click', ({ target }) => goTo(episodes, cellOf(target)));
    grid.addEventListener('keydown', ({ key, target }) => {
      if (key === 'Enter') goTo(episodes, cellOf(target));
    });
  };
  if (fold === null) {
    connect();
    return;
  }
  fold.hidden = false;
  const drawOnce = (): void => {
    if (!fold.open) return;
    fold.removeEventListener('toggle', drawOnce);
    fold.append(drawGrid(episodes));
    connect();
  };
  fold.addEventListener('toggle', drawOnce);
}

/** A cell that is no link goes to its episode all the same. */
function goTo({ data }: Episodes, cell: HTMLElement | null): void {
  const row = data.rows[Number(cell?.dataset['e'] ?? -1)];
  if (row !== undefined && cell?.tagName !== 'A') location.hash = `ep-${keyOf(row)}`;
}

const MOVES: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const cellOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('td > .c') : null;

/** One stop for the tab key; arrows, Home and End move inside. Links would be thousands of stops. */
function roveWithArrows(grid: HTMLTableElement): void {
  const rows = [...(grid.tBodies[0]?.rows ?? [])].map((row) => [
    ...row.querySelectorAll<HTMLElement>('td > .c'),
  ]);
  let stop = rows[0]?.[0];
  for (const row of rows) for (const cell of row) cell.tabIndex = -1;
  if (stop !== undefined) stop.tabIndex = 0;
  const moveTo = (cell: HTMLElement | undefined): void => {
    if (cell === undefined) return;
    if (stop !== undefined) stop.tabIndex = -1;
    stop = cell;
    cell.tabIndex = 0;
    cell.focus();
  };
  grid.addEventListener('keydown', (event) => {
    const cell = cellOf(event.target);
    if (cell === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const down = rows.findIndex((row) => row.includes(cell));
    const row = rows[down] ?? [];
    const move = MOVES[event.key];
    let next: HTMLElement | undefined;
    if (move !== undefined) next = rows[down + move[0]]?.[row.indexOf(cell) + move[1]];
    else if (event.key === 'Home') next = row[0];
    else if (event.key === 'End') next = row.at(-1);
    else return;
    event.preventDefault();
    moveTo(next);
  });
}

function showFacts(grid: HTMLTableElement, box: HTMLElement, episodes: Episodes): void {
  const columns = columnsOf(episodes).filter(
    ({ title }) => !['Task', 'State', 'Run', 'Outcome', 'Change'].includes(title),
  );
  let owner: HTMLElement | null = null;
  const show = (cell: HTMLElement): void => {
    if (owner === cell) return;
    hide();
    owner = cell;
    fill(box, cell, { episodes, columns });
    box.hidden = false;
    cell.setAttribute('aria-describedby', box.id);
    place(box, cell);
  };
  const hide = (): void => {
    owner?.removeAttribute('aria-describedby');
    owner = null;
    box.hidden = true;
  };
  grid.addEventListener('mouseover', (event) => {
    const cell = cellOf(event.target);
    if (cell !== null) show(cell);
  });
  grid.addEventListener('mouseleave', (event) => {
    if (!(event.relatedTarget instanceof Node && box.contains(event.relatedTarget))) hide();
  });
  box.addEventListener('mouseleave', hide);
  grid.addEventListener('focusin', (event) => {
    const cell = cellOf(event.target);
    if (cell !== null) show(cell);
  });
  grid.addEventListener('focusout', hide);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });
  addEventListener('scroll', hide, { passive: true, capture: true });
}

interface Told {
  readonly episodes: Episodes;
  readonly columns: readonly Column[];
}

/** The episode in words. */
function fill(box: HTMLElement, cell: HTMLElement, { episodes, columns }: Told): void {
  const name = element('b', {}, cell.getAttribute('aria-label') ?? '');
  const list = element('dl', {});
  const row = episodes.data.rows[Number(cell.dataset['e'] ?? -1)];
  if (row !== undefined) {
    addFact(list, 'Instruction', episodes.languages.get(row[0]) ?? '');
    for (const column of columns)
      addFact(list, column.title, column.text?.(row) ?? String(column.key(row) ?? ''));
    addFact(list, 'Session', sessionOf(episodes, row));
  }
  box.replaceChildren(name, list);
}

function addFact(list: HTMLElement, title: string, value: string): void {
  if (value === '' || value === '–') return;
  list.append(
    element('dt', {}, title),
    element('dd', {}, value.length > 240 ? `${value.slice(0, 240)}…` : value),
  );
}

/** Below the cell where there is room, else above; inside the window. Set by script, so no style attribute is needed. */
function place(box: HTMLElement, cell: HTMLElement): void {
  const at = cell.getBoundingClientRect();
  const size = box.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8));
  const below = at.bottom + 6 + size.height <= document.documentElement.clientHeight;
  box.style.left = `${Math.round(left)}px`;
  box.style.top = `${Math.round(below ? at.bottom + 6 : Math.max(8, at.top - size.height - 6))}px`;
}
