import type { Plan } from './plan.ts';

/** One part of a plan that is split over hosts: `index` of `count`, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * Positions in planned order that a shard executes, ascending. Whole pairs, dealt out in turn, so that every shard has
 * its share of every task and both arms of a pair run on one host. Null is the whole plan.
 */
export function shardPositions(plan: Plan, shard: Shard | null): readonly number[] {
  const positions = plan.cells.map((_, position) => position);
  if (shard === null) return positions;
  const pairOf = new Map<string, number>();
  return positions.filter((position) => {
    const cell = plan.cells[position];
    if (cell === undefined) return false;
    const key = `${cell.taskId} ${cell.initStateId} ${cell.runIndex}`;
    const pair = pairOf.get(key) ?? pairOf.size;
    pairOf.set(key, pair);
    return pair % shard.count === shard.index - 1;
  });
}
