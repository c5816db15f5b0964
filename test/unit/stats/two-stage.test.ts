import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tango } from '../../../src/stats/tango.ts';
import { twoStageInterval } from '../../../src/stats/two-stage.ts';

const task = (n: number, fixed: number, regressed: number): number[] =>
  Array.from({ length: n }, (_, i) => (i < fixed ? 1 : i < fixed + regressed ? -1 : 0));

describe('tasks as a sample', () => {
  /** 13 fixes and 9 regressions of 500, unevenly over ten tasks. */
  const uneven = [
    ...[task(50, 6, 0), task(50, 4, 0), task(50, 2, 0), task(50, 1, 0), task(50, 0, 0)],
    ...[task(50, 0, 0), task(50, 0, 1), task(50, 0, 1), task(50, 0, 3), task(50, 0, 4)],
  ];

  test('say less about other tasks than about themselves', () => {
    const family = twoStageInterval(uneven);
    const own = tango({ n: 500, fixed: 13, regressed: 9 });
    expect(family?.low).toBeLessThan(own?.low ?? 0);
    expect(family?.high).toBeGreaterThan(own?.high ?? 0);
  });

  test('spread as the formula for two stages says', () => {
    const family = twoStageInterval(uneven, { resamples: 20_000, level: 0.6826894921370859 });
    const means = uneven.map((each) => each.reduce((sum, d) => sum + d, 0) / 50);
    const centre = means.reduce((sum, m) => sum + m, 0) / 10;
    const between = means.reduce((sum, m) => sum + (m - centre) ** 2, 0) / 100;
    const within = uneven.reduce((sum, each, t) => {
      const second = each.reduce((total, d) => total + d * d, 0) / 50;
      return sum + (second - (means[t] ?? 0) ** 2) / 50 / 100;
    }, 0);
    const half = ((family?.high ?? 0) - (family?.low ?? 0)) / 2;
    expect(half / Math.sqrt(between + within)).toBeCloseTo(1, 1);
  });

  test('no interval below five tasks, nor where nothing varies', () => {
    expect(twoStageInterval(uneven.slice(0, 4))).toBeNull();
    expect(twoStageInterval([...uneven.slice(0, 4), []])).toBeNull();
    expect(twoStageInterval(uneven.slice(0, 5))).not.toBeNull();
    expect(twoStageInterval(Array.from({ length: 10 }, () => task(20, 0, 0)))).toBeNull();
  });

  test('the order of tasks and states changes nothing', () => {
    const straight = twoStageInterval(uneven, { resamples: 200 });
    fc.assert(
      fc.property(fc.shuffledSubarray(uneven, { minLength: 10 }), (shuffled) => {
        const turned = shuffled.map((each) => [...each].reverse());
        expect(twoStageInterval(turned, { resamples: 200 })).toEqual(straight);
      }),
      { numRuns: 10 },
    );
  });
});
