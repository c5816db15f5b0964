import { sha256Of } from './sha256.ts';
import { byCodeUnit } from './stable-json.ts';

/**
 * JSON text that is equal for equal values: keys sorted by code unit, no white space, numbers as ECMAScript writes
 * them (the rules of RFC 8785 for the values JSON can hold). Properties whose value is undefined are left out, as
 * JSON.stringify does, so that a value and its re-read file have one digest.
 * @throws TypeError on anything JSON cannot hold exactly (NaN, infinities, bigint, functions, undefined in a list).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON cannot hold ${value}`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`canonical JSON cannot hold a ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => byCodeUnit(left, right))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** sha256 of the canonical JSON text in UTF-8, as 64 hex digits. */
export function canonicalDigest(value: unknown): string {
  return sha256Of(canonicalJson(value));
}
