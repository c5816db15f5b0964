/** What the input `expect-policy` demands of the policy's metadata. */
export interface PolicyExpectation {
  /** `sha256:<64 hex>` of the metadata, null when only pairs are given. */
  readonly digest: string | null;
  /** Metadata entries that must hold; a key may be a path with dots. */
  readonly pairs: readonly { readonly key: string; readonly value: string }[];
}

type ParsedExpectation =
  | { readonly ok: true; readonly expectation: PolicyExpectation }
  | { readonly ok: false; readonly why: string };

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Reads the items of `expect-policy`: one digest, `key=value` pairs, or both. */
export function parseExpectation(items: readonly string[]): ParsedExpectation {
  const digests = items.filter((item) => DIGEST.test(item));
  const pairs = items.filter((item) => !DIGEST.test(item)).map(pair);
  if (items.length === 0 || digests.length > 1 || pairs.some((entry) => entry === null)) {
    return { ok: false, why: 'must be one sha256: digest or key=value pairs, separated by commas' };
  }
  const known = pairs.filter((entry) => entry !== null);
  return { ok: true, expectation: { digest: digests[0] ?? null, pairs: known } };
}

function pair(item: string): { key: string; value: string } | null {
  const at = item.indexOf('=');
  if (at < 1) return null;
  return { key: item.slice(0, at).trim(), value: item.slice(at + 1).trim() };
}

/**
 * Where the metadata differs from what is expected, one sentence each; empty when all of it holds.
 * @param identity digest (`sha256:…`, null when the policy has no identity) and metadata as plain JSON.
 */
export function expectationMismatches(
  expectation: PolicyExpectation,
  identity: { readonly digest: string | null; readonly metadata: unknown },
): string[] {
  const wrong: string[] = [];
  if (expectation.digest !== null && expectation.digest !== identity.digest) {
    wrong.push(`digest is ${identity.digest ?? 'unknown'}, expected ${expectation.digest}`);
  }
  for (const { key, value } of expectation.pairs) {
    const found = lookUp(identity.metadata, key);
    if (found !== value) wrong.push(`${key} is ${found ?? 'absent'}, expected ${value}`);
  }
  return wrong;
}

/** The entry as text: the whole key first, then its dots as steps into nested maps. Null where there is none. */
function lookUp(metadata: unknown, key: string): string | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  const entries = new Map<string, unknown>(Object.entries(metadata));
  if (entries.has(key)) {
    const value = entries.get(key);
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  const dot = key.indexOf('.');
  return dot < 1 ? null : lookUp(entries.get(key.slice(0, dot)), key.slice(dot + 1));
}
