/**
 * JSON with sorted keys and two blanks of indent, ending in a line feed: equal values give equal bytes, whatever
 * the order in which they were put together. Values that JSON cannot hold are refused instead of becoming null.
 * @throws TypeError for NaN, infinities, bigint, functions and undefined in a list.
 */
export function stableJson(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/** The same on one line without blanks, for JSON Lines. */
export function stableLine(value: unknown): string {
  return `${JSON.stringify(sorted(value))}\n`;
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`JSON cannot hold ${value}`);
    return value;
  }
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object') throw new TypeError(`JSON cannot hold a ${typeof value}`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  // fromEntries would move a key of digits to the front, but it does so for equal values equally; `__proto__` is safe too.
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
