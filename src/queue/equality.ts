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
  const left = new Map(Object.entries(a).filter(([, value]) => value !== undefined));
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  if (left.size !== right.size) return false;
  return [...left].every(([key, value]) => right.has(key) && equalValues(value, right.get(key)));
}

/** Names of the top-level fields in which two entries differ; `entry` when one of them is no map. */
export function differingFields(a: unknown, b: unknown): readonly string[] {
  if (!isRecord(a) || !isRecord(b)) return equalValues(a, b) ? [] : ['entry'];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !equalValues(a[name], b[name]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
