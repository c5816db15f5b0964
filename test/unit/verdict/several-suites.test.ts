import { describe, expect, test } from 'vitest';
import { assess } from '../../../src/verdict/from-records.ts';
import { overallVerdict } from '../../../src/verdict/overall.ts';
import { decideTogether, type SuiteEvidence } from '../../../src/verdict/several-suites.ts';
import { planOf, recordsOf } from './records.ts';

/** A suite of `n` pairs of which the first regress and the next are fixed. */
function suiteOf(name: string, [regressed, fixed, n]: readonly [number, number, number]): SuiteEvidence {
  const plan = planOf({ tasks: 10, initStates: n / 10 });
  const records = recordsOf(plan, (place) => (place < regressed ? 'failure' : 'success'));
  const baseline = recordsOf(plan, (place) =>
    place >= regressed && place < regressed + fixed ? 'failure' : 'success',
  );
  const { decision, gates, paired } = assess(plan, records, {
    baseline: { kind: 'records', name: 'main', records: baseline, differing: [] },
  });
  return { suite: name, decision, gates, strata: paired?.strata ?? null, margin: 0.05 };
}
const together = (...counts: (readonly [number, number, number])[]) => {
  const suites = counts.map((each, index) => suiteOf(`libero_${index}`, each));
  const { decisions, average } = decideTogether(suites);
  const all = average === null ? decisions : [...decisions, average.decision];
  return { suites, decisions, average, verdict: overallVerdict(all) };
};

describe('several suites', () => {
  test('one alone is decided as ever, and has no average', () => {
    const { suites, decisions, average } = together([9, 1, 100]);
    expect(decisions).toEqual([suites[0]?.decision]);
    expect(decisions[0]?.verdict).toBe('FAIL');
    expect(average).toBeNull();
  });

  test('four times 6 regressed and 2 fixed of 100 is −4.0 and FAIL together, though no suite fails', () => {
    const { decisions, average, verdict } = together([6, 2, 100], [6, 2, 100], [6, 2, 100], [6, 2, 100]);
    expect(decisions.map((each) => each.verdict)).toEqual(Array(4).fill('INCONCLUSIVE'));
    expect(average?.delta).toBeCloseTo(-0.04, 12);
    expect(average?.decision).toMatchObject({
      verdict: 'FAIL',
      reasons: [
        { code: 'average_regression', text: expect.stringContaining('−4.0 points against the baselines') },
      ],
    });
    expect(verdict).toBe('FAIL');
  });

  test('a drop that shows in one suite of four, but not among five comparisons, is no FAIL', () => {
    const { suites, decisions, verdict } = together([8, 1, 100], [2, 2, 100], [2, 2, 100], [2, 2, 100]);
    expect(suites[0]?.decision.verdict).toBe('FAIL');
    expect(decisions[0]).toMatchObject({
      verdict: 'INCONCLUSIVE',
      reasons: [{ code: 'cannot_tell_among_several', text: expect.stringContaining('Among 5 comparisons') }],
    });
    expect(verdict).toBe('INCONCLUSIVE');
    expect(together([30, 0, 100], [2, 2, 100], [2, 2, 100], [2, 2, 100]).decisions[0]?.verdict).toBe('FAIL');
  });

  test('PASS asks every suite, uncorrected, and the average', () => {
    expect(together([0, 0, 200], [0, 0, 200], [1, 1, 200]).verdict).toBe('PASS');
    const { verdict, average } = together([0, 0, 500], [0, 0, 500], [5, 2, 100]);
    expect(average?.decision.verdict).toBe('PASS');
    expect(verdict).toBe('INCONCLUSIVE');
  });

  test('suites of different sizes weigh the same in the average', () => {
    const { average } = together([10, 0, 100], [0, 0, 500]);
    expect(average?.delta).toBeCloseTo(-0.05, 12);
    expect(average).toMatchObject({ regressed: 10, fixed: 0 });
  });

  test('a suite without comparable pairs leaves no average, and its verdict stands', () => {
    const one = suiteOf('libero_0', [9, 1, 100]);
    const none = { ...suiteOf('libero_1', [0, 0, 100]), strata: null, gates: [] };
    const { average, decisions } = decideTogether([one, none]);
    expect(average).toBeNull();
    expect(decisions).toEqual([one.decision, none.decision]);
  });

  test('a missed floor is no test, and stays a FAIL', () => {
    const plan = planOf({ tasks: 10, initStates: 10, thresholds: { minSuccessRate: 0.9 } });
    const { decision, gates } = assess(
      plan,
      recordsOf(plan, (place) => (place < 20 ? 'failure' : 'success')),
    );
    const floor: SuiteEvidence = { suite: 'libero_9', decision, gates, strata: null, margin: 0.05 };
    expect(decideTogether([floor, suiteOf('libero_0', [0, 0, 100])]).decisions[0]?.verdict).toBe('FAIL');
  });
});
