/** Makes the header cells of every `table[data-sortable]` into buttons that sort its rows. */
export function makeSortable(root: ParentNode): void {
  for (const table of root.querySelectorAll<HTMLTableElement>('table[data-sortable]')) {
    for (const header of table.querySelectorAll<HTMLTableCellElement>('thead th[data-sort]')) {
      addButton(table, header);
    }
  }
}

function addButton(table: HTMLTableElement, header: HTMLTableCellElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.append(...header.childNodes);
  header.append(button);
  header.setAttribute('aria-sort', 'none');
  button.addEventListener('click', () => {
    const downward = header.getAttribute('aria-sort') === 'ascending';
    for (const other of table.querySelectorAll('thead th[aria-sort]'))
      other.setAttribute('aria-sort', 'none');
    header.setAttribute('aria-sort', downward ? 'descending' : 'ascending');
    sortRows(table, header.cellIndex, { numeric: header.dataset['sort'] === 'number', downward });
  });
}

interface Order {
  readonly numeric: boolean;
  readonly downward: boolean;
}

/** Rows without a value stay last in both directions; equal rows keep their order. */
function sortRows(table: HTMLTableElement, column: number, order: Order): void {
  const body = table.tBodies[0];
  if (body === undefined) return;
  const keyed = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[column], order.numeric) }));
  const direction = order.downward ? -1 : 1;
  keyed.sort((left, right) => {
    if (left.key === null || right.key === null) {
      return left.key === right.key ? 0 : left.key === null ? 1 : -1;
    }
    return direction * compare(left.key, right.key);
  });
  body.append(...keyed.map(({ row }) => row));
}

function keyOf(cell: HTMLTableCellElement | undefined, numeric: boolean): string | number | null {
  const text = (cell?.dataset['key'] ?? cell?.textContent ?? '').trim();
  if (!numeric) return text === '' ? null : text.toLowerCase();
  // `>99.9` sorts by its number.
  const value = Number.parseFloat(text.replace(/^[<>]/, ''));
  return Number.isNaN(value) ? null : value;
}

function compare(left: string | number, right: string | number): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
