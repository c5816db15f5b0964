import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Thresholds } from '../../../src/model/plan.ts';
import { type GivenRules, stricterRules } from '../../../src/verdict/stricter.ts';

const NOTHING: GivenRules = {
  minSuccessRate: null,
  minTaskSuccessRate: null,
  thresholdMode: null,
  maxRegression: null,
  onInconclusive: null,
};
const fixedPlan: Thresholds = {
  minSuccessRate: null,
  minTaskSuccessRate: null,
  thresholdMode: 'point',
  maxRegression: 0.05,
  onInconclusive: 'pass',
};
const rate = fc.double({ min: 0, max: 1, noNaN: true });
const floor = fc.option(rate);
const rules: fc.Arbitrary<Thresholds> = fc.record({
  minSuccessRate: floor,
  minTaskSuccessRate: floor,
  thresholdMode: fc.constantFrom('point', 'lower-bound'),
  maxRegression: rate,
  onInconclusive: fc.constantFrom('pass', 'fail'),
});

describe('stricterRules', () => {
  it('take the smaller margin since the anchor, which is twice the margin unless it is said', () => {
    const plan = { ...fixedPlan, maxRegression: 0.05 };
    const given = (maxRegressionSinceAnchor: number) => ({ ...NOTHING, maxRegressionSinceAnchor });
    expect(stricterRules(plan, given(0.2)).maxRegressionSinceAnchor).toBe(0.1);
    expect(stricterRules(plan, given(0.03)).maxRegressionSinceAnchor).toBe(0.03);
    expect(stricterRules(plan, NOTHING)).toEqual(plan);
  });

  it('never loosens either source, in whatever order they come', () => {
    fc.assert(
      fc.property(rules, rules, (left, right) => {
        const both = stricterRules(left, right);
        expect(stricterRules(right, left)).toEqual(both);
        for (const source of [left, right]) {
          expect(both.minSuccessRate ?? -1).toBeGreaterThanOrEqual(source.minSuccessRate ?? -1);
          expect(both.minTaskSuccessRate ?? -1).toBeGreaterThanOrEqual(source.minTaskSuccessRate ?? -1);
          expect(both.maxRegression).toBeLessThanOrEqual(source.maxRegression);
          if (source.onInconclusive === 'fail') expect(both.onInconclusive).toBe('fail');
          if (source.thresholdMode === 'lower-bound') expect(both.thresholdMode).toBe('lower-bound');
        }
      }),
    );
  });

  it('leaves the plan as it is when the other source says nothing', () => {
    fc.assert(
      fc.property(rules, (plan) => {
        expect(stricterRules(plan, NOTHING)).toEqual(plan);
      }),
    );
  });
});
