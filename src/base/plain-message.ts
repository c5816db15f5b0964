import { ExtData } from '@msgpack/msgpack';
import { sha256Of } from './sha256.ts';

/** Nothing that a server says of itself is nested so deeply. */
export const MAX_DEPTH = 32;

/**
 * A decoded MessagePack map as plain JSON: bytes and numbers that JSON lacks become marked maps. Null when it is nested
 * deeper than `MAX_DEPTH`. Pure.
 */
export function plainMap(value: object, depth = 0): Record<string, unknown> | null {
  const members: [string, unknown][] = Object.entries(value).map(([key, member]) => [
    key,
    plainValue(member, depth + 1),
  ]);
  return members.some(([, member]) => member === undefined) ? null : Object.fromEntries(members);
}

/** JSON for anything MessagePack can hold; undefined when it is nested too deeply. */
function plainValue(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $float: String(value) };
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : { $int: String(value) };
  if (value instanceof Uint8Array) return { $bytes: value.length, sha256: sha256Of(value) };
  if (value instanceof Date) return { $time: value.getTime() };
  if (value instanceof ExtData) return { $ext: value.type, ...extBytes(value) };
  if (Array.isArray(value)) {
    const items = value.map((item) => plainValue(item, depth + 1));
    return items.includes(undefined) ? undefined : items;
  }
  return typeof value === 'object' ? (plainMap(value, depth) ?? undefined) : null;
}

function extBytes({ data }: ExtData): Record<string, unknown> {
  return data instanceof Uint8Array ? { $bytes: data.length, sha256: sha256Of(data) } : {};
}

/** For `mapKeyConverter`: the key of a MessagePack map as text. @throws TypeError for one that is none. */
export function textKey(key: unknown): string {
  if (typeof key === 'string') return key;
  if (key instanceof Uint8Array) return Buffer.from(key).toString('utf8');
  if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean') return String(key);
  throw new TypeError('a key is neither text, bytes nor a number');
}
