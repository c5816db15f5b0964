import type { Thresholds } from '../model/plan.ts';
import { anchorMargin } from './thresholds.ts';

/** Rules from one source; null where it says nothing. */
export type GivenRules = {
  readonly [Key in Exclude<keyof Thresholds, 'allowDroppedTasks' | 'maxRegressionSinceAnchor'>]:
    | Thresholds[Key]
    | null;
} & { readonly maxRegressionSinceAnchor?: number | null | undefined };

/**
 * The plan's own rules with those of another source, the stricter of both at every point: who can edit one of the two
 * can tighten the gate and never loosen it. Whose word on dropped tasks counts is decided elsewhere. Pure.
 */
export function stricterRules(plan: Thresholds, given: GivenRules): Thresholds {
  return {
    ...plan,
    ...sinceAnchor(plan, given.maxRegressionSinceAnchor ?? null),
    minSuccessRate: higher(plan.minSuccessRate, given.minSuccessRate),
    minTaskSuccessRate: higher(plan.minTaskSuccessRate, given.minTaskSuccessRate),
    thresholdMode: [plan.thresholdMode, given.thresholdMode].includes('lower-bound')
      ? 'lower-bound'
      : 'point',
    maxRegression: Math.min(plan.maxRegression, given.maxRegression ?? plan.maxRegression),
    onInconclusive: [plan.onInconclusive, given.onInconclusive].includes('fail') ? 'fail' : 'pass',
  };
}

/** Only where a source says something: else it follows the smaller `maxRegression`. */
function sinceAnchor(plan: Thresholds, given: number | null): Pick<Thresholds, 'maxRegressionSinceAnchor'> {
  return given === null ? {} : { maxRegressionSinceAnchor: Math.min(anchorMargin(plan), given) };
}

function higher(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.max(left, right);
}
