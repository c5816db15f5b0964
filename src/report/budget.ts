/** A table or list that may be cut at the end of a row. */
export interface Section {
  /** Written whole or not at all. */
  readonly head: string;
  readonly rows: readonly string[];
  readonly tail: string;
  /** What the rows are, for the line that says how many are missing. */
  readonly noun: string;
}

/**
 * Bytes of a text after the worst a runner does to it: UTF-8, and one byte more for each line end
 * (it rewrites the file line by line with its own line ends).
 */
export function grownBytes(text: string): number {
  let lineEnds = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineEnds += 1;
  return Buffer.byteLength(text, 'utf8') + lineEnds;
}

/**
 * Joins sections in their order of importance, never above `budget` grown bytes. Rows that do not fit are counted in
 * a line of their own; a section whose head does not fit is named in the last line as left out.
 */
export function withinBudget(sections: readonly Section[], budget: number): string {
  const parts: string[] = [];
  // Room for the sentences about what is missing, one per section at most.
  let left = budget - sections.length * NOTE_BYTES;
  for (const section of sections) {
    const frame = grownBytes(section.head) + grownBytes(section.tail);
    if (frame > left) {
      if (left + NOTE_BYTES > 0) parts.push(omission(section.rows.length, section.noun));
      continue;
    }
    left -= frame;
    const kept = takeRows(section.rows, left);
    left -= kept.bytes;
    const missing = section.rows.length - kept.count;
    parts.push(section.head, ...section.rows.slice(0, kept.count), section.tail);
    if (missing > 0) parts.push(omission(missing, section.noun));
  }
  return parts.join('');
}

const NOTE_BYTES = 200;

function omission(count: number, noun: string): string {
  return `\n${count} ${noun} left out for space; the full report is in the artifact.\n`;
}

function takeRows(rows: readonly string[], budget: number): { count: number; bytes: number } {
  let bytes = 0;
  let count = 0;
  for (const row of rows) {
    const size = grownBytes(row);
    if (bytes + size > budget) break;
    bytes += size;
    count += 1;
  }
  return { count, bytes };
}
