import { type RandomSource, randomSource } from '../../../src/base/random.ts';
import { holm } from '../../../src/stats/holm.ts';
import {
  comparePolicies,
  FAMILY_ERROR,
  type PolicyOutcomes,
  type SharedCell,
} from '../../../src/verdict/many-policies.ts';

export interface Shape {
  readonly tasks: number;
  readonly states: number;
  readonly runs?: number;
}

/** Cells of a plan: each task with the same states and runs. */
export function cellsOf({ tasks, states, runs = 1 }: Shape): SharedCell[] {
  return Array.from({ length: tasks }, (_, taskId) =>
    Array.from({ length: states }, (_s, initStateId) =>
      Array.from({ length: runs }, (_r, runIndex) => ({ taskId, initStateId, runIndex })),
    ),
  ).flat(2);
}

/** One simulated experiment: `quality` of each policy, with states that are hard for all alike. */
export function simulated(
  cells: readonly SharedCell[],
  quality: readonly number[],
  random: RandomSource,
): PolicyOutcomes[] {
  const hardness = new Map<string, number>();
  for (const { taskId, initStateId } of cells) {
    const key = `${taskId} ${initStateId}`;
    if (!hardness.has(key)) hardness.set(key, 0.5 * (random() - 0.5));
  }
  return quality.map((rate, index) => ({
    name: `p${String(index).padStart(2, '0')}`,
    outcomes: cells.map(({ taskId, initStateId }) => {
      const chance = Math.min(1, Math.max(0, rate + (hardness.get(`${taskId} ${initStateId}`) ?? 0)));
      return random() < chance;
    }),
  }));
}

/**
 * Share of experiments in which some pair of equal policies is called different; `mirrored`: by two one-sided tests of
 * each pair, both at the full level, as some tools that print letters do.
 */
export function familyError(
  shape: Shape,
  quality: readonly number[],
  { draws, lost = 0 }: { readonly draws: number; readonly lost?: number },
): { readonly wrong: number; readonly mirrored: number } {
  const random = randomSource(11);
  const cells = cellsOf(shape);
  const counts = { wrong: 0, mirrored: 0 };
  for (let draw = 0; draw < draws; draw += 1) {
    const policies = simulated(cells, quality, random).map(({ name, outcomes }) => ({
      name,
      outcomes: outcomes.map((outcome) => (random() < lost ? null : outcome)),
    }));
    const { policies: ranked, pairs } = comparePolicies(cells, policies);
    const rate = (place: number): number | undefined => quality[ranked[place]?.given ?? -1];
    const equal = pairs.filter(({ first, second }) => rate(first) === rate(second));
    // The smaller one-sided p of a symmetric test is half the two-sided one.
    const halved = holm(pairs.map(({ p }) => p / 2));
    if (equal.some(({ different }) => different)) counts.wrong += 1;
    if (equal.some((pair) => (halved[pairs.indexOf(pair)] ?? 1) <= FAMILY_ERROR)) counts.mirrored += 1;
  }
  return { wrong: counts.wrong / draws, mirrored: counts.mirrored / draws };
}
