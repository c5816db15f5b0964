import { findYamlBlock, type YamlBlock } from './fenced-block.ts';
import { loadYaml } from './pyyaml.ts';

/** Where one entry of SESSIONS.md stands in the text, and the two things a waiting client must know of it. */
export interface SessionSlice {
  readonly sessionId: string;
  /** As written; `pending` when the entry has none. */
  readonly status: string;
  /** Offsets in the text: whole lines from the dash up to the next entry. */
  readonly start: number;
  readonly end: number;
}

export interface SessionScan {
  readonly slices: readonly SessionSlice[];
  readonly block: YamlBlock;
  /** Blanks before each dash. */
  readonly indent: number;
}

const SIMPLE = /^[A-Za-z][A-Za-z0-9_.-]*$/;
// Words that YAML takes for something else than text.
const NOT_TEXT = /^(?:yes|no|on|off|true|false|null|nan|inf)$/i;

/**
 * Cuts SESSIONS.md into its entries without parsing YAML, so that a client can watch thousands of foreign entries and
 * parse only its own. Works on the layout the runtime writes (`session_id` first, one dash per entry); gives a problem
 * for any other layout, and then the document must be parsed as a whole. It does not check the document.
 */
export function scanSessions(text: string): SessionScan | { readonly problem: string } {
  const block = findYamlBlock(text);
  if ('problem' in block) return block;
  const head =
    /^((?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)|[A-Za-z_]\w*:[ \t]*[\w.+:-]*[ \t]*(?:\r\n|\r|\n))*)sessions:[ \t]*/.exec(
      block.body,
    );
  if (head === null) return { problem: 'the document does not begin the way the runtime writes it' };
  const rest = block.body.slice(head[0].length);
  if (/^\[[ \t]*\][ \t]*(?:[\r\n]|$)/.test(rest)) return { slices: [], indent: 0, block };
  const first = /^(?:\r\n|\r|\n)( *)- session_id: /.exec(rest);
  if (first === null) return { problem: 'the first entry does not begin with its session_id' };
  const indent = (first[1] ?? '').length;
  const starts = startsOf(text, { from: block.start + head[0].length, to: block.end, indent });
  if ('problem' in starts) return starts;
  const listEnd = endOfList(text, starts.at(-1) ?? block.end, block.end, indent);
  const slices = slicesOf(text, { starts, end: listEnd, indent });
  return 'problem' in slices ? slices : { slices, indent, block };
}

/** Offsets of the dashes' lines. */
function startsOf(
  text: string,
  area: { readonly from: number; readonly to: number; readonly indent: number },
): number[] | { readonly problem: string } {
  const dash = `\n${' '.repeat(area.indent)}- `;
  const key = 'session_id: ';
  const starts: number[] = [];
  for (
    let at = text.indexOf(dash, area.from);
    at >= 0 && at < area.to;
    at = text.indexOf(dash, at + dash.length)
  ) {
    if (!text.startsWith(key, at + dash.length))
      return { problem: 'an entry does not begin with its session_id' };
    starts.push(at + 1);
  }
  return starts.length === 0 ? { problem: 'the entries are not separated by line feeds' } : starts;
}

/** A line that begins no deeper than the dashes and is no comment. */
function edgePattern(indent: number): RegExp {
  return new RegExp(`\\n {0,${indent}}(?=[^ \\r\\n#\\x85\\u2028\\u2029])`, 'g');
}

/**
 * Where the list ends: at the first line after the last dash that is not deeper than it. The runtime writes the line
 * separators of Unicode bare, so one of them may stand first in a line.
 */
function endOfList(text: string, lastStart: number, bodyEnd: number, indent: number): number {
  const pattern = edgePattern(indent);
  pattern.lastIndex = lastStart;
  const match = pattern.exec(text);
  return match === null || match.index >= bodyEnd ? bodyEnd : match.index + 1;
}

function slicesOf(
  text: string,
  list: { readonly starts: readonly number[]; readonly end: number; readonly indent: number },
): SessionSlice[] | { readonly problem: string } {
  const slices: SessionSlice[] = [];
  const { indent } = list;
  for (const [index, start] of list.starts.entries()) {
    const end = list.starts[index + 1] ?? list.end;
    const sessionId = scalarAt(text, start + indent + '- session_id: '.length, { end, column: indent + 2 });
    const status = sliceField(text, { start, end, indent }, 'status');
    if (sessionId === null || status === null)
      return { problem: 'an id or status is not written on one line' };
    slices.push({ sessionId, status: status ?? 'pending', start, end });
  }
  return slices;
}

/**
 * Whether the cuts are the only lines at the left edge of the list: no other top-level list, no text that goes on there.
 * A scan that is only read need not ask; an edit must.
 */
export function isSoleList(text: string, scan: SessionScan): boolean {
  const edge = edgePattern(scan.indent);
  edge.lastIndex = Math.max(0, (scan.slices[0]?.start ?? 0) - 1);
  for (const slice of scan.slices) {
    if (edge.exec(text)?.index !== slice.start - 1) return false;
  }
  const after = scan.slices.at(-1)?.end ?? scan.block.end;
  return !/^(?:sessions|["'?])/m.test(text.slice(after, scan.block.end));
}

/**
 * The text of a top-level key of an entry (`target_ref`, `updated_at`), without parsing the entry: undefined when the key
 * is not there, null when its value is not text on one line.
 */
export function sliceField(
  text: string,
  slice: { readonly start: number; readonly end: number; readonly indent: number },
  key: string,
): string | null | undefined {
  const column = slice.indent + 2;
  const prefix = `\n${' '.repeat(column)}${key}: `;
  const at = text.indexOf(prefix, slice.start);
  // The search may run into later entries; their fields are theirs.
  if (at < 0 || at >= slice.end) return undefined;
  return scalarAt(text, at + prefix.length, { end: slice.end, column });
}

/** The text that stands from `from` to the end of its line; null unless it is text and the next line is not part of it. */
function scalarAt(
  text: string,
  from: number,
  { end: limit, column }: { readonly end: number; readonly column: number },
): string | null {
  let end = text.indexOf('\n', from);
  if (end < 0 || end > limit) end = limit;
  const following = end + 1;
  let deeper = following;
  while (text[deeper] === ' ') deeper += 1;
  const blank = text[deeper] === '\n' || text[deeper] === '\r';
  if (following < limit && (blank || deeper - following > column)) return null;
  const source = text.slice(from, end).trimEnd();
  if (SIMPLE.test(source) && !NOT_TEXT.test(source)) return source;
  try {
    const value = loadYaml(source);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
