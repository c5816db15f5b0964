import * as z from 'zod';
import { PyFloat, PyTimestamp } from '../pyyaml/values.ts';

/**
 * Field types as lenient as the runtime's own: numbers may come as text, whole floats as integers, dates in several
 * forms. Text fields are strict: a bare number where text is expected makes the document invalid.
 */

export type FreeMap = { [key: string]: unknown };

export const text = z.string();

export const integer = z.preprocess((value) => {
  if (value instanceof PyFloat) return Number.isInteger(value.value) ? value.value : value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^\s*[-+]?\d+(?:\.0+)?\s*$/.test(value) ? Number(value) : value;
}, z.int());

const floatNumber = z.preprocess(
  (value) => {
    if (value instanceof PyFloat) return value.value;
    if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value);
    const isNumeric = typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value));
    return isNumeric ? Number(value) : value;
  },
  z.union([z.number(), z.nan(), z.literal([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])]),
);

/** A float that is written with its decimal point, whatever form it came in. */
export const float = floatNumber.transform((value) => new PyFloat(value));

const TRUE_TEXT = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const FALSE_TEXT = new Set(['false', 'f', 'no', 'n', 'off', '0']);

export const bool = z.preprocess((value) => {
  if (value === 0 || value === 1) return value === 1;
  const word = typeof value === 'string' ? value.toLowerCase() : null;
  if (word !== null && TRUE_TEXT.has(word)) return true;
  return word !== null && FALSE_TEXT.has(word) ? false : value;
}, z.boolean());

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(Z|z|[-+]\d\d:?\d\d)?)?$/;

/** A moment, kept as the ISO text the runtime would write back: offset kept, UTC as `Z`, microseconds only when not 0. */
export const moment = z
  .custom<string | PyTimestamp>((value) => typeof value === 'string' || value instanceof PyTimestamp)
  .transform((value, context): string => {
    const match = DATE_TIME.exec(typeof value === 'string' ? value.trim() : value.text);
    if (match === null) {
      context.addIssue({ code: 'custom', message: 'Input should be a valid datetime' });
      return z.NEVER;
    }
    const [, day, time = '00:00', seconds = '00', fraction = '', zone = ''] = match;
    const micros = fraction.padEnd(6, '0').slice(0, 6);
    const offset =
      zone === '' || zone.length !== 5 ? zone.toUpperCase() : `${zone.slice(0, 3)}:${zone.slice(3)}`;
    return `${day}T${time}:${seconds}${Number(micros) === 0 ? '' : `.${micros}`}${offset === '+00:00' ? 'Z' : offset}`;
  });

export const freeMap = z.record(z.string(), z.unknown()).transform((value): FreeMap => value);

/** A field that may be absent or null. */
export function optional<T extends z.ZodType>(type: T): z.ZodDefault<z.ZodNullable<T>> {
  // The default of a nullable type is null; zod types the default by the inner output, which null is part of.
  return type.nullable().default(null as never);
}

/**
 * The record without null fields, as the runtime writes its documents. Maps under `free` keys are user data and keep
 * their nulls.
 */
export function withoutNulls(value: unknown, free: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, free));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(
    kept.map(([key, item]) => [key, free.has(key) ? item : withoutNulls(item, free)]),
  );
}
