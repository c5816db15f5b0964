/** Every terminal window has as many. */
export const TERMINAL_COLUMNS = 80;

const GAP = 2;
/** A cell is never cut to less. */
const LEAST = 8;

/** Letters that take two columns: East Asian scripts and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Marks on the letter before them. */
const NARROW = /\p{M}/u;

/** Columns that a text takes on a terminal. Pure. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const letter of text) columns += NARROW.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return columns;
}

/**
 * Rows of texts as lines of a table that fits a terminal: what is too wide is cut in the columns that may be cut, the
 * first of them first. Pure.
 * @param cut indexes of columns whose texts may lose their end
 */
export function terminalTable(rows: readonly (readonly string[])[], cut: readonly number[]): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => columnsOf(row[column] ?? ''))),
  );
  let over = widths.reduce((sum, width) => sum + width, 0) + GAP * (count - 1) - TERMINAL_COLUMNS;
  for (const column of cut) {
    const width = widths[column] ?? 0;
    const less = Math.max(0, Math.min(over, width - LEAST));
    widths[column] = width - less;
    over -= less;
  }
  return rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

function padded(cell: string, width: number): string {
  const own = columnsOf(cell);
  if (own <= width) return cell + ' '.repeat(width - own);
  let text = '';
  let columns = 0;
  for (const letter of cell) {
    columns += columnsOf(letter);
    if (columns > width - 1) break;
    text += letter;
  }
  return `${text}…${' '.repeat(Math.max(0, width - 1 - columnsOf(text)))}`;
}
