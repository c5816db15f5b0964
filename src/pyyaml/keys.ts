import { timestampKey } from './timestamp.ts';
import { PyFloat, PyTimestamp } from './values.ts';

/** Whether the peer takes the value as a key: no list, mapping or set. */
export function isHashable(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    value instanceof PyFloat ||
    value instanceof PyTimestamp ||
    value instanceof Uint8Array
  );
}

/**
 * The entries of a mapping or set under the peer's equality, in which 1, 1.0 and true are one key: the first key stays, the
 * last value counts.
 */
export class KeyTable {
  /** By what is the same for equal keys: the key as it was first, and the value. */
  readonly #entries = new Map<unknown, { readonly key: unknown; value: unknown }>();

  set(key: unknown, value: unknown): void {
    const identity = identityOf(key);
    const known = this.#entries.get(identity);
    if (known === undefined) this.#entries.set(identity, { key, value });
    else known.value = value;
  }

  *[Symbol.iterator](): Generator<readonly [unknown, unknown]> {
    for (const { key, value } of this.#entries.values()) yield [key, value];
  }
}

function identityOf(key: unknown): unknown {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return Number(key);
  if (key instanceof PyFloat) return key.value;
  if (typeof key === 'bigint') {
    const near = Number(key);
    return Number.isFinite(near) && BigInt(near) === key ? near : key;
  }
  if (key instanceof PyTimestamp) return `t${timestampKey(key)}`;
  if (key instanceof Uint8Array) return `b${key.join()}`;
  return key;
}
