import { describe, expect, test } from 'vitest';
import { comparisonReport } from '../../../src/report/view/comparison-view.ts';
import type { Baseline } from '../../../src/verdict/comparison.ts';
import { assess } from '../../../src/verdict/from-records.ts';
import { type PlanShape, planOf, recordsOf } from './records.ts';

const shape = { tasks: 10, initStates: 50 };
const plan = planOf(shape);
/** The run after so many merges of −1 point each: five more episodes fail. */
const drifted = (merges: number) =>
  recordsOf(plan, (place) => (place < 25 + 5 * merges ? 'failure' : 'success'));
const recorded = (merges: number, name: string): Baseline => ({
  kind: 'records',
  name,
  records: drifted(merges),
  differing: [],
});
const judged = (merges: number, thresholds: PlanShape['thresholds'] = {}) =>
  assess(planOf({ ...shape, thresholds }), drifted(merges), {
    baseline: recorded(merges - 1, 'main'),
    anchor: { baseline: recorded(0, 'release 1'), named: false },
  });

describe('the anchor', () => {
  test('ten merges of −1 point each do not all pass, though each passes against the one before', () => {
    const verdicts = Array.from({ length: 10 }, (_, merge) => judged(merge + 1).decision.verdict);
    expect(verdicts.slice(0, 5)).toEqual(Array(5).fill('PASS'));
    expect(verdicts).toContain('FAIL');
    expect(verdicts.at(-1)).not.toBe('PASS');
    const { decision } = assess(plan, drifted(10), { baseline: recorded(9, 'main') });
    expect(decision.verdict).toBe('PASS');
  });

  test('is named with its margin in the reason and beside the baseline', () => {
    const assessment = judged(10);
    expect(assessment.decision).toMatchObject({
      verdict: 'FAIL',
      reasons: [
        {
          code: 'anchor_regression',
          text: expect.stringContaining('−10.0 points against the anchor release 1'),
        },
        { code: 'not_inferior' },
      ],
    });
    const report = comparisonReport(assessment);
    expect(report?.facts?.[0]).toMatch(/^Change since the anchor release 1: −10\.0 .*10 points are allowed/);
    expect(report?.rows.at(-1)?.label).toContain('Change since the anchor release 1');
  });

  test('has a margin of its own', () => {
    expect(judged(3, { maxRegressionSinceAnchor: 0.02 }).decision.verdict).toBe('FAIL');
    expect(judged(10, { maxRegressionSinceAnchor: 0.2 }).decision.verdict).toBe('PASS');
  });

  test('of another protocol is said where it was found, and INVALID where it was named', () => {
    const other: Baseline = {
      kind: 'records',
      name: 'release 1',
      records: drifted(0),
      differing: ['max_steps'],
    };
    const by = (named: boolean) =>
      assess(plan, drifted(1), { baseline: recorded(0, 'main'), anchor: { baseline: other, named } })
        .decision;
    expect(by(false).verdict).toBe('PASS');
    expect(by(false).warnings.map(({ code }) => code)).toContain('anchor_not_comparable');
    expect(by(true)).toMatchObject({ verdict: 'INVALID', reasons: [{ code: 'anchor_fingerprint_differs' }] });
  });
});
