import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import { marginP } from '../../../src/stats/margin-test.ts';
import { signFlip } from '../../../src/stats/seeds.ts';
import {
  type Stratum,
  strataApartP,
  strataCounts,
  strataMarginP,
  strataWorseP,
} from '../../../src/stats/strata.ts';
import { worseP } from '../../../src/stats/worse-test.ts';

const task = (n: number, fixed: number, regressed: number, weight = 1): Stratum => ({
  weight,
  differences: Array.from({ length: n }, (_, i) => (i < fixed ? 1 : i < fixed + regressed ? -1 : 0)),
  repeated: false,
});

describe('strata', () => {
  test('equal tasks and one run a state are plain pairs', () => {
    const strata = [task(50, 1, 3), task(50, 2, 7), task(50, 0, 4)];
    const counts = { n: 150, fixed: 3, regressed: 14 };
    expect(strataCounts(strata)).toEqual({ counts, exact: true, balanced: true });
    expect(strataWorseP(strata)).toBe(worseP(counts));
    expect(strataMarginP(strata, 0.05)).toBe(marginP(counts, 0.05));
  });

  test('four suites of R 6, F 2 of 100 are together 4 points worse, and that is shown', () => {
    const suites = Array.from({ length: 4 }, () => task(100, 2, 6, 1 / 4));
    const found = strataCounts(suites);
    expect(found?.counts).toEqual({ n: 400, fixed: 8, regressed: 24 });
    expect(strataWorseP(suites)).toBeLessThan(0.05);
    expect(strataMarginP(suites, 0.05)).toBeGreaterThan(0.05);
    for (const suite of suites) expect(strataWorseP([suite])).toBeGreaterThan(0.05);
  });

  test('a suite of more states weighs no more than another', () => {
    const strata = [task(10, 0, 5), task(100, 0, 0)];
    const found = strataCounts(strata);
    expect(found?.exact).toBe(false);
    expect(
      ((found?.counts.fixed ?? 0) - (found?.counts.regressed ?? 0)) / (found?.counts.n ?? 1),
    ).toBeCloseTo(-0.25, 12);
    // As many as there were if all weighed as much as one of the ten.
    expect(found?.counts).toEqual({ n: 20, fixed: 0, regressed: 5 });
    expect(strataWorseP(strata)).toBe(worseP({ n: 20, fixed: 0, regressed: 5 }));
  });

  test('of several runs the counts are rounded against a PASS', () => {
    const third = 1 / 3;
    const differences = [...new Array<number>(58).fill(0), -third];
    const one: Stratum = { weight: 1, differences, repeated: true };
    expect(strataMarginP([one], 0.05)).toBe(marginP({ n: 59, fixed: 0, regressed: 1 }, 0.05));
    const all: Stratum = { ...one, differences: new Array<number>(59).fill(0) };
    expect(strataMarginP([all], 0.05)).toBe(marginP({ n: 59, fixed: 0, regressed: 0 }, 0.05));
  });

  test('few heavy states of which none changed rule nothing out, however many light ones agree', () => {
    // Were the heavy stratum 10 points worse, all 20 of its states would agree in 12 % of runs.
    expect(strataMarginP([task(20, 0, 0), task(500, 0, 0)], 0.05)).toBeGreaterThan(0.9 ** 20);
  });

  test('many small losses are no proof of a loss while large gains may just not be among the data', () => {
    // Twelve states lost one run of three. Whole states gained elsewhere would make up for them, and often show nowhere.
    const differences = [...new Array<number>(88).fill(0), ...new Array<number>(9).fill(-1 / 3)];
    const strata = [{ weight: 1, repeated: true, differences }];
    expect(signFlip(differences).worse).toBeLessThan(0.002);
    expect(strataWorseP(strata)).toBe(worseP({ n: 97, fixed: 0, regressed: 3 }));
    expect(strataWorseP(strata)).toBeGreaterThan(0.05);
  });

  test('runs that repeat each other prove what one run of each state proves', () => {
    const once = [task(50, 1, 8)];
    const often = once.map((each) => ({ ...each, repeated: true }));
    expect(strataWorseP(often)).toBe(strataWorseP(once));
    expect(strataMarginP(often, 0.05)).toBe(strataMarginP(once, 0.05));
  });

  test.each([
    ['one small suite that gains, one large that loses', [20, 500], [0.1, 0], [0, 0.1]],
    [
      'one short task that gains, three long ones that lose',
      [3, 50, 50, 50],
      [0.1, 0, 0, 0],
      [0, 0.1 / 3, 0.1 / 3, 0.1 / 3],
    ],
  ])('equal on average, unlike weights, FAIL: %s', (_what, lengths, gains, losses) => {
    const random = randomSource(11);
    let failed = 0;
    for (let run = 0; run < 400; run += 1) {
      const strata = lengths.map(
        (length, at): Stratum => ({
          weight: 1,
          repeated: false,
          differences: Array.from({ length }, () => {
            const draw = random();
            return draw < (gains[at] ?? 0) ? 1 : draw < (gains[at] ?? 0) + (losses[at] ?? 0) ? -1 : 0;
          }),
        }),
      );
      if (strataWorseP(strata) <= 0.05) failed += 1;
    }
    expect(failed / 400).toBeLessThanOrEqual(0.05);
  });

  test.each([
    ['single runs lost, whole states gained', { sizes: [100], gain: 0.02, runs: 5 }],
    ['a small suite gains, a large one loses', { sizes: [20, 180], gain: 0.05, runs: 1 }],
  ])('equal on average and unlike in size, called different: %s', (_what, { sizes, gain, runs }) => {
    const random = randomSource(12);
    const changed = (size: number, chance: number): number => (random() < chance ? size : 0);
    let different = 0;
    for (let run = 0; run < 400; run += 1) {
      const strata = sizes.map((length, at): Stratum => {
        const gains = at === 0 ? gain : 0;
        const losses = at === sizes.length - 1 ? gain : 0;
        const differences = Array.from(
          { length },
          () => changed(1, gains) || changed(-1 / runs, losses * runs),
        );
        return { weight: 1, repeated: runs > 1, differences };
      });
      if (strataApartP(strata) <= 0.05) different += 1;
    }
    expect(different / 400).toBeLessThanOrEqual(0.05);
  });

  test('nothing is known of nothing', () => {
    expect(strataCounts([])).toBeNull();
    expect(strataWorseP([task(0, 0, 0)])).toBe(1);
    expect(strataMarginP([], 0.05)).toBe(1);
  });
});

describe('sign flips over states', () => {
  test('counting all signs by adding up gives what trying them all gives', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(-1, -2 / 3, -1 / 3, 1 / 3, 1), { maxLength: 9 }), (values) => {
        const found = signFlip(values);
        const sums = values.reduce<number[]>((all, v) => all.flatMap((s) => [s - v, s + v]), [0]);
        const observed = values.reduce((sum, v) => sum + v, 0);
        const worse = sums.filter((s) => s <= observed + 1e-9).length / sums.length;
        expect(found.worse).toBeCloseTo(values.length === 0 ? 1 : worse, 12);
      }),
    );
  });

  test('many states are counted exactly, and drawn signs come close to it', () => {
    const random = randomSource(3);
    const values = Array.from({ length: 800 }, () => Math.round(random() * 6 - 3.2) / 3);
    const exact = signFlip(values);
    expect(exact.exact).toBe(true);
    const drawn = signFlip(values, { exactUpTo: 0 });
    expect(Math.abs(exact.worse - drawn.worse)).toBeLessThan(0.015);
  });
});
