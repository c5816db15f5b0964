import { isDeepStrictEqual } from 'node:util';

/**
 * Are two parsed YAML values equal? Key order does not count; class instances (time stamps, floats) are equal when
 * their fields are. `undefined` counts as absent. Pure.
 */
export function equalValues(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equalValues(item, b[index]));
  }
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  // Their content is not in their fields.
  if (a instanceof Set || a instanceof Map) return isDeepStrictEqual(a, b);
  const left = new Map(Object.entries(a).filter(([, value]) => value !== undefined));
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  if (left.size !== right.size) return false;
  return [...left].every(([key, value]) => right.has(key) && equalValues(value, right.get(key)));
}
