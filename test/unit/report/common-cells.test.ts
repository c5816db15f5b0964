import { expect, test } from 'vitest';
import { comparisonReport } from '../../../src/report/view/comparison-view.ts';
import { prepareRecords } from '../../../src/verdict/baseline.ts';
import { fingerprintOf } from '../../../src/verdict/fingerprint.ts';
import { assess } from '../../../src/verdict/from-records.ts';
import { planOf, recordsOf } from '../verdict/records.ts';

const plan = planOf({ tasks: 10, initStates: 10 });
const own = recordsOf(plan, (place) => (place < 20 ? 'failure' : 'success'));
const fingerprint = fingerprintOf(plan, {});
const against = (cells: number) => {
  // Of every task and initial state there is something, so what is not there went missing.
  const whole = recordsOf(plan, () => 'success');
  const records = whole.filter(
    ({ taskId, initStateId }) => cells === 100 || (taskId + initStateId) % 2 === 0,
  );
  const { baseline } = prepareRecords(plan, fingerprint, { name: 'main', records, fingerprint });
  const assessment = assess(plan, own, { baseline });
  return { decision: assessment.decision, report: comparisonReport(assessment) };
};

test('a comparison on different cells shows no bare change, and its cause comes first', () => {
  const { decision, report } = against(50);
  expect(decision.verdict).toBe('INVALID');
  expect(decision.reasons.map(({ code }) => code)).toEqual([
    'baseline_fewer_cells',
    'incomplete',
    'task_incomplete',
  ]);
  expect(report).toMatchObject({ change: '–', common: expect.stringContaining('50 of 100 planned cells') });
  expect(report?.facts?.[0]).toMatch(/^Change on 50 of 100 planned cells, .*: −20\.0 \(/);
  const bare = report?.rows.filter(({ value }) => value.startsWith('−20.0'));
  expect(bare?.length).toBeGreaterThan(0);
  for (const { label } of bare ?? []) expect(label).toContain('on 50 of 100 planned cells');
});

test('the same comparison on all cells shows its change', () => {
  const { decision, report } = against(100);
  expect(decision.verdict).toBe('FAIL');
  expect(report?.change).toMatch(/^−20\.0 \(/);
  expect(report).not.toHaveProperty('common');
});

test('an extended plan says over which cells it is compared, wherever the change stands', () => {
  const extended = planOf({ tasks: 10, initStates: 12 });
  const records = recordsOf(extended, (place) => (place < 20 ? 'failure' : 'success'));
  const { baseline } = prepareRecords(extended, fingerprint, {
    name: 'main',
    records: recordsOf(plan, () => 'success'),
    fingerprint,
  });
  const report = comparisonReport(assess(extended, records, { baseline }));
  expect(report).toMatchObject({
    change: expect.stringMatching(/^−20\.0 \(/),
    shared: 'over the 100 of 120 cells that both have',
  });
  expect(report).not.toHaveProperty('common');
  expect(report?.rows).toContainEqual(
    expect.objectContaining({ label: expect.stringContaining('New cells'), value: '20' }),
  );
});
