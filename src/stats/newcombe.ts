import { type Interval, wilson } from './wilson.ts';

/** The four cells of a paired comparison. */
interface PairedTable {
  /** Both arms succeeded. */
  readonly both: number;
  /** Only the candidate succeeded. */
  readonly fixed: number;
  /** Only the baseline succeeded. */
  readonly regressed: number;
  /** Neither succeeded. */
  readonly neither: number;
}

/**
 * Newcombe's hybrid score interval (method 10) for a paired difference.
 *
 * Source: R. G. Newcombe, Statistics in Medicine 17 (1998) 2635: Wilson limits of both marginals, joined with
 * their correlation φ. `corrected` uses the continuity-corrected φ. Units: rates. Edges: an empty table gives
 * null; φ is 0 when a marginal is 0.
 */
export function newcombePaired(table: PairedTable, level = 0.95, corrected = false): Interval | null {
  const { both, fixed, regressed, neither } = table;
  const n = both + fixed + regressed + neither;
  const first = wilson(both + fixed, n, level);
  const second = wilson(both + regressed, n, level);
  if (first === null || second === null) return null;
  const p1 = (both + fixed) / n;
  const p2 = (both + regressed) / n;
  const phi = correlation(table, corrected);
  return {
    low: p1 - p2 - join(p1 - first.low, second.high - p2, phi),
    high: p1 - p2 + join(first.high - p1, p2 - second.low, phi),
  };
}

/**
 * Newcombe's hybrid score interval (method 10, unpaired) for p₁ − p₂ of two independent samples.
 *
 * Source: R. G. Newcombe, Statistics in Medicine 17 (1998) 873. Domain: whole 0 ≤ kᵢ ≤ nᵢ. Units: rates.
 * Edges: a sample without episodes gives null.
 */
export function newcombeUnpaired(
  first: readonly [k: number, n: number],
  second: readonly [k: number, n: number],
  level = 0.95,
): Interval | null {
  const a = wilson(first[0], first[1], level);
  const b = wilson(second[0], second[1], level);
  if (a === null || b === null) return null;
  const p1 = first[0] / first[1];
  const p2 = second[0] / second[1];
  return {
    low: p1 - p2 - Math.hypot(p1 - a.low, b.high - p2),
    high: p1 - p2 + Math.hypot(a.high - p1, p2 - b.low),
  };
}

function correlation({ both, fixed, regressed, neither }: PairedTable, corrected: boolean): number {
  const n = both + fixed + regressed + neither;
  const scale = (both + fixed) * (regressed + neither) * (both + regressed) * (fixed + neither);
  if (scale === 0) return 0;
  const product = both * neither - fixed * regressed;
  const numerator = corrected && product > 0 ? Math.max(0, product - n / 2) : product;
  return numerator / Math.sqrt(scale);
}

function join(x: number, y: number, phi: number): number {
  return Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y));
}
