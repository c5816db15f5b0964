import { PYTHON_SPACE } from '../pyyaml/python-space.ts';

/**
 * The fenced YAML block of a runtime document (SESSIONS.md, TARGETS.md, …), found the way the runtime finds it.
 *
 * The runtime first turns every line end into a line feed, then takes the first run of three or more backticks or tildes,
 * `yaml` in any case with blanks around it, and everything up to the next line that starts with the same run. It also
 * skips blank lines between the opening fence and the body.
 */

const OPENING = new RegExp(`(\`{3,}|~{3,})${PYTHON_SPACE}*yaml(${PYTHON_SPACE}*)`, 'gi');

/** A block of a document. Offsets count UTF-16 units in the text that was searched. */
export interface YamlBlock {
  /** The YAML text between the fences, line ends as in the file, without the one before the closing fence. */
  readonly body: string;
  /** Where the body starts and ends in the text. */
  readonly start: number;
  readonly end: number;
  /** Backticks or tildes of the opening fence. */
  readonly fence: string;
  /** Line end of the body, for text that is to be put into it. */
  readonly lineEnd: '\n' | '\r\n' | '\r';
  /** Number of the body's first line in the text, from 1: add it to a line number of the body, less one. */
  readonly firstLine: number;
}

/** Finds the block, or says in one sentence why the runtime finds none. Linear in the length of the text. */
export function findYamlBlock(text: string): YamlBlock | { readonly problem: string } {
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(text); match !== null; match = OPENING.exec(text)) {
    const found = blockAfter(text, match);
    if (found !== null) return found;
    // A mention that opens nothing; the next one may start inside the text it would have swallowed.
    OPENING.lastIndex = match.index + (match[1] ?? '').length;
  }
  return { problem: whyNone(text) };
}

function blockAfter(text: string, opening: RegExpExecArray): YamlBlock | null {
  const run = opening[1] ?? '';
  const blanks = opening[2] ?? '';
  const starts = lineStarts(text, opening.index + opening[0].length - blanks.length, blanks.length);
  // A run of four may also be closed by a run of three: it then counts as a run that starts one character later.
  for (let length = run.length; length >= 3; length -= 1) {
    const fence = run.slice(0, length);
    // The body starts after the last blank line, or earlier when that leaves no body.
    for (const start of starts) {
      const end = closingLineEnd(text, start, fence);
      if (end === null) continue;
      const body = text.slice(start, end);
      return { body, start, end, fence, lineEnd: lineEndOf(text, start), firstLine: lineNumber(text, start) };
    }
  }
  return null;
}

/** Offsets after each line end in a stretch of blanks, last first; never inside a CR LF pair. */
function lineStarts(text: string, from: number, length: number): number[] {
  const starts: number[] = [];
  for (let at = from; at < from + length; at += 1) {
    const character = text[at];
    if (character === '\n' || (character === '\r' && text[at + 1] !== '\n')) starts.unshift(at + 1);
  }
  return starts;
}

/** Where the body ends: before the line end of the first later line that starts with the fence. */
function closingLineEnd(text: string, start: number, fence: string): number | null {
  for (let at = text.indexOf(fence, start); at >= 0; at = text.indexOf(fence, at + 1)) {
    const before = text[at - 1];
    if (before !== '\n' && before !== '\r') continue;
    const end = before === '\n' && text[at - 2] === '\r' ? at - 2 : at - 1;
    if (end >= start) return end;
  }
  return null;
}

function lineEndOf(text: string, bodyStart: number): '\n' | '\r\n' | '\r' {
  const before = text.slice(Math.max(0, bodyStart - 2), bodyStart);
  if (before === '\r\n') return '\r\n';
  return before.endsWith('\r') ? '\r' : '\n';
}

function lineNumber(text: string, offset: number): number {
  return (text.slice(0, offset).match(/\r\n|\r|\n/g) ?? []).length + 1;
}

function whyNone(text: string): string {
  if (text.trim() === '') return 'the file is empty';
  if (/(?:`{3,}|~{3,})[ \t]*yml\b/i.test(text)) return 'the block says `yml`; the runtime only takes `yaml`';
  if (/(?:`{3,}|~{3,})[ \t]*yaml[ \t]*\S/i.test(text))
    return 'something follows `yaml` on the opening line of the block';
  if (!/(?:`{3,}|~{3,})[ \t]*yaml/i.test(text)) return 'there is no block that opens with ```yaml';
  return 'the block has no body or is not closed by a line that starts with the same fence';
}

/** A whole runtime document: heading, block, nothing else, which is how the runtime writes its own. */
export function renderDocument(title: string, body: string): string {
  return `# ${title}\n\n\`\`\`yaml\n${body.endsWith('\n') ? body : `${body}\n`}\`\`\`\n`;
}
