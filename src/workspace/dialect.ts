/**
 * The dialects of the runtime's documents, by the month of the version. All carry the same version texts. `june` drops
 * keys that it does not know; `july` has a typed `benchmark` block and refuses a document over an unknown key; `august`
 * refuses it, too, the `benchmark` block included.
 */
export type Dialect = 'june' | 'july' | 'august';

/** Which dialect the documents of a workspace are read by, and why. */
export interface Reading {
  /** Null when nothing tells, or when signs contradict each other. */
  readonly dialect: Dialect | null;
  /** The place that tells, such as `TARGETS.md targets[0].benchmark_capabilities`; null when nothing does. */
  readonly by: string | null;
  /** Signs of two dialects, in words; null without such. */
  readonly conflict: string | null;
}

export const NOTHING_TELLS: Reading = { dialect: null, by: null, conflict: null };

/**
 * The dialect whose rules are applied. The strictest where nothing tells; where signs contradict each other the one that
 * takes most of them, since the contradiction is told by itself.
 */
export function appliedDialect({ dialect, conflict }: Reading): Dialect {
  return dialect ?? (conflict === null ? 'august' : 'july');
}

/** Keys that one dialect alone knows where they stand, by the name of the key. */
const OWN_KEYS: Readonly<Record<string, Dialect>> = {
  benchmark: 'july',
  benchmark_capabilities: 'july',
  verification: 'august',
};

/** The dialect that a key belongs to, other than the one that is applied; null for a key that none knows. */
export function dialectOfKey(key: string, applied: Dialect): Dialect | null {
  const own = Object.hasOwn(OWN_KEYS, key) ? (OWN_KEYS[key] ?? null) : null;
  return own === applied ? null : own;
}

/** `july, by TARGETS.md targets[0].benchmark_capabilities`; for people. */
export function readingText({ dialect, by, conflict }: Reading): string {
  if (conflict !== null) return `cannot be told: ${conflict}; say it with \`dialect\``;
  return dialect === null ? 'unknown: nothing in the documents tells' : `${dialect}, by ${by ?? 'unknown'}`;
}
