import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { macroDifference } from '../../../src/stats/macro-difference.ts';
import { assess, decideFromRecords, decisionInput } from '../../../src/verdict/from-records.ts';
import { summarisePairs } from '../../../src/verdict/paired-summary.ts';
import { expectPrinted } from '../stats/printed.ts';
import { planOf, recordsOf } from './records.ts';

const codes = (reasons: readonly { code: string }[]): string[] => reasons.map((reason) => reason.code);

/** Records of both arms with the given table (both, fixed, regressed, neither), spread over the tasks. */
function arms(plan: Plan, [both, fixed, regressed]: readonly number[]): EpisodeRecord[] {
  const a = both ?? 0;
  const f = fixed ?? 0;
  const r = regressed ?? 0;
  return recordsOf(plan, (place, arm) => {
    const ok = arm === 'candidate' ? place < a + f : place < a || (place >= a + f && place < a + f + r);
    return ok ? 'success' : 'failure';
  });
}

function twoArmPlan(pairs: number, margin: number): Plan {
  const tasks = pairs % 10 === 0 ? 10 : 1;
  return planOf({
    tasks,
    initStates: pairs / tasks,
    arms: ['candidate', 'baseline'],
    thresholds: { maxRegression: margin },
  });
}

describe('non-inferiority gate, reference verdicts', () => {
  test.each([
    [[477, 13, 9, 1], 0.05, 'PASS'],
    [[483, 3, 3, 11], 0.05, 'PASS'],
    [[461, 20, 18, 1], 0.05, 'PASS'],
    [[170, 14, 14, 2], 0.05, 'PASS'],
    [[1930, 15, 40, 15], 0.05, 'PASS'],
    [[449, 14, 37, 0], 0.05, 'FAIL'],
    [[460, 5, 25, 10], 0.05, 'FAIL'],
    [[49, 14, 14, 23], 0.05, 'INCONCLUSIVE'],
    [[42, 13, 21, 24], 0.05, 'INCONCLUSIVE'],
    [[50, 0, 0, 0], 0.05, 'INCONCLUSIVE'],
    [[52, 0, 0, 0], 0.05, 'INCONCLUSIVE'],
    [[59, 0, 0, 0], 0.05, 'PASS'],
    [[58, 0, 0, 0], 0.05, 'INCONCLUSIVE'],
    [[29, 0, 0, 0], 0.1, 'PASS'],
    [[149, 0, 0, 0], 0.02, 'PASS'],
    [[97, 0, 3, 0], 0.02, 'INCONCLUSIVE'],
    [[96, 0, 4, 0], 0.02, 'FAIL'],
    [[4, 0, 1, 0], 0.05, 'INCONCLUSIVE'],
    [[477, 13, 9, 1], 0.02, 'PASS'],
    [[461, 20, 18, 1], 0.02, 'PASS'],
    [[483, 3, 3, 11], 0.02, 'PASS'],
    [[170, 14, 14, 2], 0.02, 'INCONCLUSIVE'],
  ])('%j at a margin of %f: %s', (table, margin, verdict) => {
    const plan = twoArmPlan(
      table.reduce((sum, n) => sum + n, 0),
      margin,
    );
    expect(decideFromRecords(plan, arms(plan, table)).verdict).toBe(verdict);
  });

  test('a real drop inside the margin passes with a note', () => {
    const plan = twoArmPlan(2000, 0.05);
    const decision = decideFromRecords(plan, arms(plan, [1930, 15, 40, 15]));
    expect(codes(decision.warnings)).toEqual(['drop_inside_margin']);
  });

  test('the reason says difference, bounds and margin', () => {
    const plan = twoArmPlan(500, 0.05);
    const decision = decideFromRecords(plan, arms(plan, [460, 5, 25, 10]));
    expect(decision.reasons[0]).toEqual({
      code: 'regression',
      text: "−4.0 points against the run's own baseline arm (95% −6.4 to −2.0): the candidate is worse (p 0.001), and a drop of 5 points is not ruled out (p 0.205).",
    });
  });

  test('a failed floor beats a passed comparison, and stands first', () => {
    const plan = twoArmPlan(500, 0.05);
    const strict = { ...plan, thresholds: { ...plan.thresholds, minSuccessRate: 0.99 } };
    const decision = decideFromRecords(strict, arms(strict, [477, 13, 9, 1]));
    expect(decision.verdict).toBe('FAIL');
    expect(codes(decision.reasons)).toEqual(['floor_missed', 'not_inferior']);
  });

  test.each([0, 1, -0.1, 1.5])('a margin of %f is INVALID', (margin) => {
    const plan = twoArmPlan(52, margin);
    const decision = decideFromRecords(plan, arms(plan, [52, 0, 0, 0]));
    expect(decision.verdict).toBe('INVALID');
    expect(codes(decision.reasons)).toContain('margin_out_of_range');
  });
});

