import { isGap, isGapButTab, isNameCode, quotedAt, type Source, SPACE } from './source.ts';
import { refuse } from './yaml-error.ts';

const BANG = 33;
const PERCENT = 37;

/** A tag as written: `!!int` has the handle `!!`; `!<…>` and a lone `!` have none. */
export interface WrittenTag {
  readonly handle: string | null;
  readonly suffix: string;
}

function found(source: Source): string {
  return quotedAt(source);
}

/** Name behind `&` or `*`. */
export function scanAnchor(source: Source, what: 'anchor' | 'alias'): string {
  source.pos += 1;
  const name = scanName(source);
  const isClosed = isGap(source.code()) || '?:,]}%@`'.includes(source.text.charAt(source.pos));
  if (name === '' || !isClosed) {
    const problem = `expected alphabetic or numeric character, but found ${found(source)}`;
    refuse(`while scanning an ${what}`, problem, source.pos);
  }
  return name;
}

/** Letters, digits, `-` and `_`; may be empty. */
export function scanName(source: Source): string {
  const from = source.pos;
  while (isNameCode(source.code())) source.pos += 1;
  return source.text.slice(from, source.pos);
}

/** A tag; the position is at its first `!`. */
export function scanTag(source: Source): WrittenTag {
  const tag = tagParts(source);
  if (!isGapButTab(source.code()))
    refuse('while scanning a tag', `expected ' ', but found ${found(source)}`, source.pos);
  return tag;
}

function tagParts(source: Source): WrittenTag {
  const next = source.code(1);
  if (next === 60) {
    source.pos += 2;
    const suffix = scanUri(source, 'tag');
    if (source.code() !== 62)
      refuse('while parsing a tag', `expected '>', but found ${found(source)}`, source.pos);
    source.pos += 1;
    return { handle: null, suffix };
  }
  if (isGap(next)) {
    source.pos += 1;
    return { handle: null, suffix: '!' };
  }
  if (hasSecondBang(source)) {
    const handle = scanHandle(source, 'tag');
    return { handle, suffix: scanUri(source, 'tag') };
  }
  source.pos += 1;
  return { handle: '!', suffix: scanUri(source, 'tag') };
}

function hasSecondBang(source: Source): boolean {
  for (let at = source.pos + 1; ; at += 1) {
    const code = source.text.charCodeAt(at);
    if (isGapButTab(code)) return false;
    if (code === BANG) return true;
  }
}

/** `!`, `!!` or `!name!`. */
export function scanHandle(source: Source, what: 'tag' | 'directive'): string {
  const context = `while scanning a ${what}`;
  const from = source.pos;
  if (source.code() !== BANG) refuse(context, `expected '!', but found ${found(source)}`, source.pos);
  source.pos += 1;
  if (source.code() !== SPACE) {
    scanName(source);
    if (source.code() !== BANG) refuse(context, `expected '!', but found ${found(source)}`, source.pos);
    source.pos += 1;
  }
  return source.text.slice(from, source.pos);
}

const URI_MARKS = new Set([..."-;/?:@&=+$,_.!~*'()[]"].map((each) => each.charCodeAt(0)));

export function scanUri(source: Source, what: 'tag' | 'directive'): string {
  let value = '';
  const start = source.pos;
  let from = start;
  for (;;) {
    const code = source.code();
    if (code === PERCENT) {
      value += source.text.slice(from, source.pos) + scanUriEscapes(source, what);
      from = source.pos;
    } else if (isNameCode(code) || URI_MARKS.has(code)) source.pos += 1;
    else break;
  }
  if (source.pos === start)
    refuse(`while parsing a ${what}`, `expected URI, but found ${found(source)}`, source.pos);
  return value + source.text.slice(from, source.pos);
}

/** A run of `%41`, which are bytes of UTF-8. */
function scanUriEscapes(source: Source, what: 'tag' | 'directive'): string {
  const context = `while scanning a ${what}`;
  const start = source.pos;
  const bytes: number[] = [];
  while (source.code() === PERCENT) {
    source.pos += 1;
    const digits = source.text.slice(source.pos, source.pos + 2);
    const wrong = digits.search(/[^0-9A-Fa-f]/);
    if (wrong >= 0) {
      const character = quotedAt(source, wrong);
      const problem = `expected URI escape sequence of 2 hexadecimal numbers, but found ${character}`;
      refuse(context, problem, source.pos);
    }
    bytes.push(Number.parseInt(digits, 16));
    source.pos += 2;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return refuse(context, 'the escaped bytes are not UTF-8', start);
  }
}
