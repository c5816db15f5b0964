import type { ErrorCode } from '../errors/catalogue/index.ts';
import { hasNonTextKey, PyFloat, PyTimestamp } from './pyyaml.ts';

/**
 * Shapes of document entries, checked the way the runtime checks them: text must be text, but a number may come as text,
 * a fraction of zero is an integer, and so on. A check collects everything that is wrong and goes on.
 *
 * Zod is not used for these: the messages need entry, key and consequence, and the rules for what passes as a number or a
 * date are the runtime's, not JavaScript's.
 */
export type IssueKind = 'unknown-key' | 'missing' | 'type' | 'choice' | 'value';

export interface Issue {
  readonly path: readonly (string | number)[];
  readonly kind: IssueKind;
  /** What was expected, as the end of "must be …". */
  readonly expected: string;
  readonly value: unknown;
  /** Set when the kind alone does not say which code fits; `expected` is then a whole statement. */
  readonly code?: ErrorCode;
}

/** Where a check is and where it puts what it finds. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly issues: Issue[];
}

/** Returns the typed value; after a reported issue the value is undefined and must not be used. */
export type Shape<T> = (value: unknown, place: Place) => T | undefined;
export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

function report(place: Place, kind: IssueKind, expected: string, value: unknown): undefined {
  place.issues.push({ path: place.path, kind, expected, value });
  return undefined;
}

/** A shape with a further condition on the typed value; the condition returns what is wrong, or null. */
export function refined<T>(
  shape: Shape<T>,
  wrong: (value: T) => { readonly code: ErrorCode; readonly statement: string; readonly at?: string } | null,
): Shape<T> {
  return (value, place) => {
    const before = place.issues.length;
    const typed = shape(value, place);
    if (typed === undefined || place.issues.length > before) return typed;
    const found = wrong(typed);
    if (found !== null) {
      const { at } = found;
      const path = at === undefined ? place.path : [...place.path, at];
      const part = at === undefined ? value : isMapping(value) ? value[at] : undefined;
      place.issues.push({ path, kind: 'value', expected: found.statement, value: part, code: found.code });
    }
    return typed;
  };
}

function inside(place: Place, key: string | number): Place {
  return { path: [...place.path, key], issues: place.issues };
}

/** Text; a number, a date or yes/no is not text. */
export function text(): Shape<string> {
  return (value, place) =>
    typeof value === 'string' ? value : report(place, 'type', 'text (in quotes)', value);
}

export function integer(options: { readonly min?: number } = {}): Shape<number> {
  return (value, place) => {
    const number = integerOf(value);
    if (number === null) return report(place, 'type', 'a whole number', value);
    const { min } = options;
    return min !== undefined && number < min ? report(place, 'value', `at least ${min}`, value) : number;
  };
}

function integerOf(value: unknown): number | null {
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value);
  if (value instanceof PyFloat) return value.value;
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  if (typeof value === 'string' && /^\s*[-+]?\d+(?:_\d+)*(?:\.0+)?\s*$/.test(value))
    return Number(value.replaceAll('_', ''));
  return null;
}

export function float(): Shape<number> {
  return (value, place) => floatOf(value) ?? report(place, 'type', 'a number', value);
}

function floatOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (value instanceof PyFloat) return value.value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  if (/^[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+)(?:e[-+]?\d+)?$/.test(word))
    return Number(word.replaceAll('_', ''));
  if (/^[-+]?inf(?:inity)?$/.test(word))
    return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^[-+]?nan$/.test(word) ? Number.NaN : null;
}

const TRUE_TEXT = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE_TEXT = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

export function bool(): Shape<boolean> {
  return (value, place) => {
    const plain = value instanceof PyFloat ? value.value : value;
    if (typeof plain === 'boolean') return plain;
    if (plain === 0 || plain === 1) return plain === 1;
    if (typeof plain === 'string' && TRUE_TEXT.has(plain.toLowerCase())) return true;
    if (typeof plain === 'string' && FALSE_TEXT.has(plain.toLowerCase())) return false;
    return report(place, 'type', 'true or false', value);
  };
}

/** One of some texts (or the boolean true), exactly. */
export function choice<const T extends string | true>(values: readonly T[]): Shape<T> {
  return (value, place) => {
    // The runtime compares with ==, and 1 equals true there.
    const found = values.find((each) => each === value || (each === true && value === 1));
    if (found !== undefined) return found;
    const expected = `one of ${values.map((each) => (each === true ? 'true' : `"${each}"`)).join(', ')}`;
    return report(place, 'choice', expected, value);
  };
}

