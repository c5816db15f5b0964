import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fixed,
  givenPercent,
  percentBeside,
  percentOf,
  percentOfRate,
  points,
} from '../../../src/stats/rounding.ts';

/** Published per-suite tables (first attempt → after retry): successes of 500 per suite, and the overall print. */
const TABLES = [
  {
    suites: [
      [485, '97.0'],
      [485, '97.0'],
      [492, '98.4'],
      [480, '96.0'],
    ],
    overall: '97.1',
  },
  {
    suites: [
      [486, '97.2'],
      [487, '97.4'],
      [490, '98.0'],
      [483, '96.6'],
    ],
    overall: '97.3',
  },
  {
    suites: [
      [495, '99.0'],
      [489, '97.8'],
      [495, '99.0'],
      [493, '98.6'],
    ],
    overall: '98.6',
  },
  {
    suites: [
      [484, '96.8'],
      [491, '98.2'],
      [467, '93.4'],
      [413, '82.6'],
    ],
    overall: '92.8',
  },
  {
    suites: [
      [488, '97.6'],
      [491, '98.2'],
      [471, '94.2'],
      [413, '82.6'],
    ],
    overall: '93.2',
  },
  {
    suites: [
      [497, '99.4'],
      [494, '98.8'],
      [486, '97.2'],
      [464, '92.8'],
    ],
    overall: '97.0',
  },
  {
    suites: [
      [498, '99.6'],
      [494, '98.8'],
      [490, '98.0'],
      [473, '94.6'],
    ],
    overall: '97.8',
  },
  {
    suites: [
      [422, '84.4'],
      [432, '86.4'],
      [373, '74.6'],
      [263, '52.6'],
    ],
    overall: '74.5',
  },
  {
    suites: [
      [429, '85.8'],
      [438, '87.6'],
      [376, '75.2'],
      [267, '53.4'],
    ],
    overall: '75.5',
  },
] as const;

describe('published tables from their counts', () => {
  test.each(TABLES)('overall $overall', ({ suites, overall }) => {
    for (const [k, printed] of suites) {
      expect(percentOf(k, 500)).toBe(printed);
      expect(percentOf(k, 500, 1, 'binary')).toBe(printed);
    }
    const total = suites.reduce((sum, [k]) => sum + k, 0);
    expect(percentOf(total, 2000, 1, 'binary')).toBe(overall);
  });

  test('with two decimals the ties are gone', () => {
    expect([1855, 1863, 1941, 1955].map((k) => percentOf(k, 2000, 2))).toEqual([
      '92.75',
      '93.15',
      '97.05',
      '97.75',
    ]);
  });

  test('the four ties in both conventions', () => {
    expect([1855, 1863, 1941, 1955].map((k) => percentOf(k, 2000, 1, 'binary'))).toEqual([
      '92.8',
      '93.2',
      '97.0',
      '97.8',
    ]);
    expect([1855, 1863, 1941, 1955].map((k) => percentOf(k, 2000))).toEqual(['92.8', '93.2', '97.1', '97.8']);
  });
});

describe('the rounding rule', () => {
  test('no episodes have no percentage', () => {
    expect(percentOf(0, 0)).toBeNull();
    expect(percentOfRate(Number.NaN)).toBeNull();
    expect(points(Number.POSITIVE_INFINITY)).toBeNull();
  });

  test('counts: within half a digit of the truth, ties up', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.nat(5000),
        fc.integer({ min: 0, max: 3 }),
        (n, some, decimals) => {
          const k = some % (n + 1);
          const text = percentOf(k, n, decimals) ?? '';
          const printed = Number(text.replace(/^[<>]/, ''));
          const scaled = (100 * k * 10 ** decimals) / n;
          const off = Math.abs(printed * 10 ** decimals - scaled);
          expect(off).toBeLessThanOrEqual((/^[<>]/.test(text) ? 1 : 0.5) + 1e-6);
          expect(Number(text) === 0).toBe(k === 0);
          expect(Number(text) === 100).toBe(k === n);
          expect(percentOf(n, n, decimals)).toBe((100).toFixed(decimals));
        },
      ),
    );
    expect(percentOf(1, 8, 0)).toBe('13');
    expect(percentOf(1, 1000, 0)).toBe('<1');
    expect(percentOf(5, 1000, 0)).toBe('1');
  });

  test.each([
    [0.285, '28.5'],
    [0.5705, '57.1'],
    [0.00049, '<0.1'],
    [1e-15, '0.0'],
    [0, '0.0'],
    [0.9996, '>99.9'],
    [0.9994, '99.9'],
    [1 - 1e-15, '100.0'],
    [1, '100.0'],
    [0.0005, '0.1'],
    [0.94924026, '94.9'],
  ])('rate %f prints %s', (rate, printed) => {
    expect(percentOfRate(rate)).toBe(printed);
  });

  test.each([
    [-0.04, '−4.0'],
    [0.008, '+0.8'],
    [0, '0.0'],
    [-0.0001, '−0.01'],
    [0.0000004, '+0.00004'],
    [1e-15, '0.0'],
    [-0.0639714552, '−6.4'],
  ])('difference %f prints %s', (difference, printed) => {
    expect(points(difference)).toBe(printed);
  });

  test('all and nothing are printed only where they are there', () => {
    expect([1999, 2000].map((k) => percentOf(k, 2000))).toEqual(['>99.9', '100.0']);
    expect([0, 1, 2].map((k) => percentOf(k, 3000))).toEqual(['0.0', '<0.1', '0.1']);
    expect(percentOf(1999, 2000, 2)).toBe('99.95');
    expect(percentOf(1999, 2000, 1, 'binary')).toBe('100.0');
  });

  test.each([
    [2099, 2500, 0.84, '83.96'],
    [2100, 2500, 0.84, '84.0'],
    [2101, 2500, 0.8404, '84.04'],
    [89, 100, 0.9, '89.0'],
    [19999, 20000, 1, '>99.9'],
  ])('%i of %i beside a bound of %f prints %s', (k, n, bound, printed) => {
    expect(percentBeside(k, n, bound)).toBe(printed);
  });

  test('a chosen rate keeps the digits it was given', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (millionths) => {
        const given = givenPercent(Number(`${millionths}e-6`));
        expect(Math.round(Number(given) * 10_000)).toBe(millionths);
        expect(given).not.toMatch(/e|\.\d{5}/);
      }),
    );
    expect([0.8404, 0.9, 0.07, 0.285, 0.005].map(givenPercent)).toEqual(['84.04', '90', '7', '28.5', '0.5']);
  });

  test('fixed decimals', () => {
    expect(fixed(-0.04, 1)).toBe('0.0');
    expect(fixed(-2.5, 0)).toBe('-3');
    expect(fixed(2.5, 0)).toBe('3');
    expect(fixed(1e21, 1)).toBe('1000000000000000000000.0');
    expect(fixed(1.005, 2)).toBe('1.01');
    expect(fixed(1e-9, 3)).toBe('0.000');
  });
});
