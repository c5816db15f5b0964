import { canonicalJson } from '../base/canonical-json.ts';

/** Entries that one sentence names. */
const SHOWN = 4;
/** Anything else may be a path, an address or a line of its own: it is said to differ, and not shown. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.+-]{0,59}$/;

type Metadata = Readonly<Record<string, unknown>>;

/**
 * What differs between two metadata of a policy, by entry: `backend was a, now b`. Entries of `volatile` differ from one
 * connection to the next and are left out. Pure.
 */
export function metadataChanges(before: Metadata, now: Metadata, volatile: readonly string[] = []): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const differing = keys.filter(
    (key) => !volatile.includes(key) && canonicalText(before, key) !== canonicalText(now, key),
  );
  const shown = differing
    .slice(0, SHOWN)
    .map((key) => changeText(key, valueText(before, key), valueText(now, key)));
  const more = differing.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

function changeText(key: string, was: string | null, is: string | null): string {
  const name = PLAIN.test(key) ? key : 'an entry';
  return was === null || is === null || was === is ? `${name} differs` : `${name} was ${was}, now ${is}`;
}

/** Null for what is not shown. */
function valueText(metadata: Metadata, key: string): string | null {
  if (!Object.hasOwn(metadata, key)) return 'absent';
  const value = metadata[key];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return PLAIN.test(text) ? text : null;
}

function canonicalText(metadata: Metadata, key: string): string | null {
  return Object.hasOwn(metadata, key) ? canonicalJson(metadata[key]) : null;
}
