import { describe, expect, test } from 'vitest';
import { wilson } from '../../../src/stats/wilson.ts';

describe('wilson', () => {
  test.each([
    [0, 1, 0.95, 0, 0.7934506856],
    [0, 50, 0.95, 0, 0.07134759913],
    [50, 50, 0.95, 0.9286524009, 1],
    [4, 40, 0.95, 0.03957952868, 0.2305177523],
    [463, 500, 0.9, 0.9043669032, 0.943047663],
    [1934, 2000, 0.95, 0.9582322305, 0.9739772473],
  ])('%i of %i at level %f', (k, n, level, low, high) => {
    const interval = wilson(k, n, level);
    expect(interval?.low).toBeCloseTo(low, 9);
    expect(interval?.high).toBeCloseTo(high, 9);
  });

  test('no episodes have no interval', () => {
    expect(wilson(0, 0)).toBeNull();
  });
});
