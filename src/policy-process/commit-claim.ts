import { isRecord } from '../base/guards.ts';

/** Entries of a policy's metadata that say from which commit it was made, in small letters without `_` and `-`. */
const COMMIT_KEYS: ReadonlySet<string> = new Set([
  'commit',
  'commitsha',
  'commithash',
  'commitid',
  'gitcommit',
  'gitsha',
  'githash',
  'gitrevision',
  'gitrev',
  'revision',
  'policycommit',
  'sourcecommit',
  'headcommit',
]);
/** At least as many digits as git shows by itself. */
const COMMIT = /^[0-9a-f]{7,64}$/i;
const MAX_DEPTH = 4;

interface OtherCommit {
  /** Path of the entry, with dots. */
  readonly key: string;
  readonly says: string;
}

/**
 * The first entry of a policy's metadata that names another commit than the one its command was started in. Entries that
 * are no commit, such as a revision of a model, say nothing. Pure.
 * @param commit the whole hash.
 */
export function otherCommit(metadata: Readonly<Record<string, unknown>>, commit: string): OtherCommit | null {
  return otherIn(metadata, { commit: commit.toLowerCase(), path: [] });
}

function otherIn(
  metadata: Readonly<Record<string, unknown>>,
  at: { readonly commit: string; readonly path: readonly string[] },
): OtherCommit | null {
  for (const [key, value] of Object.entries(metadata)) {
    const path = [...at.path, key];
    if (typeof value === 'string' && COMMIT_KEYS.has(key.toLowerCase().replace(/[_-]/g, ''))) {
      if (COMMIT.test(value) && !at.commit.startsWith(value.toLowerCase()))
        return { key: path.join('.'), says: value };
    } else if (isRecord(value) && path.length < MAX_DEPTH) {
      const found = otherIn(value, { ...at, path });
      if (found !== null) return found;
    }
  }
  return null;
}
