import { endOfText } from '../base/json-text.ts';

/**
 * Parses JSON as Python's writer produces it: the bare words NaN, Infinity and -Infinity become null (unknown),
 * integers above 2^53 are rounded to the nearest number. Pure.
 * @throws SyntaxError when the text is no JSON even so.
 */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/\bNaN\b|\bInfinity\b/.test(text)) throw error;
    return JSON.parse(withoutBareWords(text));
  }
}

/** Strings are passed over, so that a word inside one stays; in one go, however many quotes there are. */
function withoutBareWords(text: string): string {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const quote = text.indexOf('"', at);
    const plain = quote === -1 ? text.slice(at) : text.slice(at, quote);
    parts.push(plain.replace(/-?Infinity|NaN/g, 'null'));
    if (quote === -1) return parts.join('');
    const end = endOfText(text, quote);
    if (end === -1) return parts.concat(text.slice(quote)).join('');
    parts.push(text.slice(quote, end + 1));
    at = end + 1;
  }
}
