/**
 * The fenced YAML block of a runtime document (SESSIONS.md, TARGETS.md, …), found the way the runtime finds it.
 *
 * The runtime first turns every line end into a line feed, then takes the first run of three or more backticks or tildes,
 * `yaml` in any case with blanks around it, and everything up to the next line that starts with the same run. It also
 * skips blank lines between the opening fence and the body.
 */

/** White space as the runtime's language defines it; JavaScript's own class differs by six characters. */
const SPACE =
  '[\\t\\n\\v\\f\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
// One line end; never half of a CR LF pair, so that offsets fall between lines.
const LINE_END = '(?:\\r\\n|\\r(?!\\n)|(?<!\\r)\\n)';
const BLOCK = new RegExp(
  `(?<fence>\`{3,}|~{3,})${SPACE}*yaml${SPACE}*${LINE_END}(?<body>[^]*?)${LINE_END}\\k<fence>`,
  'i',
);

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

/** Finds the block, or says in one sentence why the runtime finds none. */
export function findYamlBlock(text: string): YamlBlock | { readonly problem: string } {
  const match = BLOCK.exec(text);
  const body = match?.groups?.['body'];
  const fence = match?.groups?.['fence'];
  if (match === null || body === undefined || fence === undefined) return { problem: whyNone(text) };
  const end =
    match.index +
    match[0].length -
    fence.length -
    lineEndBefore(text, match.index + match[0].length - fence.length);
  const start = end - body.length;
  return { body, start, end, fence, lineEnd: lineEndOf(text, start), firstLine: lineNumber(text, start) };
}

function lineEndBefore(text: string, offset: number): number {
  return text.slice(offset - 2, offset) === '\r\n' ? 2 : 1;
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
