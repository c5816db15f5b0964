import { bisect } from './bisect.ts';
import { normalQuantile, normalUpperTail } from './normal.ts';

/**
 * Error of O'Brien and Fleming's kind that is spent when a share `t` of the information is in: 2 − 2Φ(z_{α/2}/√t).
 * Source: Lan and DeMets 1983. Little is spent early, so that the last look is nearly a fixed test.
 */
function spentError(t: number, alpha: number): number {
  return t <= 0 ? 0 : 2 * normalUpperTail(normalQuantile(1 - alpha / 2) / Math.sqrt(Math.min(1, t)));
}

/**
 * One-sided levels of a test at looks with shares t₁ < … < t_K = 1 of the information, such that the chance of any
 * rejection is `alpha`: at each look what the spending function gives it, counting paths that no earlier look ended.
 *
 * Source: Armitage, McPherson and Rowe 1969, the recursion over the score process (Brownian motion), by Simpson's rule up
 * to the boundary. The levels are for p values of a test whose statistic is normal; tests of counts err less.
 */
export function lookLevels(shares: readonly number[], alpha: number): number[] {
  const levels: number[] = [];
  let path: Path = { places: [0], weights: [1], at: 0 };
  let spent = 0;
  for (const share of shares) {
    const reached = spentError(share, alpha);
    const limit = boundary(path, share, reached - spent);
    levels.push(normalUpperTail(limit / Math.sqrt(share)));
    path = continued(path, share, limit);
    spent = reached;
  }
  return levels;
}

/** Where the process is at a share of the information if no look has ended it: places with their chances. */
interface Path {
  readonly places: readonly number[];
  readonly weights: readonly number[];
  readonly at: number;
}

/** Pieces of Simpson's rule (even), and the deviations below 0 where it begins. */
const PIECES = 240;
const REACH = 8;

/** The place that the process exceeds at `share` with the given chance. */
function boundary({ places, weights, at }: Path, share: number, chance: number): number {
  const deviation = Math.sqrt(share - at);
  const above = (x: number): number =>
    places.reduce((sum, from, i) => sum + (weights[i] ?? 0) * normalUpperTail((x - from) / deviation), 0);
  return bisect((x) => above(x) - chance, 0, REACH);
}

function continued({ places, weights, at }: Path, share: number, limit: number): Path {
  const deviation = Math.sqrt(share - at);
  const step = (limit + REACH * Math.sqrt(share)) / PIECES;
  const next = Array.from({ length: PIECES + 1 }, (_, i) => limit - (PIECES - i) * step);
  const density = (x: number): number =>
    places.reduce((sum, from, i) => sum + (weights[i] ?? 0) * bell((x - from) / deviation), 0) / deviation;
  const simpson = (i: number): number => ((i === 0 || i === PIECES ? 1 : i % 2 === 1 ? 4 : 2) * step) / 3;
  return { places: next, weights: next.map((x, i) => simpson(i) * density(x)), at: share };
}

function bell(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}