describe('pairs', () => {
  test('a baseline with too few cells makes the comparison INVALID and says how many are lost', () => {
    const plan = planOf({ tasks: 10, initStates: 10 });
    const records = recordsOf(plan, () => 'success');
    // Every task and initial state is there, so what is not went missing.
    const half = records.filter(({ taskId, initStateId }) => (taskId + initStateId) % 2 === 0);
    const decision = decideFromRecords(plan, records, {
      baseline: { kind: 'records', name: 'abc123', records: half, differing: [] },
    });
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons[0]?.text).toContain('holds 50 of the 100 planned cells');
    expect(decision.reasons[1]?.text).toContain('50 of 100 planned pairs');
  });

  test('a differing fingerprint is INVALID and names the fields', () => {
    const plan = planOf({ tasks: 10, initStates: 10 });
    const records = recordsOf(plan, () => 'success');
    const decision = decideFromRecords(plan, records, {
      baseline: { kind: 'records', name: 'abc123', records, differing: ['max_steps', 'gl_backend'] },
    });
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons[0]?.text).toContain('max_steps, gl_backend');
  });

  test('duplicate keys in the baseline are INVALID', () => {
    const plan = planOf({ tasks: 10, initStates: 10 });
    const records = recordsOf(plan, () => 'success');
    const twice = [...records, ...records.slice(0, 3)];
    const decision = decideFromRecords(plan, records, {
      baseline: { kind: 'records', name: 'abc123', records: twice, differing: [] },
    });
    expect(codes(decision.reasons)).toContain('duplicate');
  });

  test('an errored pair is lost on whichever side it errored, never a failure', () => {
    const plan = twoArmPlan(500, 0.05);
    const records = arms(plan, [500, 0, 0, 0]).map((record) =>
      record.initStateId === 7 && record.taskId === (record.arm === 'candidate' ? 1 : 2)
        ? { ...record, outcome: 'error' as const, success: null }
        : record,
    );
    const { comparison } = decisionInput(plan, records);
    expect(comparison.kind === 'paired' && comparison.pairing.lost.map((pair) => pair.key)).toEqual([
      'libero_goal t1-i7-r0',
      'libero_goal t2-i7-r0',
    ]);
    expect(decideFromRecords(plan, records).verdict).toBe('PASS');
  });

  test('a published count is compared without pairing, and says so', () => {
    const plan = planOf({ tasks: 10, initStates: 50 });
    const baseline = { kind: 'published', name: 'a paper', successes: 486, n: 500 } as const;
    const decide = (failures: number) =>
      decideFromRecords(
        plan,
        recordsOf(plan, (place) => (place < failures ? 'failure' : 'success')),
        { baseline },
      );
    expect(decide(37).verdict).toBe('FAIL');
    expect(decide(14).verdict).toBe('PASS');
    expect(decide(24).verdict).toBe('PASS');
    expect(codes(decide(14).warnings)).toContain('unpaired');
  });

  test('the figures beside a published count', () => {
    const plan = planOf({ tasks: 10, initStates: 50 });
    const records = recordsOf(plan, (place) => (place < 37 ? 'failure' : 'success'));
    const baseline = { kind: 'published', name: 'a paper', successes: 486, n: 500 } as const;
    const { unpaired, paired, stop } = assess(plan, records, { baseline });
    expect(paired).toBeNull();
    expect(stop).toBeNull();
    expect(unpaired).toMatchObject({ baseline: 'a paper', candidate: { k: 463, n: 500 } });
    expectPrinted(unpaired?.delta, '-.046');
    expectPrinted(unpaired?.interval.low, '-.0746366863');
    expectPrinted(unpaired?.fisherP, '.001340078080');
    expectPrinted(unpaired?.pWorse, '.9995581');
  });
});

describe('several runs on one initial state', () => {
  const plan = planOf({ tasks: 1, initStates: 60, repeats: 3, arms: ['candidate', 'baseline'] });

  test('count as one state: three runs of sixty equal states are sixty pairs, not a hundred and eighty', () => {
    const records = recordsOf(plan, () => 'success');
    const input = decisionInput(plan, records);
    const summary = input.comparison.kind === 'paired' ? summarisePairs(input.comparison.pairing, 'b') : null;
    expect(summary?.byState).toBe(true);
    expect(summary?.counts).toEqual({ n: 60, fixed: 0, regressed: 0 });
    expect(decideFromRecords(plan, records).verdict).toBe('PASS');
  });

  test('a drop in few states is not called one although their runs agree', () => {
    const dropped = recordsOf(plan, () => 'success').map((record) =>
      record.arm === 'candidate' && record.initStateId < 3
        ? { ...record, outcome: 'failure' as const, success: false, steps: 300 }
        : record,
    );
    const few = decideFromRecords(plan, dropped);
    expect(few.verdict).toBe('INCONCLUSIVE');
    const many = recordsOf(plan, () => 'success').map((record) =>
      record.arm === 'candidate' && record.initStateId < 20
        ? { ...record, outcome: 'failure' as const, success: false, steps: 300 }
        : record,
    );
    expect(decideFromRecords(plan, many).verdict).toBe('FAIL');
  });
});

