import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import { betaCdf, betaQuantile, studentCdf, studentQuantile } from '../../../src/stats/beta.ts';
import { normalCdf, normalQuantile, normalUpperTail } from '../../../src/stats/normal.ts';
import {
  bootstrapMean,
  mean,
  medianRanks,
  medianWithInterval,
  percentile,
  standardDeviation,
} from '../../../src/stats/summaries.ts';
import { expectPrinted } from './printed.ts';

const SAMPLE = [11, 12, 12, 13, 14, 14, 15, 16, 30, 90];

describe('percentiles and medians', () => {
  test('linear interpolation (type 7)', () => {
    expect(percentile(SAMPLE, 0.5)).toBe(14);
    expect(percentile(SAMPLE, 0.95)).toBeCloseTo(63, 10);
    expect(percentile(SAMPLE, 0.99)).toBeCloseTo(84.6, 10);
    expect(percentile([], 0.5)).toBeNull();
    expect(percentile([7], 0.95)).toBe(7);
    expect(() => percentile([1], 1.1)).toThrow(RangeError);
  });

  test.each([
    [10, 2, 9, '.978515625'],
    [20, 6, 15, '.958610535'],
    [44, 16, 29, '.951233234'],
    [50, 18, 33, '.967160862'],
    [100, 40, 61, '.9647998'],
    [500, 228, 273, '.955936530'],
  ])('ranks around the median of %i', (n, low, high, coverage) => {
    const ranks = medianRanks(n);
    expect(ranks).toMatchObject({ low, high });
    expectPrinted(ranks?.coverage, coverage);
  });

  test('below six values there is no interval', () => {
    expect(medianRanks(5)).toBeNull();
    expect(medianWithInterval([3, 1, 2])).toEqual({ n: 3, median: 2, interval: null, coverage: null });
    expect(medianWithInterval([])).toBeNull();
  });

  test('the interval is made of observed values around the median, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 6, maxLength: 80 }), (values) => {
        const result = medianWithInterval(values);
        expect(values).toContain(result?.interval?.low);
        expect(values).toContain(result?.interval?.high);
        expect(result?.interval?.low).toBeLessThanOrEqual(result?.median ?? Number.NaN);
        expect(result?.interval?.high).toBeGreaterThanOrEqual(result?.median ?? Number.NaN);
        expect(result?.coverage).toBeGreaterThanOrEqual(0.95);
        expect(medianWithInterval([...values].reverse())).toEqual(result);
      }),
    );
  });
});

describe('means and bootstrap', () => {
  test('the mean of nothing is refused, not 0', () => {
    expect(() => mean([])).toThrow(RangeError);
    expect(() => standardDeviation([1])).toThrow(RangeError);
    expect(mean([1e16, 1, -1e16])).toBeCloseTo(1 / 3, 12);
  });

  test('its standard error is within 1.5 % of the ideal', () => {
    const values = Array.from({ length: 40 }, (_, i) => 60 + ((i * 37) % 90));
    const n = values.length;
    const ideal = (standardDeviation(values) * Math.sqrt((n - 1) / n)) / Math.sqrt(n);
    const result = bootstrapMean(values, { resamples: 200_000, random: randomSource(3) });
    expect(Math.abs((result?.standardError ?? 0) / ideal - 1)).toBeLessThan(0.015);
    expect(result?.interval.low).toBeLessThan(mean(values));
    expect(result?.interval.high).toBeGreaterThan(mean(values));
  });

  test('same seed, same interval; too few or constant values have none', () => {
    const values = Array.from({ length: 25 }, (_, i) => i);
    const run = (seed: number) => bootstrapMean(values, { resamples: 500, random: randomSource(seed) });
    expect(run(5)).toEqual(run(5));
    expect(run(5)).not.toEqual(run(6));
    expect(bootstrapMean(values.slice(0, 19), { random: randomSource(1) })).toBeNull();
    expect(bootstrapMean(new Array<number>(30).fill(4), { random: randomSource(1) })).toBeNull();
  });
});

describe('special functions', () => {
  test('quantiles of the normal distribution', () => {
    expectPrinted(normalQuantile(0.975), '1.959963985');
    expectPrinted(normalQuantile(0.95), '1.644853627');
    expectPrinted(normalQuantile(0.8), '.8416212336');
    expect(normalUpperTail(10)).toBeGreaterThan(0);
    expect(normalCdf(0)).toBe(0.5);
  });

  test('quantiles undo distribution functions', () => {
    const p = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    const shape = fc.double({ min: 0.5, max: 500, noNaN: true });
    fc.assert(
      fc.property(p, shape, shape, (q, a, b) => {
        expect(betaCdf(betaQuantile(q, a, b), a, b)).toBeCloseTo(q, 9);
        expect(betaCdf(0.4, a, b) + betaCdf(0.4, a, b, true)).toBeCloseTo(1, 9);
        expect(normalCdf(normalQuantile(q))).toBeCloseTo(q, 12);
      }),
      { numRuns: 50 },
    );
    for (const df of [1, 2, 9, 30, 499]) {
      expect(studentCdf(studentQuantile(0.975, df), df)).toBeCloseTo(0.975, 10);
      expect(studentQuantile(0.025, df)).toBeCloseTo(-studentQuantile(0.975, df), 9);
    }
    expect(studentQuantile(0.5, 4)).toBe(0);
    expectPrinted(2 * studentCdf(-0.1333333333 / 0.0544331054, 9), '.0367875');
  });
});
