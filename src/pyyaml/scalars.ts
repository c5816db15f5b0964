import { pythonFloat, pythonInt } from './python-number.ts';

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

/** Bytes of a base64 text: what is no digit of it is read over, and a full padding ends it. */
export function binaryValue(text: string): Uint8Array | null {
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
    if (digit < 0) {
      if (character > '\x7f') return null;
      continue;
    }
    padding = 0;
    bits = ((bits << 6) | digit) & 0xffff;
    if (position > 0) bytes.push((bits >> (6 - 2 * position)) & 0xff);
    position = (position + 1) % 4;
  }
  return position === 0 ? Uint8Array.from(bytes) : null;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
