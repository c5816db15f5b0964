/**
 * How the runtime's YAML reader (a YAML 1.1 reader) understands plain scalars.
 *
 * Nothing here knows about YAML syntax: each function takes the text of one unquoted scalar. `pyyaml.ts` turns them into
 * reader tags. The patterns follow the YAML 1.1 type repository with that reader's own deviations (`y` and `n` stay text,
 * an exponent needs a sign and the mantissa a point).
 */

/** Matches what the runtime takes for an integer; some matches cannot be converted (`0x_`) and are then an error. */
export const INT_PATTERN =
  /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;

/** Matches what the runtime takes for a floating-point number. */
export const FLOAT_PATTERN =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Matches what the runtime takes for a date or a time stamp. */
export const TIMESTAMP_PATTERN =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.\d*)?(?:[ \t]*(?:Z|[-+](\d\d?)(?::(\d\d))?))?)?$/;

/** A date alone must have two digits each; with a time one digit is enough. */
const DATE_ONLY_PATTERN = /^\d{4}-\d\d-\d\d$/;

const MAX_DECIMAL_DIGITS = 4300;

/** The text of a date or time stamp, kept so that it is written back as it was read. */
export class PyTimestamp {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A number that must be written with a decimal point (`300.0`), which a plain JavaScript number cannot say. */
export class PyFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Value of an integer scalar: number when exact, else bigint. Null when the runtime's reader fails on it. */
export function pyInteger(source: string): number | bigint | null {
  let digits = source.replaceAll('_', '');
  const negative = digits.startsWith('-');
  if (negative || digits.startsWith('+')) digits = digits.slice(1);
  const magnitude = unsignedInteger(digits);
  if (magnitude === null) return null;
  const value = negative ? -magnitude : magnitude;
  const exact = value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
  return exact ? Number(value) : value;
}

function unsignedInteger(digits: string): bigint | null {
  if (digits.includes(':')) return digits.split(':').reduce((total, part) => total * 60n + BigInt(part), 0n);
  if (/^0[bx]/.test(digits)) return digits.length > 2 ? BigInt(digits) : null;
  if (digits.length > 1 && digits.startsWith('0')) return BigInt(`0o${digits.slice(1)}`);
  return digits.length > MAX_DECIMAL_DIGITS ? null : BigInt(digits);
}

/** Value of a scalar that matches {@link FLOAT_PATTERN}, base 60 included. */
export function pyFloatValue(source: string): number {
  let text = source.replaceAll('_', '').toLowerCase();
  const negative = text.startsWith('-');
  if (negative || text.startsWith('+')) text = text.slice(1);
  const value = unsignedFloat(text);
  return negative ? -value : value;
}

function unsignedFloat(text: string): number {
  if (text === '.inf') return Number.POSITIVE_INFINITY;
  if (text === '.nan') return Number.NaN;
  if (!text.includes(':')) return Number(text);
  let total = 0;
  let base = 1;
  // Summed from the right, as the peer does, so that rounding is the same.
  for (const part of text.split(':').reverse()) {
    total += Number(part) * base;
    base *= 60;
  }
  return total;
}

/** True when the scalar is a date or time stamp; false when it is text. Throws RangeError for an impossible date. */
export function isPyTimestamp(source: string): boolean {
  const match = TIMESTAMP_PATTERN.exec(source);
  if (match === null) return false;
  const [year, month, day, hour, minute, second, zoneHour, zoneMinute] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  if (match[4] === undefined && !DATE_ONLY_PATTERN.test(source)) return false;
  const date = new Date(Date.UTC(2000, (month ?? 0) - 1, 1));
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day ?? 0);
  const real = (year ?? 0) >= 1 && date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  const inRange = (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) < 60;
  const zone = (zoneHour ?? 0) * 60 + (zoneMinute ?? 0) < 24 * 60;
  if (!real || !inRange || !zone) throw new RangeError(`impossible date or time ${source}`);
  return true;
}

/** Text of a floating-point number that the runtime reads back as a float: point before the exponent, sign in it. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  const split = text.indexOf('e');
  const mantissa = split < 0 ? text : text.slice(0, split);
  const exponent = split < 0 ? '' : text.slice(split + 1);
  const pointed = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  if (exponent === '') return pointed;
  return `${pointed}e${/^[-+]/.test(exponent) ? '' : '+'}${exponent}`;
}
