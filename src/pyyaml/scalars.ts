import { PYTHON_SPACE } from './python-space.ts';

/*
 * Values of scalars that have a tag, explicit or found: null where the peer fails on the text.
 */

const TRUE_WORDS = new Set(['yes', 'true', 'on']);
const FALSE_WORDS = new Set(['no', 'false', 'off']);

export function boolValue(text: string): boolean | null {
  const word = text.toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : null;
}

/** Number when exact, else bigint. */
export function intValue(text: string): number | bigint | null {
  if (/^-?[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  let digits = text.replaceAll('_', '');
  const isNegative = digits.startsWith('-');
  if (isNegative || digits.startsWith('+')) digits = digits.slice(1);
  const magnitude = integerOf(digits);
  if (magnitude === null) return null;
  const value = isNegative ? -magnitude : magnitude;
  const isExact = value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
  return isExact ? Number(value) : value;
}

function integerOf(digits: string): bigint | null {
  if (digits === '0') return 0n;
  if (digits.startsWith('0b')) return pythonInt(digits.slice(2), 2);
  if (digits.startsWith('0x')) return pythonInt(digits.slice(2), 16);
  if (digits.startsWith('0')) return pythonInt(digits, 8);
  if (!digits.includes(':')) return pythonInt(digits, 10);
  let total = 0n;
  for (const part of digits.split(':')) {
    const value = pythonInt(part, 10);
    if (value === null) return null;
    total = total * 60n + value;
  }
  return total;
}

export function floatValue(text: string): number | null {
  let word = text.replaceAll('_', '').toLowerCase();
  if (word === '') return null;
  const sign = word.startsWith('-') ? -1 : 1;
  if (word.startsWith('-') || word.startsWith('+')) word = word.slice(1);
  const magnitude = magnitudeOf(word);
  return magnitude === null ? null : sign * magnitude;
}

function magnitudeOf(word: string): number | null {
  if (word === '.inf') return Number.POSITIVE_INFINITY;
  if (word === '.nan') return Number.NaN;
  if (!word.includes(':')) return pythonFloat(word);
  let total = 0;
  let base = 1;
  // Summed from the right, as the peer does, so that rounding is the same.
  for (const part of word.split(':').reverse()) {
    const value = pythonFloat(part);
    if (value === null) return null;
    total += value * base;
    base *= 60;
  }
  return total;
}

/** Bytes of a base64 text of ASCII alone: what is no digit of it is read over, and a full padding ends it. */
export function binaryValue(text: string): Uint8Array | null {
  if (!isAscii(text)) return null;
  const bytes: number[] = [];
  let bits = 0;
  let position = 0;
  let padding = 0;
  for (const character of text) {
    if (character === '=') {
      padding += 1;
      if (position >= 2 && position + padding >= 4) return Uint8Array.from(bytes);
      continue;
    }
    const digit = BASE64.indexOf(character);
    if (digit < 0) continue;
    padding = 0;
    bits = ((bits << 6) | digit) & 0xffff;
    if (position > 0) bytes.push((bits >> (6 - 2 * position)) & 0xff);
    position = (position + 1) % 4;
  }
  return position === 0 ? Uint8Array.from(bytes) : null;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/*
 * Text to number as the peer's language does it, which takes more than its YAML patterns do: `!!int " ３ "` is 3.
 */

// White space of the language. In text of ASCII alone only the first six count.
const ASCII_SPACE = /^[\t-\r ]+|[\t-\r ]+$/g;
const ANY_SPACE = new RegExp(`^${PYTHON_SPACE}+|${PYTHON_SPACE}+$`, 'g');

/** Most digits of a decimal number that the language converts. */
const MAX_DECIMAL_DIGITS = 4300;

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class is all of ASCII
  return /^[\x00-\x7f]*$/.test(text);
}

/** Without white space around it, digits of other scripts as ASCII. */
function plainDigits(text: string): string {
  if (isAscii(text)) return text.replace(ASCII_SPACE, '');
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
  2: /^(?:0[bB])?([01]+)$/,
  8: /^(?:0[oO])?([0-7]+)$/,
  10: /^([0-9]+)$/,
  16: /^(?:0[xX])?([0-9a-fA-F]+)$/,
};
const PREFIX = { 2: '0b', 8: '0o', 10: '', 16: '0x' } as const;

/** `int(text, base)`; the text has no underscores. Null where the language refuses. */
function pythonInt(text: string, base: 2 | 8 | 10 | 16): bigint | null {
  const plain = plainDigits(text);
  const isNegative = plain.startsWith('-');
  const digits = isNegative || plain.startsWith('+') ? plain.slice(1) : plain;
  const bare = DIGITS[base].exec(digits)?.[1];
  if (bare === undefined || (base === 10 && digits.length > MAX_DECIMAL_DIGITS)) return null;
  const value = BigInt(PREFIX[base] + bare);
  return isNegative ? -value : value;
}

/** `float(text)`; the text has no underscores. Null where the language refuses. */
function pythonFloat(text: string): number | null {
  const word = plainDigits(text).toLowerCase();
  if (/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/.test(word)) return Number(word);
  const sign = word.startsWith('-') ? -1 : 1;
  if (/^[-+]?inf(?:inity)?$/.test(word)) return sign * Number.POSITIVE_INFINITY;
  return /^[-+]?nan$/.test(word) ? Number.NaN : null;
}
