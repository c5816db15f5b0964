import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binomialWindow } from '../../../src/stats/binomial.ts';
import { binomialPoint, binomialUpperTail } from '../../../src/stats/binomial-tail.ts';
import { marginP } from '../../../src/stats/margin-test.ts';
import { mcnemar } from '../../../src/stats/mcnemar.ts';
import { supremum } from '../../../src/stats/supremum.ts';
import { tangoScore } from '../../../src/stats/tango-score.ts';
import { farringtonManning, unpairedMarginP, unpairedWorseP } from '../../../src/stats/unpaired-tests.ts';
import { worseP } from '../../../src/stats/worse-test.ts';
import { marginRegion, marginSizeAt, worseRegion, worseSize } from './sizes.ts';

const agreeing = (n: number) => ({ n, fixed: 0, regressed: 0 });
const rates = (most: number, count = 60): number[] =>
  Array.from({ length: count + 1 }, (_, i) => most * Math.sin((i / count) * (Math.PI / 2)) ** 2);

describe('worse: the unconditional test ordered by McNemar’s exact p', () => {
  test.each([5, 20, 52, 88])('n = %i: at no rate of disagreement above its level, at 5 % and at 1 %', (n) => {
    for (const level of [0.05, 0.01]) {
      const region = worseRegion(n, level);
      for (const psi of rates(1))
        expect(worseSize(n, region, { regressed: psi / 2, fixed: psi / 2 })).toBeLessThanOrEqual(level);
    }
  });

  test('a p of one level is a p at every other level too, so that it may be corrected', () => {
    const n = 60;
    const tables = Array.from({ length: n + 1 }, (_, d) =>
      Array.from({ length: d + 1 }, (__, r) => ({ d, r, p: worseP({ n, regressed: r, fixed: d - r }) })),
    ).flat();
    for (const psi of rates(1, 25)) {
      for (const level of [0.1, 0.025, 0.0125, 0.005]) {
        const size = tables
          .filter(({ p }) => p <= level)
          .reduce((sum, { d, r }) => sum + binomialPoint(n, d, psi) * binomialPoint(d, r, 0.5), 0);
        expect(size).toBeLessThanOrEqual(level);
      }
    }
  });

  test.each([5, 8, 20, 100, 500, 2000, 10_000])(
    'three regressions and no fix of %i pairs are no FAIL, four are from ten pairs on',
    (n) => {
      expect(worseP({ n, regressed: 3, fixed: 0 })).toBeGreaterThan(0.05);
      if (n >= 10) expect(worseP({ n, regressed: 4, fixed: 0 })).toBeLessThan(0.05);
    },
  );

  test('the published cells at n = 100', () => {
    expect(worseP({ n: 100, regressed: 3, fixed: 0 })).toBeCloseTo(0.0785, 3);
    expect(worseP({ n: 100, regressed: 4, fixed: 0 })).toBeCloseTo(0.0396, 3);
  });

  test('never smaller than the mid-p, nor much larger than the exact p', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.integer({ min: 0, max: 3000 }), (regressed, fixed, rest) => {
        const p = worseP({ n: regressed + fixed + rest, regressed, fixed });
        const { midPWorse, exactWorse } = mcnemar(regressed, fixed);
        expect(p).toBeGreaterThanOrEqual(midPWorse - 1e-12);
        if (regressed > fixed) expect(p).toBeLessThanOrEqual(exactWorse + 0.0011);
      }),
      { numRuns: 60 },
    );
  });

  test('edges', () => {
    expect(worseP(agreeing(0))).toBe(1);
    expect(worseP(agreeing(50))).toBe(1);
    expect(worseP({ n: 9, regressed: 9, fixed: 0 })).toBeLessThan(0.004);
    expect(worseP({ n: 10_000, regressed: 3000, fixed: 100 })).toBeCloseTo(0.001, 9);
  });
});

describe('margin: the unconditional score test', () => {
  test.each([
    [0.1, 29],
    [0.05, 59],
    [0.03, 99],
    [0.02, 149],
    [0.01, 299],
  ])('at a margin of %f the fewest pairs that pass when all agree are %i', (margin, n) => {
    expect(marginP(agreeing(n), margin)).toBeLessThanOrEqual(0.05);
    expect(marginP(agreeing(n - 1), margin)).toBeGreaterThan(0.05);
  });

  test.each([
    [52, 0.05],
    [59, 0.05],
    [88, 0.03],
    [133, 0.02],
    [60, 0.1],
  ])('n = %i at %f: at no rate of fixes above its level', (n, margin) => {
    const region = marginRegion(n, margin);
    for (const fixed of rates((1 - margin) / 2))
      expect(marginSizeAt(n, region, { regressed: fixed + margin, fixed })).toBeLessThanOrEqual(0.05);
  });

  test('the score rises with fixes and falls with regressions, which is what makes the edge the hardest case', () => {
    for (const margin of [0.01, 0.05, 0.1, 0.3])
      for (let n = 1; n <= 25; n += 1)
        for (let r = 0; r <= n; r += 1)
          for (let f = 0; r + f < n; f += 1) {
            const score = tangoScore({ n, regressed: r, fixed: f }, -margin) - 1e-9;
            expect(tangoScore({ n, regressed: r, fixed: f + 1 }, -margin)).toBeGreaterThanOrEqual(score);
            expect(tangoScore({ n, regressed: r + 1, fixed: f }, -margin) - 2e-9).toBeLessThanOrEqual(score);
          }
  });

  test('edges', () => {
    expect(marginP(agreeing(0), 0.05)).toBe(1);
    expect(marginP({ n: 40, regressed: 10, fixed: 0 }, 0.05)).toBe(1);
    expect(marginP({ n: 40, regressed: 0, fixed: 40 }, 0.05)).toBeLessThan(0.001);
  });
});

