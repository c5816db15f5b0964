/** Discordant pairs of a paired comparison: fixes (candidate only), regressions (baseline only), and all pairs. */
export interface PairedCounts {
  readonly n: number;
  readonly fixed: number;
  readonly regressed: number;
}

/**
 * Tango's score statistic T(D) at a difference D: large when the data lie above it, the same units as a normal
 * quantile. Where its variance is 0 it is ±infinity, or 0 when the observed difference equals D.
 */
export function tangoScore({ n, fixed, regressed }: PairedCounts, d: number): number {
  const difference = fixed - regressed - n * d;
  const b = -fixed - regressed + (2 * n - fixed + regressed) * d;
  const c = -regressed * d * (1 - d);
  const q = (Math.sqrt(Math.max(0, b * b - 8 * n * c)) - b) / (4 * n);
  const variance = n * (2 * q + d * (1 - d));
  if (variance > 0) return difference / Math.sqrt(variance);
  return difference === 0 ? 0 : Math.sign(difference) * Number.POSITIVE_INFINITY;
}
