/** Arrow keys and facts on hover and focus for the grid of episodes. */
export function connectGrid(): void {
  const grid = document.querySelector<HTMLTableElement>('table[data-grid]');
  const box = document.getElementById('facts');
  if (grid === null || box === null) return;
  roveWithArrows(grid);
  showFacts(grid, box);
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

function showFacts(grid: HTMLTableElement, box: HTMLElement): void {
  const titles = [...document.querySelectorAll('table[data-episodes] thead th')].map(
    (header) => header.textContent ?? '',
  );
  let owner: HTMLElement | null = null;
  const show = (cell: HTMLElement): void => {
    if (owner === cell) return;
    hide();
    owner = cell;
    fill(box, cell, titles);
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

/** The episode's row in words; an episode without a row has its name alone. */
function fill(box: HTMLElement, cell: HTMLElement, titles: readonly string[]): void {
  const name = document.createElement('b');
  name.textContent = cell.getAttribute('aria-label') ?? '';
  const list = document.createElement('dl');
  const id = cell.getAttribute('href')?.slice(1) ?? '';
  const row = document.getElementById(id);
  const language = cell.closest('tr')?.querySelector<HTMLElement>('.name')?.title ?? '';
  if (language !== '') addFact(list, 'Instruction', language);
  if (row instanceof HTMLTableRowElement) {
    [...row.cells].forEach((data, index) => {
      const value = data.textContent?.trim() ?? '';
      const title = titles[index] ?? '';
      const known = ['Task', 'State', 'Run', 'Outcome', 'Change'].includes(title);
      if (!known && value !== '' && value !== '–') addFact(list, title, value);
    });
  }
  box.replaceChildren(name, list);
}

function addFact(list: HTMLElement, title: string, value: string): void {
  const [term, data] = [document.createElement('dt'), document.createElement('dd')];
  term.textContent = title;
  data.textContent = value.length > 240 ? `${value.slice(0, 240)}…` : value;
  list.append(term, data);
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
