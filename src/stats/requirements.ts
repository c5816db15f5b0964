/** Throws unless 0 < level < 1: a level comes from code, so a wrong one is a bug and not a user's mistake. */
export function requireLevel(level: number): void {
  if (!(level > 0 && level < 1))
    throw new RangeError(`confidence level must lie between 0 and 1, got ${level}`);
}

/** Throws unless k and n are whole with 0 ≤ k ≤ n. */
export function requireCounts(k: number, n: number): void {
  if (!Number.isSafeInteger(k) || !Number.isSafeInteger(n) || k < 0 || k > n) {
    throw new RangeError(`need whole numbers with 0 <= k <= n, got k=${k}, n=${n}`);
  }
}
