/**
 * Independent draws of which each falls into a cell with probability `at + slope·θ`. A family of distributions whose
 * cells are all linear in its one nuisance parameter θ is all this file knows.
 */
interface LinearCell {
  readonly draws: number;
  readonly at: number;
  readonly slope: number;
}

/** The probability of one event (or the mean of one function into [0, 1]) under every θ from `low` to `high`. */
interface NuisanceFamily {
  readonly low: number;
  readonly high: number;
  readonly cells: readonly LinearCell[];
  readonly probability: (theta: number) => number;
}

/** How far the bound may lie above the largest value found: fine where tests are decided, coarse where nobody looks. */
const FINE = 1e-4;
const COARSE = 5e-3;
const NOBODY_LOOKS_FROM = 0.12;
const FIRST_PIECES = 12;

/**
 * An upper bound of the largest probability over θ, at most 1e-4 above it where that is below 0.12 (0.005 elsewhere).
 * It is a proven bound and no grid's luck: pieces of the range are halved until each is proven to stay below.
 *
 * Two bounds hold on a piece [a, b]. I(θ) = Σ draws·slope²/p is the Fisher information, and all draws' cells are linear.
 * First order: |d/dθ arcsin √P| ≤ √I/2 (Cauchy and Schwarz with the score, whose variance is I).
 * Second order: |P″| ≤ √(2P)·I, since f″/f is a sum over pairs of different draws, with variance at most 2I².
 * A range that is empty has no member of the family: 0.
 */
export function supremum(family: NuisanceFamily): number {
  const { low, high } = family;
  if (high < low) return 0;
  // Evenly spaced in the arcsine scale, in which both ends of a range are as tame as its middle.
  const theta = (u: number): number => low + (high - low) * Math.sin(u) ** 2;
  const at = (u: number): Point => ({ u, theta: theta(u), value: family.probability(theta(u)) });
  const points = Array.from({ length: FIRST_PIECES + 1 }, (_, i) => at((i / FIRST_PIECES) * (Math.PI / 2)));
  let best = Math.max(...points.map(({ value }) => value));
  const tolerance = (): number => (best > NOBODY_LOOKS_FROM ? COARSE : FINE);
  const open = points.slice(1).map((right, i): Piece => ({ left: points[i] ?? right, right }));
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    const { left, right } = piece;
    if (pieceBound(family.cells, left, right) <= best + tolerance()) continue;
    const middle = at((left.u + right.u) / 2);
    if (middle.theta <= left.theta || middle.theta >= right.theta) continue;
    best = Math.max(best, middle.value);
    open.push({ left, right: middle }, { left: middle, right });
  }
  return Math.min(1, best + tolerance());
}

interface Point {
  readonly u: number;
  readonly theta: number;
  readonly value: number;
}
interface Piece {
  readonly left: Point;
  readonly right: Point;
}

function pieceBound(cells: readonly LinearCell[], left: Point, right: Point): number {
  let length = 0;
  let information = 0;
  for (const { draws, at, slope } of cells) {
    const [a, b] = [Math.max(0, at + slope * left.theta), Math.max(0, at + slope * right.theta)];
    length += 2 * Math.sqrt(draws) * Math.abs(Math.sqrt(b) - Math.sqrt(a));
    information += (draws * slope * slope) / Math.min(a, b);
  }
  const angle = (arcsine(left.value) + arcsine(right.value)) / 2 + length / 4;
  const first = angle >= Math.PI / 2 ? 1 : Math.sin(angle) ** 2;
  const bend = (Math.SQRT2 * information * (right.theta - left.theta) ** 2) / 8;
  if (!Number.isFinite(bend)) return first;
  const peak = Math.max(left.value, right.value, 0);
  // P ≤ peak + bend·√P solved for √P.
  return Math.min(first, ((bend + Math.sqrt(bend * bend + 4 * peak)) / 2) ** 2);
}

function arcsine(probability: number): number {
  return Math.asin(Math.sqrt(Math.min(1, Math.max(0, probability))));
}
