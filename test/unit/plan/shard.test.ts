import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { orderCells } from '../../../src/plan/make-plan.ts';
import { shardPositions } from '../../../src/plan/shard.ts';
import { makePlan } from '../outcome/plan-builder.ts';

function planOf(tasks: number, states: number, arms: Plan['arms'], seed: number): Plan {
  const range = (count: number): number[] => Array.from({ length: count }, (_, id) => id);
  const cells = orderCells({ taskIds: range(tasks), initStates: range(states), repeats: 1, arms, seed });
  return makePlan({ cells });
}

describe('shardPositions', () => {
  it('gives every position to exactly one shard and never parts a pair', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 999 }),
        (tasks, states, count, seed) => {
          const plan = planOf(tasks, states, ['candidate', 'baseline'], seed);
          const shards = Array.from({ length: count }, (_, at) =>
            shardPositions(plan, { index: at + 1, count }),
          );
          expect(shards.flat().toSorted((a, b) => a - b)).toEqual(plan.cells.map((_, at) => at));
          for (const positions of shards) {
            const keys = positions.map((at) => `${plan.cells[at]?.taskId}/${plan.cells[at]?.initStateId}`);
            const counts = new Map<string, number>();
            for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
            expect([...counts.values()].every((each) => each === 2)).toBe(true);
          }
        },
      ),
    );
  });

  it('spreads the tasks evenly', () => {
    const plan = planOf(10, 10, ['candidate'], 3);
    const sizes = [1, 2, 3].map((index) => shardPositions(plan, { index, count: 3 }).length);
    expect(sizes).toEqual([34, 33, 33]);
  });

  it('is the whole plan without a shard', () => {
    const plan = planOf(2, 3, ['candidate'], 0);
    expect(shardPositions(plan, null)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
