import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import { StopWalk, type WalkCell } from '../../../src/verdict/early-stop-walk.ts';
import { DEFAULT_LIMITS } from '../../../src/verdict/tally.ts';
import { marginRegion, marginSizeAt, type Truth, worseRegion, worseSize } from '../stats/sizes.ts';

const MARGIN = 0.05;
const RULES = {
  minSuccessRate: null,
  minTaskSuccessRate: null,
  thresholdMode: 'point',
  maxRegression: MARGIN,
} as const;

describe('fixed-size verdict, exact error rates', () => {
  test.each([52, 88, 100, 133])(
    'of %i pairs: false FAIL without a true drop, whatever the discordance',
    (n) => {
      const region = worseRegion(n);
      for (const psi of [0.012, 0.04, 0.076, 0.14, 0.28, 0.5, 0.9])
        expect(worseSize(n, region, { regressed: psi / 2, fixed: psi / 2 })).toBeLessThanOrEqual(0.05);
    },
  );

  test.each([52, 88, 100, 133])('of %i pairs: false PASS at the margin, whatever the discordance', (n) => {
    const region = marginRegion(n, MARGIN);
    for (const fixed of [0, 0.002, 0.01, 0.02, 0.05, 0.2, 0.4])
      expect(marginSizeAt(n, region, { regressed: fixed + MARGIN, fixed })).toBeLessThanOrEqual(0.05);
  });
});

const CELLS = Array.from({ length: 500 }, (_, place) => ({ taskId: place % 10, initStateId: place }));

/** Runs many early-stopping runs of 500 pairs in the given order of tasks. */
function simulate(
  truthOf: (taskId: number) => Truth,
  runs: number,
  cells: readonly WalkCell[] = CELLS,
): { stop: number; pass: number; fail: number } {
  const random = randomSource(20_261_129);
  const sum = { stop: 0, pass: 0, fail: 0 };
  for (let run = 0; run < runs; run += 1) {
    const walk = new StopWalk(cells, {
      rules: RULES,
      limits: DEFAULT_LIMITS,
      compares: true,
      design: 'e-values',
    });
    for (const cell of cells) {
      const { regressed, fixed } = truthOf(cell.taskId);
      const draw = random();
      walk.look(cell, draw >= regressed, draw < regressed || draw >= regressed + fixed);
      if (walk.decision !== null) break;
    }
    const { prefix, decision } = walk.state();
    sum.stop += prefix / runs;
    if (decision === 'PASS') sum.pass += 1 / runs;
    if (decision === 'FAIL') sum.fail += 1 / runs;
  }
  return sum;
}

describe('early stop of earlier versions, simulated', () => {
  /** Three standard errors above the level: what chance alone may show in this many runs. */
  const atLevel = (runs: number): number => 0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs);

  test.each([
    ['same policy', 0.006, 0.006, 107, 0.999],
    ['equal, few disagreements', 0.02, 0.02, 159, 0.984],
    ['equal, more disagreements', 0.038, 0.038, 228, 0.899],
  ] as const)('%s: hardly a false FAIL, and the expected savings', (...[, regressed, fixed, stop, pass]) => {
    const runs = 300;
    const result = simulate(() => ({ regressed, fixed }), runs);
    expect(result.fail).toBeLessThanOrEqual(atLevel(runs));
    expect(Math.abs(result.stop - stop)).toBeLessThan(0.12 * stop);
    expect(Math.abs(result.pass - pass)).toBeLessThan(0.07);
  });

  test.each([
    [0.05, 0],
    [0.06, 0.01],
    [0.07, 0.02],
  ])('at the margin (regressed %f, fixed %f) a PASS stays rare', (regressed, fixed) => {
    const runs = 300;
    expect(simulate(() => ({ regressed, fixed }), runs).pass).toBeLessThanOrEqual(atLevel(runs));
  });

  test.each([
    ['5 points worse', 0.06, 0.01, 182],
    ['10 points worse', 0.12, 0.02, 98],
    ['20 points worse', 0.2, 0, 38],
    ['50 points worse', 0.5, 0, 14],
    ['dead', 1, 0, 7],
  ] as const)('%s: fails, and soon', (...[, regressed, fixed, stop]) => {
    const result = simulate(() => ({ regressed, fixed }), 200);
    expect(result.fail).toBeGreaterThan(0.9);
    expect(Math.abs(result.stop - stop)).toBeLessThan(0.12 * stop + 1);
  });

  test('task by task instead of interleaved, a run without any drop fails', () => {
    // Five tasks ten points worse, five ten points better: no difference overall.
    const truth = (taskId: number): Truth =>
      taskId < 5 ? { regressed: 0.12, fixed: 0.02 } : { regressed: 0.02, fixed: 0.12 };
    const byTask = CELLS.toSorted((a, b) => a.taskId - b.taskId);
    expect(simulate(truth, 60, byTask).fail).toBeGreaterThan(0.85);
    expect(simulate(truth, 200).fail).toBeLessThanOrEqual(atLevel(200));
  });
});
