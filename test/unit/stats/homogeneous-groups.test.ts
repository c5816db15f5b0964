import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupName, homogeneousGroups } from '../../../src/stats/homogeneous-groups.ts';

type PairList = readonly (readonly [number, number])[];

const graphs = fc.integer({ min: 1, max: 12 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    different: fc
      .uniqueArray(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 40, selector: String })
      .map((pairs): PairList => pairs.filter(([a, b]) => a < b)),
  }),
);

describe('groups that cannot be told apart', () => {
  it('are one when nothing differs, and one for each when everything does', () => {
    expect(homogeneousGroups(3, [])).toEqual([[0, 1, 2]]);
    const all: PairList = [
      [0, 1],
      [0, 2],
      [1, 2],
    ];
    expect(homogeneousGroups(3, all)).toEqual([[0], [1], [2]]);
    expect(homogeneousGroups(0, [])).toEqual([]);
  });

  it('overlap where the middle one is like both ends, as a chain of neighbours', () => {
    expect(homogeneousGroups(3, [[0, 2]])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    // 0 differs from 3 to 7, 1 from 4 to 7, 2 from 6 and 7.
    const apartFrom: Readonly<Record<number, readonly number[]>> = {
      0: [3, 4, 5, 6, 7],
      1: [4, 5, 6, 7],
      2: [6, 7],
    };
    const different: PairList = Object.entries(apartFrom).flatMap(([one, others]) =>
      others.map((other) => [Number(one), other] as const),
    );
    expect(homogeneousGroups(8, different)).toEqual([
      [0, 1, 2],
      [1, 2, 3],
      [2, 3, 4, 5],
      [3, 4, 5, 6, 7],
    ]);
  });

  it('hold two items together exactly when they do not differ, and none is needless', () => {
    fc.assert(
      fc.property(graphs, ({ count, different }) => {
        const groups = homogeneousGroups(count, different) ?? [];
        const apart = new Set(different.map(String));
        const together = (sets: readonly (readonly number[])[], a: number, b: number): boolean =>
          sets.some((group) => group.includes(a) && group.includes(b));
        for (let a = 0; a < count; a += 1) {
          for (let b = a; b < count; b += 1)
            expect(together(groups, a, b)).toBe(a === b || !apart.has(`${a},${b}`));
        }
        for (const group of groups) {
          const others = groups.filter((other) => other !== group);
          expect(group.every((a) => group.every((b) => together(others, a, b)))).toBe(false);
        }
      }),
    );
  });

  it('are given up where letters could not be read, instead of growing without end', () => {
    const matching = Array.from({ length: 25 }, (_, i) => [2 * i, 2 * i + 1] as const);
    expect(homogeneousGroups(50, matching)).toBeNull();
  });

  it('have names beyond the alphabet', () => {
    expect([0, 25, 26, 53].map(groupName)).toEqual(['a', 'z', 'a1', 'b2']);
  });
});