describe('two independent samples', () => {
  test.each([
    [[3, 10], [7, 10], 0.05765914917],
    [[38, 50], [45, 50], 0.03939311965],
    [[463, 500], [486, 500], 0.0005575246373],
  ] as const)(
    '%j against %j: Boschloo’s p, but for the interval of the nuisance',
    (candidate, baseline, boschloo) => {
      const p = unpairedWorseP(candidate, baseline);
      expect(p).toBeLessThanOrEqual(boschloo + 0.0016);
      expect(p).toBeGreaterThan(boschloo * 0.85);
    },
  );

  test('neither test errs above its level, for unequal samples and any rate', () => {
    for (const [n1, n2] of [
      [12, 12],
      [20, 9],
      [9, 24],
    ] as const) {
      const cells = Array.from({ length: n1 + 1 }, (_, a) =>
        Array.from({ length: n2 + 1 }, (__, b) => ({
          a,
          b,
          worse: unpairedWorseP([a, n1], [b, n2]),
          margin: unpairedMarginP([a, n1], [b, n2], 0.2),
        })),
      ).flat();
      for (const rate of rates(1, 40)) {
        const chance = (a: number, b: number, own: number): number =>
          binomialPoint(n1, a, own) * binomialPoint(n2, b, rate);
        const sum = (own: number, rejects: (cell: (typeof cells)[number]) => boolean): number =>
          cells.filter(rejects).reduce((total, { a, b }) => total + chance(a, b, own), 0);
        expect(sum(rate, ({ worse }) => worse <= 0.05)).toBeLessThanOrEqual(0.05);
        expect(sum(rate, ({ worse }) => worse <= 0.0125)).toBeLessThanOrEqual(0.0125);
        if (rate >= 0.2) expect(sum(rate - 0.2, ({ margin }) => margin <= 0.05)).toBeLessThanOrEqual(0.05);
      }
    }
  });

  test('the score rises with the candidate’s successes and falls with the baseline’s', () => {
    for (const n1 of [1, 7, 20])
      for (const n2 of [1, 9, 16])
        for (let a = 0; a < n1; a += 1)
          for (let b = 0; b < n2; b += 1) {
            const score = farringtonManning([a, n1], [b, n2], 0.05);
            expect(farringtonManning([a + 1, n1], [b, n2], 0.05)).toBeGreaterThanOrEqual(score - 1e-9);
            expect(farringtonManning([a, n1], [b + 1, n2], 0.05)).toBeLessThanOrEqual(score + 1e-9);
          }
  });

  test('edges', () => {
    expect(unpairedWorseP([0, 0], [5, 5])).toBe(1);
    expect(unpairedWorseP([5, 5], [5, 5])).toBe(1);
    expect(unpairedMarginP([0, 0], [5, 5], 0.05)).toBe(1);
    expect(unpairedMarginP([58, 58], [58, 58], 0.05)).toBeGreaterThan(0.05);
    expect(unpairedMarginP([59, 59], [59, 59], 0.05)).toBeLessThanOrEqual(0.05);
  });
});

describe('parts', () => {
  test('the supremum is above every value and close to the largest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), (n, k) => {
        const needed = Math.min(k, n);
        const at = (p: number): number =>
          binomialUpperTail(needed, n, p) - binomialUpperTail(needed + 3, n, p);
        const cells = [
          { draws: n, at: 0, slope: 1 },
          { draws: n, at: 1, slope: -1 },
        ];
        const found = supremum({ low: 0, high: 1, cells, probability: at });
        const largest = Math.max(...Array.from({ length: 2001 }, (_, i) => at(i / 2000)));
        expect(found).toBeGreaterThanOrEqual(largest);
        expect(found).toBeLessThanOrEqual(largest + (largest > 0.11 ? 0.03 : 2e-4));
      }),
      { numRuns: 60 },
    );
    expect(supremum({ low: 1, high: 0, cells: [], probability: () => 1 })).toBe(0);
  });

  test('the window of a binomial leaves nothing out that matters', () => {
    for (const [n, p] of [
      [10, 0.5],
      [500, 0.01],
      [2000, 0.05],
      [10_000, 0.3],
    ] as const) {
      const [first, last] = binomialWindow(n, p);
      expect(1 - binomialUpperTail(first, n, p)).toBeLessThan(1e-14);
      expect(binomialUpperTail(last + 1, n, p)).toBeLessThan(1e-14);
    }
  });
});
