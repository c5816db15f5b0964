import { describe, expect, test } from 'vitest';
import { type HeldOutSummary, heldOutSummarySchema } from '../../../src/model/held-out-summary.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { Decision } from '../../../src/model/verdict.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import { heldOutSummary, withHeldOut } from '../../../src/verdict/held-out-decision.ts';
import { makeRunFacts } from '../results/record-builder.ts';
import { type PlanShape, planOf, recordsOf } from './records.ts';

const CLAIM = { commitment: 'a'.repeat(64), count: 10 };
const PASS: Decision = {
  verdict: 'PASS',
  reasons: [{ code: 'floor_reached', text: 'public' }],
  warnings: [],
};

interface Case {
  readonly thresholds?: Partial<Plan['thresholds']>;
  readonly failures?: number;
  readonly arms?: PlanShape['arms'];
  readonly outcome?: Parameters<typeof recordsOf>[1];
}

function summaryOf({ thresholds = {}, failures = 0, arms = ['candidate'], outcome }: Case): HeldOutSummary {
  const plan: Plan = {
    ...planOf({ tasks: 2, initStates: 5, thresholds, arms }),
    heldOut: { ...CLAIM, salt: '0'.repeat(32) },
  };
  const records = recordsOf(
    plan,
    outcome ?? ((place, arm) => (arm === 'candidate' && place < failures ? 'failure' : 'success')),
  );
  const results = aggregate({ plan, records, run: makeRunFacts(), journal: [] });
  return heldOutSummary({
    plan,
    planDigest: 'b'.repeat(64),
    records,
    results,
    manifestSha256: 'c'.repeat(64),
  });
}

function decided(summary: HeldOutSummary | null, thresholds: Partial<Plan['thresholds']> = {}, own = PASS) {
  const rules = planOf({ tasks: 1, initStates: 1, thresholds }).thresholds;
  return withHeldOut(own, { heldOut: CLAIM, thresholds: rules }, summary);
}

const codes = ({ reasons }: Decision): string[] => reasons.map(({ code }) => code);

describe('the aggregate of held-out cells', () => {
  test('holds counts, rates and digests, and neither ids nor texts', () => {
    const summary = summaryOf({ failures: 3, thresholds: { minTaskSuccessRate: 0.7, minSuccessRate: 0.5 } });
    expect(heldOutSummarySchema.parse(JSON.parse(JSON.stringify(summary)))).toEqual(summary);
    expect(summary.arms[0]?.successRate).toMatchObject({ k: 7, n: 10 });
    expect(summary.taskFloor).toEqual({ floor: 0.7, missed: 1 });
    expect(summary.verdict).toBe('FAIL');
    expect(summary.reasons).toContain('task_floor_missed');
    expect(JSON.stringify(summary)).not.toMatch(/do task|taskId|initState|salt|0{32}/);
  });
});

describe('the verdict with held-out cells', () => {
  test('is the public one where nothing is held out, and in the held-out bundle itself', () => {
    const { thresholds } = planOf({ tasks: 1, initStates: 1 });
    expect(withHeldOut(PASS, { thresholds }, null)).toBe(PASS);
    const own = { heldOut: { ...CLAIM, salt: '0'.repeat(32) }, thresholds };
    expect(withHeldOut(PASS, own, null)).toBe(PASS);
  });

  test('INVALID without their aggregate, with that of another list, and when they decide nothing', () => {
    expect(codes(decided(null))).toEqual(['heldout_missing']);
    expect(decided(null).verdict).toBe('INVALID');
    const other = { ...summaryOf({}), commitment: 'd'.repeat(64) };
    expect(codes(decided(other))).toEqual(['heldout_missing']);
    expect(codes(decided({ ...summaryOf({}), count: 11 }))).toEqual(['heldout_missing']);
    const lost = summaryOf({ outcome: () => 'error' });
    expect(lost.verdict).toBe('INVALID');
    expect(decided(lost).verdict).toBe('INVALID');
    expect(codes(decided(lost))).toEqual(['heldout_invalid']);
  });

  test('FAIL when the held-out rate misses the floor that the public one reaches', () => {
    const decision = decided(summaryOf({ failures: 3 }), { minSuccessRate: 0.8 });
    expect(decision.verdict).toBe('FAIL');
    expect(codes(decision)).toEqual(['heldout_floor', 'floor_reached']);
    expect(decision.reasons[0]?.text).toBe('Held-out: 7/10 = 70.0% misses the floor of 80%.');
    expect(decided(summaryOf({ failures: 2 }), { minSuccessRate: 0.8 }).verdict).toBe('PASS');
    const bound = { minSuccessRate: 0.8, thresholdMode: 'lower-bound' } as const;
    expect(decided(summaryOf({ failures: 2 }), bound).verdict).toBe('FAIL');
  });

  test('FAIL when a held-out task misses its floor; a stricter floor than the host knew decides nothing', () => {
    const summary = summaryOf({ failures: 6, thresholds: { minTaskSuccessRate: 0.5 } });
    expect(codes(decided(summary, { minTaskSuccessRate: 0.5 }))[0]).toBe('heldout_task_floor');
    const fine = summaryOf({ thresholds: { minTaskSuccessRate: 0.5 } });
    expect(decided(fine, { minTaskSuccessRate: 0.5 }).verdict).toBe('PASS');
    expect(decided(fine, { minTaskSuccessRate: 0.9 }).verdict).toBe('INCONCLUSIVE');
    expect(decided(summaryOf({}), { minTaskSuccessRate: 0.5 }).verdict).toBe('INCONCLUSIVE');
  });

  test('two arms: the paired difference decides, by the margin of this job', () => {
    const arms = ['candidate', 'baseline'] as const;
    const worse = summaryOf({ failures: 8, arms });
    expect(worse.paired).toMatchObject({ pairs: 10, fixed: 0, regressed: 8 });
    expect(decided(worse).verdict).toBe('FAIL');
    expect(codes(decided(worse))[0]).toBe('heldout_regression');
    const same = summaryOf({ arms });
    expect(decided(same, { maxRegression: 0.5 }).verdict).toBe('PASS');
    expect(decided(same, { maxRegression: 0.01 }).verdict).toBe('INCONCLUSIVE');
  });

  test('a public failure stays one whatever the held-out cells say, and INVALID stays INVALID', () => {
    const fail: Decision = { ...PASS, verdict: 'FAIL', reasons: [{ code: 'floor_missed', text: 'public' }] };
    const after = decided(summaryOf({}), { minSuccessRate: 0.5 }, fail);
    expect(after.verdict).toBe('FAIL');
    expect(codes(after)).toEqual(['floor_missed', 'heldout_floor_reached']);
    const invalid: Decision = { ...fail, verdict: 'INVALID' };
    expect(decided(summaryOf({}), {}, invalid).verdict).toBe('INVALID');
    expect(codes(decided(null, {}, invalid))).toEqual(['floor_missed', 'heldout_missing']);
  });
});
