import { describe, expect, test } from 'vitest';
import type { Baseline } from '../../../src/verdict/comparison.ts';
import { decideFromRecords } from '../../../src/verdict/from-records.ts';
import { planOf, recordsOf } from './records.ts';

const plan = planOf({ tasks: 10, initStates: 50 });
const succeeding = (count: number) => recordsOf(plan, (place) => (place < count ? 'success' : 'failure'));
const recorded = (records = succeeding(500)): Baseline => ({
  kind: 'records',
  name: 'main',
  records,
  differing: [],
});
const decided = (candidate: number, baseline: Baseline, on = plan) =>
  decideFromRecords(
    on,
    succeeding(candidate).filter(({ taskId }) => on.tasks.some((task) => task.taskId === taskId)),
    { baseline },
  );

describe('nothing to show is no PASS', () => {
  test.each([
    ['no success on either side', 0, recorded(succeeding(0)), 'No episode of 500 succeeded'],
    [
      'no success against a published zero',
      0,
      { kind: 'published', name: 'a paper', successes: 0, n: 500 } as const,
      'No episode of 500 succeeded',
    ],
    ['a baseline below the margin', 3, recorded(succeeding(3)), 'succeeded in 3/500 = 0.6% only'],
    [
      'a published one below the margin',
      3,
      { kind: 'published', name: 'a paper', successes: 3, n: 500 } as const,
      'succeeded in 3/500 = 0.6% only',
    ],
  ])('%s', (_, candidate, baseline, said) => {
    const decision = decided(candidate, baseline);
    expect(decision.verdict).toBe('INCONCLUSIVE');
    expect(decision.reasons[0]).toMatchObject({
      code: 'nothing_to_show',
      text: expect.stringContaining(said),
    });
  });

  test('nor are floors of nothing', () => {
    const floors = planOf({ tasks: 10, initStates: 50, thresholds: { minSuccessRate: 0 } });
    expect(
      decideFromRecords(
        floors,
        recordsOf(floors, () => 'failure'),
      ),
    ).toMatchObject({
      verdict: 'INCONCLUSIVE',
      reasons: [{ code: 'nothing_to_show' }, { code: 'floor_reached' }],
    });
  });

  test.each([{ minSuccessRate: 0 }, { minTaskSuccessRate: 0 }, { minSuccessRate: 0, minTaskSuccessRate: 0 }])(
    'nor is one success above a floor of nothing: %j',
    (thresholds) => {
      const floors = planOf({ tasks: 10, initStates: 50, thresholds });
      const verdict = (baseline?: Baseline) =>
        decideFromRecords(floors, succeeding(500), baseline === undefined ? {} : { baseline }).verdict;
      expect(verdict()).toBe('INCONCLUSIVE');
      expect(verdict(recorded())).toBe('PASS');
      const real = planOf({ tasks: 10, initStates: 50, thresholds: { ...thresholds, minSuccessRate: 0.01 } });
      expect(decideFromRecords(real, succeeding(10)).verdict).toBe('PASS');
    },
  );

  test.each([
    ['a candidate that learned the task', 300, recorded(succeeding(0))],
    ['a baseline that could have been lost', 500, recorded()],
    ['a baseline just above the margin', 100, recorded(succeeding(100))],
  ])('%s passes', (_, candidate, baseline) => {
    expect(decided(candidate, baseline).verdict).toBe('PASS');
  });
});

describe('tasks that the plan leaves out of the baseline', () => {
  const without = (thresholds: Parameters<typeof planOf>[0]['thresholds'] = {}) => {
    const whole = planOf({ tasks: 10, initStates: 50, thresholds });
    return {
      ...whole,
      tasks: whole.tasks.filter(({ taskId }) => taskId !== 7),
      cells: whole.cells.filter(({ taskId }) => taskId !== 7),
    };
  };
  const weak = recorded(
    recordsOf(plan, () => 'success').map((record) =>
      record.taskId === 7 && record.initStateId > 9
        ? { ...record, outcome: 'failure' as const, success: false }
        : record,
    ),
  );

  test('cannot be passed over', () => {
    const decision = decided(500, weak, without());
    expect(decision.verdict).toBe('INCONCLUSIVE');
    expect(decision.reasons[0]).toMatchObject({
      code: 'tasks_dropped',
      text: expect.stringContaining('task 7 (10/50 there)'),
    });
  });

  test('may be left out by a word, which is said', () => {
    const decision = decided(500, weak, without({ allowDroppedTasks: true }));
    expect(decision.verdict).toBe('PASS');
    expect(decision.warnings.map(({ code }) => code)).toContain('tasks_dropped_allowed');
  });

  test('change no FAIL', () => {
    expect(decided(300, weak, without()).verdict).toBe('FAIL');
  });
});
