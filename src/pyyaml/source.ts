import { quoted } from './yaml-error.ts';

/*
 * The text under the reader's eye: where it is, where its line began, and the classes of characters. Offsets count UTF-16
 * units; columns count characters as the peer does, which leaves out byte order marks.
 */

export const END = 0;
export const TAB = 9;
export const SPACE = 32;
export const HASH = 35;

/** Line feed, carriage return, U+0085, U+2028, U+2029. */
export function isBreak(code: number): boolean {
  return code === 10 || code === 13 || code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBreakOrEnd(code: number): boolean {
  return code === END || isBreak(code);
}

/** A blank, a tab, a line end or the end of the text: what separates an indicator from what follows. */
export function isGap(code: number): boolean {
  return code === SPACE || code === TAB || isBreakOrEnd(code);
}

export function isGapButTab(code: number): boolean {
  return code === SPACE || isBreakOrEnd(code);
}

/** Letters and digits of ASCII, `-` and `_`: names of anchors, directives and tag handles. */
export function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 45 ||
    code === 95
  );
}

export class Source {
  /** The text with a NUL at its end, which cannot stand in it. */
  readonly text: string;
  pos = 0;
  lineStart = 0;
  /** Set by the reader of escapes, see {@link Scanner.halfCharacterAt}. */
  halfCharacterAt: number | null = null;
  /** Whether characters and UTF-16 units differ anywhere, so that columns must be counted. */
  readonly #hasWide: boolean;
  #countedTo = 0;
  #counted = 0;

  constructor(text: string) {
    this.text = `${text}\0`;
    this.#hasWide = /[\ud800-\udfff\ufeff]/.test(text);
  }

  /** The code at the position, or `ahead` units after it. */
  code(ahead = 0): number {
    return this.text.charCodeAt(this.pos + ahead);
  }

  column(): number {
    return this.#hasWide ? this.#countColumn() : this.pos - this.lineStart;
  }

  /** Counts on from where it counted last, so that a long line is not counted again for every token. */
  #countColumn(): number {
    if (this.#countedTo < this.lineStart || this.#countedTo > this.pos) {
      this.#countedTo = this.lineStart;
      this.#counted = 0;
    }
    for (; this.#countedTo < this.pos; this.#countedTo += 1) {
      const code = this.text.charCodeAt(this.#countedTo);
      if (code !== 0xfeff && (code < 0xdc00 || code > 0xdfff)) this.#counted += 1;
    }
    return this.#counted;
  }

  /** Whether there are more than `limit` characters from `start` up to the position. */
  isFurther(start: number, limit: number): boolean {
    if (this.pos - start <= limit) return false;
    if (!this.#hasWide || this.pos - start > 2 * limit) return true;
    let units = this.pos - start;
    for (let at = start; at < this.pos; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code >= 0xdc00 && code <= 0xdfff) units -= 1;
    }
    return units > limit;
  }

  /** Steps over one line end, if there is one: its text as it counts in a value, else nothing. */
  skipBreak(): string {
    const code = this.text.charCodeAt(this.pos);
    if (!isBreak(code)) return '';
    this.pos += code === 13 && this.text.charCodeAt(this.pos + 1) === 10 ? 2 : 1;
    this.lineStart = this.pos;
    return code === 0x2028 ? '\u2028' : code === 0x2029 ? '\u2029' : '\n';
  }

  skipSpaces(): void {
    while (this.text.charCodeAt(this.pos) === SPACE) this.pos += 1;
  }

  skipBlanks(): void {
    for (let code = this.code(); code === SPACE || code === TAB; code = this.code()) this.pos += 1;
  }

  /** Steps to the end of the line. */
  skipLine(): void {
    while (!isBreakOrEnd(this.text.charCodeAt(this.pos))) this.pos += 1;
  }

  /** Whether `---` (or `...`) stands here with a gap behind it. At column 0 it separates documents. */
  isMark(mark: '---' | '...'): boolean {
    return this.text.startsWith(mark, this.pos) && isGap(this.code(3));
  }

  isAnyMark(): boolean {
    return this.isMark('---') || this.isMark('...');
  }
}

/** The character at the position, or `ahead` units after it, as the peer's messages show it. */
export function quotedAt(source: Source, ahead = 0): string {
  return quoted(String.fromCodePoint(source.text.codePointAt(source.pos + ahead) ?? 0));
}

/** Line and column of an offset, from 1, counted as the peer counts them. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const breaks = /\r\n|[\n\r\x85\u2028\u2029]/g;
  let line = 1;
  let lineStart = 0;
  for (let match = breaks.exec(text); match !== null; match = breaks.exec(text)) {
    if (breaks.lastIndex > offset) break;
    line += 1;
    lineStart = breaks.lastIndex;
  }
  const column = [...text.slice(lineStart, offset)].filter((each) => each !== '\ufeff').length + 1;
  return { line, column };
}
