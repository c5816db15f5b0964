import { canonicalDigest } from '../base/canonical-json.ts';
import { PyFloat, PyTimestamp } from '../pyyaml/values.ts';

/**
 * sha256 of a value that was read from a document of the runtime, as 64 hex digits: equal for equal values, whatever the
 * reader can give. Values that JSON holds have the digest of their canonical JSON.
 */
export function documentDigest(value: unknown): string {
  return canonicalDigest(canonicalForm(value));
}

/** The value with everything that JSON cannot hold as a mapping of one key that no other value gives. */
function canonicalForm(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return tagged('float', String(value));
  if (typeof value === 'bigint') return tagged('int', String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, canonicalForm);
  if (value instanceof PyFloat) return canonicalForm(value.value);
  // As its fields, which is the digest that these always had.
  if (value instanceof PyTimestamp) return { text: value.text };
  if (value instanceof Uint8Array) return tagged('binary', Buffer.from(value).toString('hex'));
  if (value instanceof Set) return tagged('set', [...value].map(documentDigest).sort());
  if (value instanceof Map)
    return tagged('map', [...value].map(([key, item]) => documentDigest([key, item])).sort());
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, canonicalForm(item)]));
}

/** The key cannot be in a document: the reader refuses control characters outside of escapes, and nobody escapes this one. */
function tagged(kind: string, form: unknown): Record<string, unknown> {
  return { [`\u0000${kind}`]: form };
}
