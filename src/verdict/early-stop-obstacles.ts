import type { Plan } from '../model/plan.ts';

/** Why this plan cannot stop early, in words; an empty list when it can. */
export function earlyStopObstacles(
  plan: Plan,
  options: { readonly shards: number; readonly baselineAtHand: boolean },
): string[] {
  const { minSuccessRate, minTaskSuccessRate } = plan.thresholds;
  const floors = minSuccessRate !== null || minTaskSuccessRate !== null;
  const compares = options.baselineAtHand || plan.arms.includes('baseline');
  const obstacles: string[] = [];
  if (options.shards > 1) {
    obstacles.push('the plan is split over shards, and no shard sees the whole planned order');
  }
  if (plan.repeats > 1 && compares) {
    obstacles.push('several runs on one initial state are not independent looks at the difference');
  }
  if (!floors && !compares) {
    obstacles.push('there is no floor, and no baseline is at hand while the run goes on');
  }
  return obstacles;
}
