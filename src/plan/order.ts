import { type Random, seededRandom, shuffled } from '../base/random.ts';
import type { Arm, Cell } from '../model/plan.ts';

interface OrderRequest {
  readonly taskIds: readonly number[];
  readonly initStates: readonly number[];
  readonly repeats: number;
  readonly arms: readonly Arm[];
  readonly seed: number;
}

interface Episode {
  readonly initStateId: number;
  readonly runIndex: number;
}

/**
 * All cells of a plan in the order in which they are to run.
 *
 * Rounds: each round holds one episode of every task, tasks in a fresh random order, so that whatever part of the
 * plan has run, no two tasks differ by more than one episode. Inside a task every initial state comes once before any
 * comes a second time. The arms of one episode stand next to each other; with two arms half of the pairs (rounded
 * down) start with the second arm, at random places (counterbalanced).
 */
export function orderCells(request: OrderRequest): Cell[] {
  const random = seededRandom(request.seed);
  const queues = new Map(request.taskIds.map((taskId) => [taskId, episodesOf(request, random)]));
  const rounds = request.initStates.length * request.repeats;
  const pairs: { taskId: number; episode: Episode }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const taskId of shuffled(request.taskIds, random)) {
      const episode = queues.get(taskId)?.[round];
      if (episode !== undefined) pairs.push({ taskId, episode });
    }
  }
  const swaps = shuffled(
    pairs.map((_, index) => index % 2 === 1),
    random,
  );
  return pairs.flatMap(({ taskId, episode }, index) => {
    const arms = swaps[index] === true ? [...request.arms].reverse() : request.arms;
    return arms.map((arm) => ({ taskId, ...episode, arm }));
  });
}

function episodesOf(request: OrderRequest, random: Random): Episode[] {
  return Array.from({ length: request.repeats }, (_, runIndex) =>
    shuffled(request.initStates, random).map((initStateId) => ({ initStateId, runIndex })),
  ).flat();
}
