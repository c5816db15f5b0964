import type { Caps } from '../model/caps.ts';
import type { Plan } from '../model/plan.ts';

/** One part of a plan that is split over hosts: `index` of `count`, from 1. */
interface Shard {
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

/**
 * What a shard may use of its plan's caps, so that all shards together stay within them: sessions are its own cells and
 * its share of what is left for retries, bytes its share of the cells. Wall time passes on all hosts at once. Null
 * without caps.
 */
export function shardCaps(plan: Plan, shard: Shard | null): Caps | null {
  const { caps } = plan;
  if (caps === undefined || shard === null) return caps ?? null;
  const { maxSessions, maxArtifactBytes, ...rest } = caps;
  const planned = plan.cells.length;
  const cells = shardPositions(plan, shard).length;
  const spare = (maxSessions ?? 0) - planned;
  const extra = Math.floor(spare / shard.count) + (shard.index <= spare % shard.count ? 1 : 0);
  const bytes = Math.floor(((maxArtifactBytes ?? 0) * cells) / planned);
  return {
    ...rest,
    ...(maxSessions === undefined ? {} : { maxSessions: cells + extra }),
    ...(maxArtifactBytes === undefined ? {} : { maxArtifactBytes: Math.max(1, bytes) }),
  };
}
