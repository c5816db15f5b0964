import { findYamlBlock } from '../../workspace/fenced-block.ts';
import type { FreeMap } from '../loose-values.ts';
import { WatchdogCrash } from '../python-error.ts';
import { blockOf, readYaml } from '../runtime-document.ts';
import { writeRuntimeYaml } from '../yaml-writer.ts';

/**
 * A runtime document that is a list under one key, cut into the lines of its items, so that one item can be read and
 * replaced without the others: they keep every byte, and the cost follows what changed. Pure.
 */
export interface ListDocument {
  /** Text in front of the first item, and after the last one. */
  readonly before: string;
  readonly after: string;
  readonly items: readonly ListItem[];
  /** Column of the dashes; null for a document that was read as a whole, and is laid out anew with the first change. */
  readonly indent: number | null;
  /** The other keys of the document. */
  readonly top: FreeMap;
}

interface ListItem {
  /** Comments and blank lines in front of the dash. */
  readonly lead: string;
  /** Its lines, the line end of the last one included; empty in a document that was read as a whole. */
  readonly text: string;
  /** Parsed; never changed in place. */
  readonly value: unknown;
}

/** Items that were read before, by their text. */
export type KnownItems = ReadonlyMap<string, unknown>;

/**
 * @throws WatchdogCrash where the runtime's own reader would refuse the document, or when the key holds no list.
 */
export function readList(text: string, key: string, shownPath: string, known: KnownItems): ListDocument {
  const block = findYamlBlock(text);
  if (!('problem' in block)) {
    const body = block.body + block.lineEnd;
    const cut = cutList(body, key, known);
    if (cut !== null) {
      const { head, rest, ...list } = cut;
      return {
        ...list,
        before: text.slice(0, block.start) + head,
        after: rest + text.slice(block.start + body.length),
      };
    }
  }
  const { [key]: list = [], ...top } = blockOf(text, shownPath);
  if (!Array.isArray(list)) throw new WatchdogCrash('ValidationError', `${shownPath}: ${key} is not a list`);
  const [start, length] =
    'problem' in block ? [0, 0] : [block.start, block.body.length + block.lineEnd.length];
  return {
    before: text.slice(0, start),
    after: text.slice(start + length),
    items: list.map((value: unknown) => ({ lead: '', text: '', value })),
    indent: null,
    top,
  };
}

/** What makes one part of a document mean something in another: anchors, directives, further documents, old line ends. */
const CROSSING = /(?:^|[\s,:[{-])&[^\s,\]}]|^(?:---|\.\.\.|%)|\r(?!\n)/m;

type Cut = Pick<ListDocument, 'items' | 'indent' | 'top'> & { readonly head: string; readonly rest: string };

/** Null when the lines do not show where an item begins, or mean something else together than each alone. */
function cutList(body: string, key: string, known: KnownItems): Cut | null {
  const opening = new RegExp(`^${key}:[ \\t]*(?:#.*)?\\r?\\n`, 'm').exec(body);
  if (opening === null || CROSSING.test(body)) return null;
  const from = opening.index + opening[0].length;
  const pieces = piecesOf(body, from);
  if (pieces === null) return null;
  try {
    const top = readYaml(body.slice(0, opening.index)) ?? {};
    if (typeof top !== 'object' || Array.isArray(top) || key in top) return null;
    const items = pieces.items.map((piece) => ({ ...piece, value: itemOf(piece.text, known) }));
    return { head: body.slice(0, from), items, indent: pieces.indent, top: { ...top }, rest: pieces.rest };
  } catch (error) {
    if (error instanceof WatchdogCrash) return null;
    throw error;
  }
}

/** A piece that was cut inside a quoted text or a bracket does not parse, so that the whole is read instead. */
function itemOf(text: string, known: KnownItems): unknown {
  if (known.has(text)) return known.get(text);
  const list = readYaml(text);
  if (!Array.isArray(list) || list.length !== 1) throw new WatchdogCrash('ParserError', 'not one item');
  return list[0];
}

interface Pieces {
  readonly items: readonly { readonly lead: string; readonly text: string }[];
  readonly indent: number;
  /** Comments and blank lines behind the last item. */
  readonly rest: string;
}

function piecesOf(body: string, from: number): Pieces | null {
  const items: { lead: string; text: string }[] = [];
  let indent: number | null = null;
  let lead = from;
  let start: number | null = null;
  // End of the last line of the present item that is neither blank nor a comment.
  let solid = from;
  for (let at = from; at < body.length; ) {
    const newline = body.indexOf('\n', at);
    const next = newline < 0 ? body.length : newline + 1;
    const column = columnOf(body, at, next);
    if (column !== null) {
      indent ??= column;
      const isDash =
        column === indent && body[at + column] === '-' && /\s/.test(body[at + column + 1] ?? ' ');
      if (isDash) {
        if (start !== null) items.push({ lead: body.slice(lead, start), text: body.slice(start, solid) });
        lead = start === null ? from : solid;
        start = at;
      } else if (start === null || column <= indent) return null;
      solid = next;
    }
    at = next;
  }
  if (start === null || indent === null) return null;
  items.push({ lead: body.slice(lead, start), text: body.slice(start, solid) });
  return { items, indent, rest: body.slice(solid) };
}

/** Blanks in front of the first character of a line; null for a blank line or a comment. */
function columnOf(body: string, at: number, next: number): number | null {
  let column = 0;
  while (at + column < next && body[at + column] === ' ') column += 1;
  const first = body[at + column];
  return first === undefined || first === '\n' || first === '\r' || first === '#' ? null : column;
}

/** The text of a document. */
export function listText({ before, items, after }: ListDocument): string {
  return `${before}${items.map(({ lead, text }) => lead + text).join('')}${after}`;
}

/** The document with the items at these places replaced by values, laid out as the runtime would. */
export function withItems(
  document: ListDocument,
  key: string,
  changed: ReadonlyMap<number, unknown>,
): ListDocument {
  const { indent } = document;
  if (indent === null) return laidOut(document, key, changed);
  const items = document.items.map((item, index) =>
    changed.has(index)
      ? { lead: item.lead, text: itemText(changed.get(index), indent), value: changed.get(index) }
      : item,
  );
  return { ...document, items };
}

function laidOut(document: ListDocument, key: string, changed: ReadonlyMap<number, unknown>): ListDocument {
  const { top } = document;
  const head = Object.keys(top).length === 0 ? '' : writeRuntimeYaml(top);
  const items = document.items.map(({ value }, index) => {
    const now = changed.has(index) ? changed.get(index) : value;
    return { lead: '', text: itemText(now, 0), value: now };
  });
  return { ...document, before: `${document.before}${head}${key}:\n`, items, indent: 0 };
}

/** Lines of one item. Text goes on in quotes or not at all, so blanks in front of a line change nothing. */
function itemText(value: unknown, indent: number): string {
  const text = writeRuntimeYaml([value]);
  return indent === 0 ? text : text.replace(/^(?=.)/gm, ' '.repeat(indent));
}
