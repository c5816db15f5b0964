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

/** Strings are matched first, so that a word inside one stays. */
const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;

function withoutBareWords(text: string): string {
  return text.replace(STRING_OR_WORD, (found) => (found.startsWith('"') ? found : 'null'));
}
