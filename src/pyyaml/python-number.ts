import { PYTHON_SPACE } from './python-space.ts';

/*
 * Text to number as the peer's language does it, which takes more than its YAML patterns do: `!!int " ３ "` is 3.
 */

// White space of the language. In text of ASCII alone only the first six count.
const ASCII_SPACE = /^[\t-\r ]+|[\t-\r ]+$/g;
const ANY_SPACE = new RegExp(`^${PYTHON_SPACE}+|${PYTHON_SPACE}+$`, 'g');

/** Most digits of a decimal number that the language converts. */
const MAX_DECIMAL_DIGITS = 4300;

/** Without white space around it, digits of other scripts as ASCII. */
function plainDigits(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class is all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.replace(ASCII_SPACE, '');
  return text.replace(ANY_SPACE, '').replace(/\p{Nd}/gu, digitOf);
}

/** Decimal digits come in runs of ten, in order. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let start = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return String((code - start) % 10);
}

const DIGITS: Readonly<Record<2 | 8 | 10 | 16, RegExp>> = {
  2: /^(?:0[bB])?[01]+$/,
  8: /^(?:0[oO])?[0-7]+$/,
  10: /^[0-9]+$/,
  16: /^(?:0[xX])?[0-9a-fA-F]+$/,
};
const PREFIX = { 2: '0b', 8: '0o', 10: '', 16: '0x' } as const;

/** `int(text, base)`; the text has no underscores. Null where the language refuses. */
export function pythonInt(text: string, base: 2 | 8 | 10 | 16): bigint | null {
  const plain = plainDigits(text);
  const isNegative = plain.startsWith('-');
  const digits = isNegative || plain.startsWith('+') ? plain.slice(1) : plain;
  if (!DIGITS[base].test(digits)) return null;
  if (base === 10 && digits.length > MAX_DECIMAL_DIGITS) return null;
  const bare = digits.replace(/^0[bBoOxX]/, '');
  const value = BigInt(PREFIX[base] + bare);
  return isNegative ? -value : value;
}

/** `float(text)`; the text has no underscores. Null where the language refuses. */
export function pythonFloat(text: string): number | null {
  const word = plainDigits(text).toLowerCase();
  if (/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/.test(word)) return Number(word);
  const sign = word.startsWith('-') ? -1 : 1;
  if (/^[-+]?inf(?:inity)?$/.test(word)) return sign * Number.POSITIVE_INFINITY;
  return /^[-+]?nan$/.test(word) ? Number.NaN : null;
}
