import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import { comparisonReport } from '../../../src/report/view/comparison-view.ts';
import type { PairedCounts } from '../../../src/stats/tango-score.ts';
import { anchorGate } from '../../../src/verdict/anchor.ts';
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

/** Whether the anchor's gate keeps a run from PASS, margin 10 points. */
function isHeld({ n, regressed, fixed }: PairedCounts): boolean {
  const pairs = Array.from({ length: n }, (_, place) => ({
    key: `${place}`,
    taskId: 0,
    initStateId: place,
    runIndex: 0,
    position: place,
    candidate: place >= regressed,
    baseline: place < regressed || place >= regressed + fixed,
    candidateSteps: null,
    baselineSteps: null,
  }));
  const pairing = { planned: n, plannedPerTask: [], pairs, lost: [], duplicates: [], unusedBaseline: 0 };
  const rules = {
    minSuccessRate: null,
    minTaskSuccessRate: null,
    thresholdMode: 'point',
    maxRegression: 0.05,
  } as const;
  return anchorGate({ name: 'a', pairing }, rules).some(
    ({ result }) => result === 'fail' || result === 'inconclusive',
  );
}

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

  test('of few cells holds no run back that did not fall by its margin', () => {
    const few = planOf({ tasks: 3, initStates: 3, thresholds: { maxRegression: 0.4 } });
    const of = (failures: number) => recordsOf(few, (place) => (place < failures ? 'failure' : 'success'));
    const judge = (failures: number, main: Baseline | null, margin = 0.2) =>
      assess(
        planOf({
          tasks: 3,
          initStates: 3,
          thresholds: { maxRegression: 0.4, maxRegressionSinceAnchor: margin },
        }),
        of(failures),
        {
          ...(main === null ? {} : { baseline: main }),
          anchor: {
            baseline: { kind: 'records', name: 'release 1', records: of(0), differing: [] },
            named: false,
          },
        },
      ).decision;
    const main: Baseline = { kind: 'records', name: 'main', records: of(1), differing: [] };
    const one = judge(1, main);
    expect(one.verdict).toBe('PASS');
    expect(one.warnings.map(({ code }) => code)).toContain('anchor_not_ruled_out');
    // Two of nine are 22 points: no proof, and no PASS.
    expect(judge(2, main)).toMatchObject({
      verdict: 'INCONCLUSIVE',
      reasons: [{ code: 'cannot_tell' }, { code: 'anchor_cannot_tell' }],
    });
    // Alone it decides nothing: the run may become the first baseline.
    const alone = judge(0, null);
    expect(alone).toMatchObject({ verdict: 'INCONCLUSIVE', reasons: [{ code: 'no_gate' }] });
    expect(alone.warnings.map(({ code }) => code)).toContain('anchor_not_ruled_out');
  });

  test.each([100, 200, 500])('ten merges of −1 point with noise seldom all pass, %i cells', (cells) => {
    const random = randomSource(3);
    const courses = 60;
    let all = 0;
    for (let course = 0; course < courses; course += 1) {
      // Every cell fails from some merge on, or is one of a few that change by chance each time.
      const falls = Array.from({ length: cells }, () => Math.floor(random() * 100) + 1);
      const noisy = Array.from({ length: cells }, () => random() < 0.05);
      const run = (merges: number) =>
        falls.map((at, place) => (noisy[place] === true ? random() < 0.5 : merges < at));
      const first = run(0);
      const held = Array.from({ length: 10 }, (_, merge) => {
        const now = run(merge + 1);
        const regressed = now.filter((ok, place) => !ok && first[place] === true).length;
        const fixed = now.filter((ok, place) => ok && first[place] === false).length;
        return isHeld({ n: cells, regressed, fixed });
      });
      if (!held.includes(true)) all += 1;
    }
    expect(all / courses).toBeLessThan(cells === 100 ? 0.25 : 0.1);
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
