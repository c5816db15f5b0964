import { endOfText } from '../../base/json-text.ts';

/** Python's json writes these where a number is none, and JSON has no word for them. */
const BARE = /-?Infinity|NaN/y;

/**
 * The value of a JSON text as Python writes it: with bare NaN and Infinity, which become null, since unknown is null.
 * Pure. @throws SyntaxError for any other text.
 */
export function parsePythonJson(text: string): unknown {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch (error) {
    const mended = withoutBare(plain);
    if (mended === null) throw error;
    return JSON.parse(mended);
  }
}

/** The text with null in place of bare words outside of strings; null when it has none. Linear in its length. */
function withoutBare(text: string): string | null {
  const parts: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === '"') {
      const end = endOfText(text, at);
      if (end === -1) break;
      at = end;
    } else if (unit === 'N' || unit === 'I' || unit === '-') {
      BARE.lastIndex = at;
      const found = BARE.exec(text)?.[0];
      if (found === undefined) continue;
      parts.push(text.slice(kept, at), 'null');
      kept = at + found.length;
      at = kept - 1;
    }
  }
  return parts.length === 0 ? null : parts.join('') + text.slice(kept);
}
