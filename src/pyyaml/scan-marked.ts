import { scanQuoted } from './scan-quoted.ts';
import { scanAnchor, scanTag } from './scan-tag.ts';
import type { Source } from './source.ts';
import { Token } from './token.ts';

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
