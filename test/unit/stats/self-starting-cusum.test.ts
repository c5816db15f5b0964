import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import { selfStartingCusum } from '../../../src/stats/self-starting-cusum.ts';
import { ALARM_AT } from '../../../src/verdict/trend.ts';

/** Counts of runs of n cells of which each succeeds with the given chance; `noisy` of them, the rest always. */
function drawer(seed: number) {
  const random = randomSource(seed);
  return (n: number, chance: number, noisy = n): { k: number; n: number } => {
    let k = n - noisy;
    for (let i = 0; i < noisy; i += 1) if (random() < chance) k += 1;
    return { k, n };
  };
}

describe('self-starting CUSUM', () => {
  test.each([
    [20, 0.99],
    [20, 0.783],
    [100, 0.95],
    [100, 0.783],
  ])('quiet runs of %i at %f with one baseline run seldom alarm', (n, rate) => {
    const draw = drawer(7);
    const cases = 300;
    let alarms = 0;
    for (let i = 0; i < cases; i += 1) {
      const { heights } = selfStartingCusum(
        draw(n, rate),
        Array.from({ length: 30 }, () => draw(n, rate)),
      );
      if (heights.some((height) => height >= ALARM_AT)) alarms += 1;
    }
    expect(alarms / cases).toBeLessThanOrEqual(0.105);
  });

  test.each([
    ['all cells alike, 2 % differ', 0.99, 100],
    ['all cells alike, 34 % differ', 0.783, 100],
    ['68 coin flips among sure cells', 0.5, 68],
  ])('a fall of 5 points after 20 quiet runs is found in the median within 10: %s', (_name, rate, noisy) => {
    const draw = drawer(8);
    const found = Array.from({ length: 101 }, () => {
      const quiet = Array.from({ length: 20 }, () => draw(100, rate, noisy));
      const fallen = Array.from({ length: 25 }, () => {
        const { k } = draw(100, rate, noisy);
        return { k: Math.max(0, k - draw(100, 0.05).k), n: 100 };
      });
      const { heights } = selfStartingCusum(draw(100, rate, noisy), [...quiet, ...fallen]);
      const at = heights.findIndex((height, i) => i >= 20 && height >= ALARM_AT);
      return at === -1 ? 99 : at - 19;
    }).sort((a, b) => a - b);
    expect(found[50]).toBeLessThanOrEqual(10);
  });

  test('edges', () => {
    const { heights, scores } = selfStartingCusum({ k: 5, n: 10 }, [
      { k: 0, n: 0 },
      { k: 5, n: 10 },
    ]);
    expect(heights).toEqual([0, 0]);
    expect(scores[0]).toBeNull();
    expect(scores[1]).toBeCloseTo(0, 10);
    expect(selfStartingCusum({ k: 0, n: 0 }, [{ k: 1, n: 9 }]).heights).toEqual([0]);
    // All or nothing is no infinity.
    const worst = selfStartingCusum({ k: 1000, n: 1000 }, [{ k: 0, n: 1000 }]);
    expect(worst.heights).toEqual([2]);
  });
});