// ISO 8601 as the runtime takes it: date alone, or with time; T, t, blank or underscore between; zone optional.
const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt _](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?:\s*([Zz]|[-+]\d\d:?(?:\d\d)?))?)?$/;

/** The largest number that is taken for a point in time (milliseconds, end of the year 9999). */
const LATEST_TIME = 253_402_300_799_999;

/** A date with or without time, as its text; numbers (seconds or milliseconds since 1970) pass too. */
export function time(): Shape<string> {
  return (value, place) =>
    timeText(value) ?? report(place, 'type', 'a date and time such as "2026-08-03T10:00:00Z"', value);
}

function timeText(value: unknown): string | null {
  // YAML itself has checked a bare time stamp, which it takes in more spellings.
  if (value instanceof PyTimestamp) return value.text;
  if (typeof value === 'number' || value instanceof PyFloat || typeof value === 'bigint') {
    const number = floatOf(value);
    return number !== null && Math.abs(number) <= LATEST_TIME ? String(number) : null;
  }
  if (typeof value !== 'string') return null;
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(value)) return Math.abs(Number(value)) <= LATEST_TIME ? value : null;
  const date = ISO_TIME.exec(value)?.[1];
  return date === undefined || Number.isNaN(Date.parse(date)) ? null : value;
}

/** A mapping with text keys and values of any kind. */
export function anyMapping(): Shape<Record<string, unknown>> {
  return (value, place) => {
    if (!isMapping(value)) return report(place, 'type', 'a mapping', value);
    if (hasNonTextKey(value))
      return report(place, 'type', 'a mapping whose keys are all text (in quotes)', value);
    return value;
  };
}

export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) return report(place, 'type', 'a list', value);
    // A failed item is in the issues, so the list is only used when there is none.
    return value.map((each, index) => item(each, inside(place, index))).filter((each) => each !== undefined);
  };
}

/** Null stays null. */
function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value, place) => (value === null ? null : shape(value, place));
}

/** One key of a mapping: its shape, and what it is when the key is not there. */
interface Field<T> {
  readonly shape: Shape<T>;
  /** Null for a key that must be there. */
  readonly fallback: (() => T) | null;
}

export function required<T>(shape: Shape<T>): Field<T> {
  return { shape, fallback: null };
}

export function optional<T, const V extends T>(shape: Shape<T>, fallback: () => V): Field<T> {
  return { shape, fallback };
}

/** A key that may be missing, which is then null, but that must not be null itself. */
export function absent<T>(shape: Shape<T>): Field<T | null> {
  return { shape, fallback: () => null };
}

/** A key that may be missing or null. */
export function maybe<T>(shape: Shape<T>): Field<T | null> {
  return { shape: nullable(shape), fallback: () => null };
}

type FieldsOf<F> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** A mapping with known keys. `unknown` says whether further keys are an error, are dropped or stay. */
export function mapping<F extends Record<string, Field<unknown>>>(
  fields: F,
  unknown: 'refuse' | 'ignore' | 'keep',
): Shape<FieldsOf<F>> {
  return (value, place) => {
    if (!isMapping(value)) return report(place, 'type', 'a mapping', value);
    const result: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(fields)) {
      if (Object.hasOwn(value, key)) result[key] = field.shape(value[key], inside(place, key));
      else if (field.fallback === null) report(inside(place, key), 'missing', 'there', undefined);
      else result[key] = field.fallback();
    }
    if (unknown === 'keep' && hasNonTextKey(value))
      report(place, 'type', 'a mapping whose keys are all text', value);
    if (unknown === 'refuse') {
      for (const key of Object.keys(value).filter((each) => !Object.hasOwn(fields, each))) {
        report(inside(place, key), 'unknown-key', `one of ${Object.keys(fields).join(', ')}`, value[key]);
      }
    }
    // Every key of `fields` was set above, or an issue says why it is not and the result is not used.
    return result as FieldsOf<F>;
  };
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}

/** Runs a check; the value is null when anything is wrong. */
export function check<T>(
  shape: Shape<T>,
  value: unknown,
  path: readonly (string | number)[],
): { value: T | null; issues: Issue[] } {
  const issues: Issue[] = [];
  const typed = shape(value, { path, issues });
  return { value: issues.length === 0 && typed !== undefined ? typed : null, issues };
}
