import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import { holm } from '../../../src/stats/holm.ts';
import { wilson } from '../../../src/stats/wilson.ts';
import { comparePolicies, type PolicyOutcomes } from '../../../src/verdict/many-policies.ts';
import { cellsOf, familyError, simulated } from './many-policies-builder.ts';

/** A policy that solves the first `successes` cells. */
const solving = (name: string, cells: number, successes: number): PolicyOutcomes => ({
  name,
  outcomes: Array.from({ length: cells }, (_, at) => at < successes),
});

describe('many policies on the same cells', () => {
  it('are ranked, and share a letter where they cannot be told apart', () => {
    const cells = cellsOf({ tasks: 2, states: 50 });
    const counts = { low: 55, top: 95, middle: 90 };
    const given = Object.entries(counts).map(([name, k]) => solving(name, 100, k));
    const { policies, pairs } = comparePolicies(cells, given);
    expect(policies.map(({ given: at, rate, groups }) => [given[at]?.name, rate, groups])).toEqual([
      ['top', 0.95, ['a']],
      ['middle', 0.9, ['a']],
      ['low', 0.55, ['b']],
    ]);
    // McNemar's exact two-sided p of 5, 40 and 35 discordant pairs that all go one way, and Holm's steps 3, 2, 1.
    expect(pairs.map(({ p }) => p)).toEqual([2 / 2 ** 5, 2 / 2 ** 40, 2 / 2 ** 35]);
    expect(pairs.map(({ adjusted }) => adjusted)).toEqual(holm(pairs.map(({ p }) => p)));
    expect(pairs.map(({ onlyFirst, onlySecond, cells: n }) => [onlyFirst, onlySecond, n])).toEqual([
      [5, 0, 100],
      [40, 0, 100],
      [35, 0, 100],
    ]);
    expect(pairs[0]?.difference).toBeCloseTo(0.05, 12);
    expect(pairs[0]?.different).toBe(false);
  });

  it('have one interval for one count: Wilson, as each run shows it; else that of the mean of tasks, by name', () => {
    const one = comparePolicies(cellsOf({ tasks: 5, states: 10 }), [solving('a', 50, 42)]);
    expect(one.policies[0]).toMatchObject({ successes: 42, valid: 50, intervalOf: 'count' });
    expect(one.policies[0]?.interval).toEqual(wilson(42, 50));
    const lost = { name: 'a', outcomes: [null, ...solving('a', 49, 40).outcomes] };
    const uneven = comparePolicies(cellsOf({ tasks: 5, states: 10 }), [lost]);
    expect(uneven.policies[0]?.intervalOf).toBe('tasks');
    const thrice = comparePolicies(cellsOf({ tasks: 1, states: 10, runs: 3 }), [solving('a', 30, 20)]);
    expect(thrice.policies[0]?.intervalOf).toBe('tasks');
    const weighed = comparePolicies(cellsOf({ tasks: 2, states: 10 }), [solving('a', 20, 15)], {
      weightOf: (taskId) => taskId + 1,
    });
    expect(weighed.policies[0]?.intervalOf).toBe('tasks');
  });

  it('take the initial state as the unit: three runs of a deterministic policy prove no more than one', () => {
    const once = comparePolicies(cellsOf({ tasks: 1, states: 10 }), [
      solving('a', 10, 10),
      solving('b', 10, 6),
    ]);
    const cells = cellsOf({ tasks: 1, states: 10, runs: 3 });
    const thrice = comparePolicies(cells, [solving('a', 30, 30), solving('b', 30, 18)]);
    expect(thrice.pairs[0]?.p).toBe(once.pairs[0]?.p);
    expect(thrice.pairs[0]?.p).toBe(0.125);
  });

  it('weigh tasks the same when cells were lost, with p values that no number of draws limits', () => {
    const cells = cellsOf({ tasks: 4, states: 25 });
    const given = [solving('a', 100, 100), solving('b', 100, 0)];
    const lost = given.map(({ name, outcomes }) => ({
      name,
      outcomes: outcomes.map((outcome, at) => (at % 17 === 0 ? null : outcome)),
    }));
    const { pairs, policies } = comparePolicies(cells, lost);
    expect(pairs[0]?.difference).toBeCloseTo(1, 12);
    expect(pairs[0]?.p).toBeLessThan(1e-20);
    expect(policies.map(({ valid }) => valid)).toEqual([94, 94]);
  });

  it('are not called different, nor given a difference, where they have no valid cell in common', () => {
    const cells = cellsOf({ tasks: 1, states: 2 });
    const { pairs, policies } = comparePolicies(cells, [
      { name: 'a', outcomes: [true, null] },
      { name: 'b', outcomes: [null, null] },
    ]);
    expect(pairs[0]).toMatchObject({ cells: 0, difference: null, interval: null, p: 1, different: false });
    expect(policies[1]).toMatchObject({ rate: null, valid: 0, interval: null });
  });

  it('give the same answer in whatever order they come', () => {
    const random = randomSource(5);
    const cells = cellsOf({ tasks: 2, states: 20 });
    const given = simulated(cells, [0.9, 0.3, 0.6, 0.6], random);
    const named = (list: readonly PolicyOutcomes[]) => {
      const { policies, pairs } = comparePolicies(cells, list);
      const rows = policies.map(({ given: at, ...rest }) => ({ ...rest, name: list[at]?.name }));
      return { rows, pairs };
    };
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), (order) => {
        expect(named(order.map((at) => given[at] ?? solving('', 0, 0)))).toEqual(named(given));
      }),
      { numRuns: 10 },
    );
  });

  it('err in at most 5 of 100 experiments over all pairs, all equal, partly equal, with lost cells and repeats', () => {
    const draws = 200;
    // 5 % and three standard errors of this many draws.
    const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws);
    const equal = Array.from({ length: 5 }, () => 0.7);
    expect(familyError({ tasks: 3, states: 20 }, equal, { draws }).wrong).toBeLessThan(most);
    expect(familyError({ tasks: 3, states: 20 }, equal, { draws, lost: 0.1 }).wrong).toBeLessThan(most);
    expect(familyError({ tasks: 2, states: 10, runs: 3 }, equal, { draws }).wrong).toBeLessThan(most);
    expect(familyError({ tasks: 3, states: 20 }, [0.9, 0.9, 0.5, 0.5, 0.1], { draws }).wrong).toBeLessThan(
      most,
    );
  });
});