test('a task is flagged by its states and not by how often they ran', () => {
  const repeated = planOf({ tasks: 10, initStates: 10, repeats: 5, arms: ['candidate', 'baseline'] });
  const flaggedWith = (states: number): boolean | undefined => {
    const records = recordsOf(repeated, () => 'success').map((record) =>
      record.arm === 'candidate' && record.taskId === 3 && record.initStateId < states
        ? { ...record, outcome: 'failure' as const, success: false, steps: 300 }
        : record,
    );
    const { comparison } = decisionInput(repeated, records);
    const summary = comparison.kind === 'paired' ? summarisePairs(comparison.pairing, 'b') : null;
    expect(summary?.worstTask).toMatchObject({ taskId: 3, states: 10 });
    return summary?.worstTask?.flagged;
  };
  // Fifteen episodes of three states prove no more than three states do.
  expect(flaggedWith(3)).toBe(false);
  expect(flaggedWith(6)).toBe(false);
  expect(flaggedWith(9)).toBe(true);
});

describe('order', () => {
  test('the verdict is the same whatever the order of records', () => {
    const plan = twoArmPlan(200, 0.05);
    const records = arms(plan, [160, 10, 25, 5]);
    const straight = assess(plan, records);
    expect(straight.paired?.table.regressed).toBe(25);
    fc.assert(
      fc.property(fc.shuffledSubarray(records, { minLength: records.length }), (shuffled) => {
        expect(assess(plan, shuffled)).toEqual(straight);
      }),
      { numRuns: 20 },
    );
  });

  test('shards merged in any order give the same verdict', () => {
    const plan = twoArmPlan(100, 0.05);
    const records = arms(plan, [85, 3, 10, 2]);
    const shards = [0, 1, 2].map((shard) => records.filter((_, i) => i % 3 === shard));
    const merged = [2, 0, 1].flatMap((shard) => shards[shard] ?? []);
    expect(decideFromRecords(plan, merged)).toEqual(decideFromRecords(plan, records));
  });
});

describe('what the report shows of a comparison', () => {
  const plan = twoArmPlan(500, 0.05);
  const records = arms(plan, [460, 5, 25, 10]);
  const input = decisionInput(plan, records);
  const summary = input.comparison.kind === 'paired' ? summarisePairs(input.comparison.pairing, 'abc') : null;

  test('the figures of the worked example', () => {
    expect(summary?.table).toEqual({ n: 500, both: 460, fixed: 5, regressed: 25, neither: 10 });
    expectPrinted(summary?.delta, '-.04');
    expectPrinted(summary?.interval.low, '-.0639714552');
    expectPrinted(summary?.interval.high, '-.0199417953');
    expectPrinted(summary?.pWorse, '.9999039024');
    expectPrinted(100 * (summary?.detectableDrop ?? 0), '2.2');
    expectPrinted(summary?.discordance, '.06');
    expect(summary?.regressed.length).toBe(25);
    expect(summary?.fixed.length).toBe(5);
  });

  test('a collapsed task is flagged after Holm and is the worst', () => {
    const collapsed = recordsOf(plan, (place, arm) =>
      arm === 'candidate' && place % 10 === 4 && place < 140 ? 'failure' : 'success',
    );
    const paired = decisionInput(plan, collapsed).comparison;
    const result = paired.kind === 'paired' ? summarisePairs(paired.pairing, 'abc') : null;
    expect(result?.worstTask?.taskId).toBe(4);
    // Fourteen of fifty: 2⁻¹⁴ after Holm over ten, but for what the unconditional test adds and takes.
    expect(result?.worstTask?.holmP).toBeGreaterThan(0.0003);
    expect(result?.worstTask?.holmP).toBeLessThan(0.0017);
    expect(result?.tasks.filter((task) => task.flagged).map((task) => task.taskId)).toEqual([4]);
  });

  test('unequal tasks weigh the same', () => {
    const kept = records.filter((record) => record.taskId !== 3 || record.initStateId < 25);
    const comparison = decisionInput(plan, kept).comparison;
    const result = comparison.kind === 'paired' ? summarisePairs(comparison.pairing, 'abc') : null;
    expect(result?.byTask).toBe(true);
    expect(result?.delta).toBeCloseTo(
      macroDifference(result?.tasks.map(({ table }) => table) ?? [])?.delta ?? Number.NaN,
      12,
    );
    // No P(worse) of one weighting beside a difference of another.
    expect(result?.pWorse).toBeNull();
    expect(result?.weightedP).toBeLessThan(0.05);
  });
});
