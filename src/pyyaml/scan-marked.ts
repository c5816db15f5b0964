import { scanAnchor, scanTag } from './scan-tag.ts';
import { END, isBreak, isGap, quotedAt, type Source } from './source.ts';
import { Token } from './token.ts';
import { refuse } from './yaml-error.ts';

const ALIAS = 0x2a;
const ANCHOR = 0x26;
const TAG = 0x21;

/** Whether the character begins an alias, an anchor, a tag or a text in quotation marks. */
export function isMarkedContent(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === ALIAS || code === ANCHOR || code === TAG;
}

/** The token that begins with such a character. */
export function scanMarked(source: Source): Token {
  const { pos: start } = source;
  const code = source.code();
  if (code === TAG) {
    const tag = scanTag(source);
    return new Token('<tag>', { start, end: source.pos }, '', tag);
  }
  if (code === ALIAS || code === ANCHOR) {
    const name = scanAnchor(source, code === ALIAS ? 'alias' : 'anchor');
    return new Token(code === ALIAS ? '<alias>' : '<anchor>', { start, end: source.pos }, name);
  }
  const text = scanQuoted(source);
  return new Token('<scalar>', { start, end: source.pos }, text);
}

const DOUBLE = 34;
const SINGLE = 39;
const BACKSLASH = 92;
const IN_QUOTED = 'while scanning a quoted scalar';
const IN_DOUBLE = 'while scanning a double-quoted scalar';

const ESCAPED: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '\\': '\\',
  '/': '/',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

/** A text in quotation marks; the position is at the first one and then behind the last. */
function scanQuoted(source: Source): string {
  const { text } = source;
  const quote = source.code();
  source.pos += 1;
  let value = '';
  let from = source.pos;
  for (;;) {
    const code = text.charCodeAt(source.pos);
    if (code === quote) {
      const isDoubled = quote === SINGLE && text.charCodeAt(source.pos + 1) === SINGLE;
      value += text.slice(from, source.pos);
      source.pos += isDoubled ? 2 : 1;
      if (!isDoubled) return value;
      value += "'";
      from = source.pos;
    } else if (code === BACKSLASH && quote === DOUBLE) {
      value += text.slice(from, source.pos) + escaped(source);
      from = source.pos;
    } else if (isGap(code)) {
      const blanksFrom = source.pos;
      source.skipBlanks();
      if (source.code() === END) refuse(IN_QUOTED, 'found unexpected end of stream', source.pos);
      if (!isBreak(source.code())) continue;
      value += text.slice(from, blanksFrom) + foldedBreaks(source);
      from = source.pos;
    } else source.pos += 1;
  }
}

function foldedBreaks(source: Source): string {
  const first = source.skipBreak();
  const more = furtherBreaks(source);
  if (first !== '\n') return first + more;
  return more === '' ? ' ' : more;
}

/** Line ends after the first, with the blanks around them stepped over. */
function furtherBreaks(source: Source): string {
  let breaks = '';
  for (;;) {
    if (source.isAnyMark()) refuse(IN_QUOTED, 'found unexpected document separator', source.pos);
    source.skipBlanks();
    const next = source.skipBreak();
    if (next === '') return breaks;
    breaks += next;
  }
}

/** What a backslash and the characters behind it stand for. */
function escaped(source: Source): string {
  source.pos += 1;
  const character = source.text.charAt(source.pos);
  const plain = Object.hasOwn(ESCAPED, character) ? ESCAPED[character] : undefined;
  if (plain !== undefined) {
    source.pos += 1;
    return plain;
  }
  if (isBreak(source.code())) {
    source.skipBreak();
    return furtherBreaks(source);
  }
  const length = character === 'x' ? 2 : character === 'u' ? 4 : character === 'U' ? 8 : 0;
  if (length === 0) {
    const found = quotedAt(source);
    refuse(IN_DOUBLE, `found unknown escape character ${found}`, source.pos);
  }
  source.pos += 1;
  return escapedCode(source, length);
}

function escapedCode(source: Source, length: number): string {
  const digits = source.text.slice(source.pos, source.pos + length);
  const wrong = digits.search(/[^0-9A-Fa-f]/);
  if (wrong >= 0) {
    const found = quotedAt(source, wrong);
    const problem = `expected escape sequence of ${length} hexadecimal numbers, but found ${found}`;
    refuse(IN_DOUBLE, problem, source.pos);
  }
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff) refuse(IN_DOUBLE, `there is no character with the number ${digits}`, source.pos);
  if (code >= 0xd800 && code <= 0xdfff) source.halfCharacterAt ??= source.pos;
  source.pos += length;
  return String.fromCodePoint(code);
}
