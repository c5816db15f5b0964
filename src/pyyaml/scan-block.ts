import { END, HASH, isBreakOrEnd, isGapButTab, quotedAt, type Source, SPACE, TAB } from './source.ts';
import { refuse } from './yaml-error.ts';

const CONTEXT = 'while scanning a block scalar';
const PLUS = 43;
const MINUS = 45;

interface Header {
  /** What happens to line ends at the end: all stay, none, or one. */
  readonly chomping: 'keep' | 'strip' | 'clip';
  /** The indentation that the header states. */
  readonly increment: number | null;
}

/** A literal or folded text; the position is at its `|` or `>`. `outer` is the indentation around it. */
export function scanBlock(source: Source, isFolded: boolean, outer: number): string {
  source.pos += 1;
  const { chomping, increment } = scanHeader(source);
  skipRestOfLine(source);
  const least = Math.max(1, outer + 1);
  let breaks: string;
  let indent: number;
  if (increment === null) {
    const leading = leadingBreaks(source);
    indent = Math.max(least, leading.deepest);
    breaks = leading.breaks;
  } else {
    indent = least + increment - 1;
    breaks = breaksBefore(source, indent);
  }
  const body = scanBody(source, { indent, isFolded, breaks });
  if (chomping === 'strip') return body.value;
  return body.value + body.lastBreak + (chomping === 'keep' ? body.breaks : '');
}

interface Body {
  readonly value: string;
  /** The line end behind the last line, and the empty lines after it. */
  readonly lastBreak: string;
  readonly breaks: string;
}

function scanBody(
  source: Source,
  text: { readonly indent: number; readonly isFolded: boolean; readonly breaks: string },
): Body {
  const { indent, isFolded } = text;
  let { breaks } = text;
  let value = '';
  let lastBreak = '';
  let goesOn = source.column() === indent && source.code() !== END;
  while (goesOn) {
    value += breaks;
    const startsWithText = !isBlank(source.code());
    const from = source.pos;
    source.skipLine();
    value += source.text.slice(from, source.pos);
    lastBreak = source.skipBreak();
    breaks = breaksBefore(source, indent);
    goesOn = source.column() === indent && source.code() !== END;
    if (!goesOn) break;
    if (isFolded && lastBreak === '\n' && startsWithText && !isBlank(source.code())) {
      if (breaks === '') value += ' ';
    } else value += lastBreak;
  }
  return { value, lastBreak, breaks };
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function scanHeader(source: Source): Header {
  let chomping = chompingAt(source);
  const digit = source.code() - 48;
  let increment: number | null = null;
  if (digit >= 0 && digit <= 9) {
    if (digit === 0)
      refuse(CONTEXT, 'expected indentation indicator in the range 1-9, but found 0', source.pos);
    increment = digit;
    source.pos += 1;
    chomping ??= chompingAt(source);
  }
  if (!isGapButTab(source.code())) {
    const found = quotedAt(source);
    refuse(CONTEXT, `expected chomping or indentation indicators, but found ${found}`, source.pos);
  }
  return { chomping: chomping ?? 'clip', increment };
}

function chompingAt(source: Source): 'keep' | 'strip' | null {
  const code = source.code();
  if (code !== PLUS && code !== MINUS) return null;
  source.pos += 1;
  return code === PLUS ? 'keep' : 'strip';
}

function skipRestOfLine(source: Source): void {
  source.skipSpaces();
  if (source.code() === HASH) source.skipLine();
  if (!isBreakOrEnd(source.code())) {
    const found = quotedAt(source);
    refuse(CONTEXT, `expected a comment or a line break, but found ${found}`, source.pos);
  }
  source.skipBreak();
}

/** Empty lines before the first line, whose indentation is found on the way. */
function leadingBreaks(source: Source): { breaks: string; deepest: number } {
  let breaks = '';
  let deepest = 0;
  for (;;) {
    source.skipSpaces();
    deepest = Math.max(deepest, source.column());
    const next = source.skipBreak();
    if (next === '') return { breaks, deepest };
    breaks += next;
  }
}

/** Steps to the indentation, over empty lines. */
function breaksBefore(source: Source, indent: number): string {
  let breaks = '';
  for (;;) {
    while (source.code() === SPACE && source.column() < indent) source.pos += 1;
    const next = source.skipBreak();
    if (next === '') return breaks;
    breaks += next;
  }
}
