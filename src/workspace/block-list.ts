import { findYamlBlock, type YamlBlock } from './fenced-block.ts';
import { indentOf, YamlLines } from './yaml-lines.ts';

/** One entry of a list: whole lines, line end included, without blank and comment lines after it. */
interface ListItem {
  readonly start: number;
  readonly end: number;
}

/** A list in the block of a runtime document, with places (offsets in the text) for edits that touch nothing else. */
export interface BlockList {
  readonly block: YamlBlock;
  readonly items: readonly ListItem[];
  /** Blanks before the dash. */
  readonly indent: number;
  /** Offset right after `key:`. */
  readonly afterKey: number;
  /** Where ` []` stands when the list is written as empty. */
  readonly empty: ListItem | null;
}

interface Line {
  readonly text: string;
  readonly start: number;
  /** After the line end. */
  readonly end: number;
}

/**
 * Cuts the list under a top-level key into its entries, without parsing them. Only a list in block style, or `[]`, can be
 * cut; anything in the document that could make a cut unsafe gives a problem (one sentence) instead.
 */
export function sliceBlockList(text: string, key: string): BlockList | { readonly problem: string } {
  const block = findYamlBlock(text);
  if ('problem' in block) return block;
  const lines = linesOf(text, block);
  const head = headOf(lines, key);
  if ('problem' in head) return head;
  const keyLine = lines[head.line];
  if (keyLine === undefined) return { problem: `there is no \`${key}:\`` };
  const afterKey = keyLine.start + head.length;
  const after = keyLine.text.slice(head.length);
  const emptyMatch = /^([ \t]*\[[ \t]*\])(?:[ \t]+#.*|[ \t]*)$/.exec(after);
  if (emptyMatch === null && !/^[ \t]*(?:[ \t]#.*)?$/.test(after)) {
    return { problem: `\`${key}\` is not written as a list with one dash per entry` };
  }
  const found = itemsOf(lines, head.line + 1, emptyMatch === null);
  if ('problem' in found) return found;
  const empty =
    emptyMatch === null ? null : { start: afterKey, end: afterKey + (emptyMatch[1] ?? '').length };
  const rest = lines.slice(found.next);
  const again = rest.some((line) => keyPattern(key).test(line.text) || /^["'?]/.test(line.text));
  if (again) return { problem: `\`${key}\` may stand twice in the document` };
  return { block, items: found.items, indent: found.indent, afterKey, empty };
}

function keyPattern(key: string): RegExp {
  return new RegExp(`^${key}[ \\t]*:(?=[ \\t]|$)`);
}

function linesOf(text: string, block: { readonly start: number; readonly end: number }): Line[] {
  const lines: Line[] = [];
  const pattern = /\r\n|\r|\n/g;
  pattern.lastIndex = block.start;
  let start = block.start;
  while (start <= block.end) {
    const match = pattern.exec(text);
    if (match === null || match.index > block.end) break;
    lines.push({ text: text.slice(start, match.index), start, end: match.index + match[0].length });
    start = match.index + match[0].length;
  }
  return lines;
}

/** The line with the key; everything before it must be settled there. */
function headOf(lines: readonly Line[], key: string): { line: number; length: number } | { problem: string } {
  const state = new YamlLines();
  for (const [index, line] of lines.entries()) {
    if (state.outside(line.text)) {
      const match = keyPattern(key).exec(line.text);
      if (match !== null) return { line: index, length: match[0].length };
      // `---` alone may open the document; a bracket or a quoted key means a style that cannot be cut.
      if (/^[{["'?%]/.test(line.text) || (/^(?:---|\.\.\.)/.test(line.text) && line.text.trim() !== '---')) {
        return { problem: 'the document is not written in block style' };
      }
    }
    state.feed(line.text);
  }
  return { problem: `there is no \`${key}:\` at the start of a line` };
}

interface Items {
  readonly items: ListItem[];
  readonly indent: number;
  /** Index of the first line after the list. */
  readonly next: number;
}

function itemsOf(lines: readonly Line[], from: number, expected: boolean): Items | { problem: string } {
  const state = new YamlLines();
  const items: { start: number; end: number }[] = [];
  let indent = 0;
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    const column = indentOf(line.text);
    const outside = state.outside(line.text);
    if (outside && !/^\s*(?:#|$)/.test(line.text)) {
      const dash = /^ *-(?:[ \t]|$)/.test(line.text);
      if (/^ *\t/.test(line.text)) return { problem: 'a line is indented with a tab' };
      if (items.length === 0 && dash && expected) indent = column;
      if (dash && column === indent && expected) items.push({ start: line.start, end: line.end });
      else if (column === 0) return endOf(line, { items, indent, next: index }, expected);
      else if (items.length === 0 || column <= indent)
        return { problem: 'the indentation of the list is not regular' };
    } else if (!state.settled && /^ *- /.test(line.text) && column <= indent) {
      return { problem: 'a quoted text goes on at the left edge, where an entry could begin' };
    }
    const last = items.at(-1);
    if (state.feed(line.text) && last !== undefined) last.end = line.end;
  }
  if (!state.settled) return { problem: 'a quotation mark or bracket is not closed' };
  return items.length === 0 && expected
    ? { problem: 'the list has no entry' }
    : { items, indent, next: lines.length };
}

function endOf(line: Line, found: Items, expected: boolean): Items | { problem: string } {
  if (/^(?:---|\.\.\.)/.test(line.text)) return { problem: 'there are several documents in the block' };
  return found.items.length === 0 && expected ? { problem: 'the list has no entry' } : found;
}

/** Entries written as YAML (`- a: 1\n  b: 2\n`), fitted to the list's indentation and line ends. */
export function fitted(yaml: string, list: { readonly indent: number; readonly block: YamlBlock }): string {
  const pad = ' '.repeat(list.indent);
  return yaml.replace(/^(?=.)/gm, pad).replaceAll('\n', list.block.lineEnd);
}

/** Where an entry ends that begins at `start`: before blank and comment lines that follow it up to `end`. */
export function contentEnd(text: string, start: number, end: number): number {
  const state = new YamlLines();
  const area = { start, end: end - 1 };
  return linesOf(text, area).reduce((last, line) => (state.feed(line.text) ? line.end : last), start);
}

/** The text with entries put after the last one. `yaml` as for {@link fitted}, without aliases. */
export function withItems(text: string, list: BlockList, yaml: string): string {
  if (yaml === '') return text;
  const last = list.items.at(-1);
  if (last !== undefined) return text.slice(0, last.end) + fitted(yaml, list) + text.slice(last.end);
  const empty = list.empty ?? { start: list.afterKey, end: list.afterKey };
  // Keep a comment that stands behind the brackets on the line of the key.
  const lineEnd = endOfLine(text, empty.end, list.block.lineEnd);
  return (
    text.slice(0, empty.start) + text.slice(empty.end, lineEnd) + fitted(yaml, list) + text.slice(lineEnd)
  );
}

function endOfLine(text: string, from: number, lineEnd: string): number {
  const at = text.indexOf(lineEnd, from);
  return at < 0 ? text.length : at + lineEnd.length;
}

/** The text without these entries (positions in the list). A list that would have none becomes `[]`. */
export function withoutItems(text: string, list: BlockList, positions: ReadonlySet<number>): string {
  const gone = list.items.filter((_item, index) => positions.has(index));
  if (gone.length === 0) return text;
  let result = '';
  let from = 0;
  if (gone.length === list.items.length) {
    result = `${text.slice(0, list.afterKey)} []`;
    from = list.afterKey;
  }
  for (const item of gone) {
    result += text.slice(from, item.start);
    from = item.end;
  }
  return result + text.slice(from);
}
