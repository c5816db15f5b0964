import { binomialTerm, binomialWindow, logFactorials } from '../../../src/stats/binomial.ts';
import type { Looks } from '../../../src/verdict/early-stop-design.ts';
import { marginRegion, type Truth, worseRegion } from './sizes.ts';

/** Chances of each verdict, and the share of planned pairs that is not looked at. */
export interface Shares {
  readonly pass: number;
  readonly fail: number;
  readonly open: number;
  readonly saved: number;
}

interface Region {
  readonly pass: Int32Array;
  readonly fail: readonly number[];
}

/** The looks of the fixed design: one, at the end. */
export function fixedLooks(pairs: number): Looks {
  return { at: [pairs], pass: [0.05], fail: [0.05] };
}

/** Which tables decide at each look. */
export function regionsOf({ at, pass, fail }: Looks, margin: number): Region[] {
  return at.map((n, i) => ({
    pass: marginRegion(n, margin, pass[i]),
    fail: worseRegion(n, fail[i]),
  }));
}

/**
 * Exact chances under a truth: the distribution of (regressions, fixes) is carried from look to look over the tables that
 * no look has ended. The collapse rule is left out; it ends early what fails anyhow.
 */
export function exactShares(looks: Looks, regions: readonly Region[], truth: Truth, margin: number): Shares {
  const planned = looks.at.at(-1) ?? 0;
  const sum = { pass: 0, fail: 0, open: 0, pairs: 0 };
  let carried: readonly Cell[] = [{ regressed: 0, fixed: 0, chance: 1 }];
  looks.at.forEach((n, i) => {
    const last = i === looks.at.length - 1;
    const cells = stepped(carried, increments(n - (looks.at[i - 1] ?? 0), truth));
    const open: Cell[] = [];
    for (const cell of cells) {
      const verdict = decided(cell, { n, region: regions[i], last, margin });
      if (verdict === 'open' && !last) {
        open.push(cell);
        continue;
      }
      sum[verdict] += cell.chance;
      sum.pairs += n * cell.chance;
    }
    carried = open;
  });
  return { pass: sum.pass, fail: sum.fail, open: sum.open, saved: 1 - sum.pairs / planned };
}

interface Cell {
  readonly regressed: number;
  readonly fixed: number;
  readonly chance: number;
}

const NEGLIGIBLE = 1e-11;

function decided(
  { regressed, fixed }: Cell,
  at: { n: number; region: Region | undefined; last: boolean; margin: number },
): 'pass' | 'fail' | 'open' {
  const fewest = at.region?.pass[regressed];
  if (fewest !== undefined && fixed >= fewest) return 'pass';
  const needed = at.region?.fail[regressed + fixed] ?? Number.POSITIVE_INFINITY;
  const beyond = regressed - fixed >= at.margin * at.n - 1e-9;
  return regressed >= needed && (at.last || beyond) ? 'fail' : 'open';
}

function increments(pairs: number, { regressed, fixed }: Truth): Cell[] {
  const table = logFactorials(pairs);
  const [first, last] = binomialWindow(pairs, regressed);
  const cells: Cell[] = [];
  for (let r = first; r <= last; r += 1) {
    const weight = binomialTerm(table, pairs, r, regressed);
    const share = fixed / (1 - regressed);
    const [low, high] = binomialWindow(pairs - r, share);
    for (let f = low; f <= high; f += 1) {
      const chance = weight * binomialTerm(table, pairs - r, f, share);
      if (chance > NEGLIGIBLE) cells.push({ regressed: r, fixed: f, chance });
    }
  }
  return cells;
}

function stepped(from: readonly Cell[], by: readonly Cell[]): Cell[] {
  const most = (cells: readonly Cell[], pick: (cell: Cell) => number): number =>
    cells.reduce((top, cell) => Math.max(top, pick(cell)), 0);
  const rows = most(from, (c) => c.regressed) + most(by, (c) => c.regressed) + 1;
  const columns = most(from, (c) => c.fixed) + most(by, (c) => c.fixed) + 1;
  const grid = new Float64Array(rows * columns);
  for (const a of from) {
    for (const b of by) {
      const place = (a.regressed + b.regressed) * columns + a.fixed + b.fixed;
      grid[place] = (grid[place] ?? 0) + a.chance * b.chance;
    }
  }
  const cells: Cell[] = [];
  grid.forEach((chance, place) => {
    if (chance > NEGLIGIBLE)
      cells.push({ regressed: Math.floor(place / columns), fixed: place % columns, chance });
  });
  return cells;
}
