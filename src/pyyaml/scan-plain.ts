import { HASH, isBreak, isGap, type Source, SPACE } from './source.ts';

const COLON = 58;

/** What ends an unquoted text inside brackets: `,` `?` `[` `]` `{` `}`. */
function isFlowEnd(code: number): boolean {
  return code === 44 || code === 63 || code === 91 || code === 93 || code === 123 || code === 125;
}

/** What may stand right behind a colon inside brackets: `,` `[` `]` `{` `}`. */
function isFlowIndicator(code: number): boolean {
  return isFlowEnd(code) && code !== 63;
}

/** What an unquoted text cannot begin with; the dash, question mark and colon have rules of their own. */
const NO_START = new Set([...',[]{}#&*!|>\'"%@`'].map((each) => each.charCodeAt(0)));

/** Whether an unquoted text can begin at the position. */
export function isPlainStart(source: Source, isFlow: boolean): boolean {
  const code = source.code();
  // `-` may begin a text when one follows it at once, and outside of brackets so may `?` and `:`.
  if (code === 0x2d) return !isGap(source.code(1));
  if (code === 0x3f || code === COLON) return !isFlow && !isGap(source.code(1));
  return !isGap(code) && !NO_START.has(code);
}

interface PlainText {
  readonly text: string;
  /** Whether it went on to another line, after which a key may begin. */
  readonly hasBreak: boolean;
}

/**
 * An unquoted text from the position on. `indent` is the column that its further lines must reach outside of brackets. It
 * leaves the position behind the blanks and line ends that follow the text.
 */
export function scanPlain(source: Source, indent: number, isFlow: boolean): PlainText {
  const { text } = source;
  let value = '';
  let hasBreak = false;
  // Start of the stretch that goes into the value as it is.
  let from = source.pos;
  let end = from;
  for (;;) {
    if (text.charCodeAt(source.pos) === HASH) break;
    const stop = runEnd(text, source.pos, isFlow);
    if (stop === source.pos) break;
    // A line end before goes for nothing here: the text itself goes on.
    hasBreak = false;
    end = stop;
    source.pos = stop;
    source.skipSpaces();
    if (!isBreak(text.charCodeAt(source.pos))) {
      if (source.pos === stop) break;
      continue;
    }
    hasBreak = true;
    const fold = foldedBreaks(source);
    if (fold === '') break;
    if (text.charCodeAt(source.pos) === HASH || (!isFlow && source.column() < indent)) break;
    if (runEnd(text, source.pos, isFlow) === source.pos) break;
    value += text.slice(from, end) + fold;
    from = source.pos;
  }
  return { text: value === '' ? text.slice(from, end) : value + text.slice(from, end), hasBreak };
}

/** Where the characters of an unquoted text end that stand without a gap. */
function runEnd(text: string, start: number, isFlow: boolean): number {
  for (let at = start; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) {
      const next = text.charCodeAt(at + 1);
      if (isGap(next) || (isFlow && isFlowIndicator(next))) return at;
    } else if (code > SPACE && code < 0x85) {
      if (isFlow && isFlowEnd(code)) return at;
    } else if (isGap(code)) return at;
  }
}

/** Line ends inside an unquoted text as they count in it; nothing when a document mark ends the text. */
function foldedBreaks(source: Source): string {
  const first = source.skipBreak();
  if (source.isAnyMark()) return '';
  let more = '';
  for (;;) {
    source.skipSpaces();
    const next = source.skipBreak();
    if (next === '') break;
    more += next;
    if (source.isAnyMark()) return '';
  }
  if (first !== '\n') return first + more;
  return more === '' ? ' ' : more;
}
