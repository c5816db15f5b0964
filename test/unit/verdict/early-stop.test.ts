import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { earlyStop, savedShare, sequentialGates, stoppedPlan } from '../../../src/verdict/early-stop.ts';
import { earlyStopObstacles } from '../../../src/verdict/early-stop-obstacles.ts';
import { answeredPositions } from '../../../src/verdict/early-stop-records.ts';
import { decideFromRecords } from '../../../src/verdict/from-records.ts';
import { type PlanShape, planOf, recordsOf } from './records.ts';

const two = { tasks: 10, initStates: 20, arms: ['candidate', 'baseline'] } as const;
const stopping = (shape: PlanShape): Plan => ({ ...planOf(shape), earlyStop: true });
const state = (plan: Plan, records: readonly EpisodeRecord[]) => earlyStop({ plan, records, baseline: null });

describe('when the difference decides', () => {
  const plan = stopping(two);

  test('agreeing pairs pass after 89 at a margin of 5 points', () => {
    const result = state(
      plan,
      recordsOf(plan, () => 'success'),
    );
    expect(result).toMatchObject({ decision: 'PASS', prefix: 89, planned: 200, pairs: 89, skipped: 0 });
    expect(savedShare(result)).toBeCloseTo(0.555, 3);
  });

  test('a dead policy fails after seven', () => {
    const result = state(
      plan,
      recordsOf(plan, (_, arm) => (arm === 'candidate' ? 'failure' : 'success')),
    );
    expect(result).toMatchObject({ decision: 'FAIL', prefix: 7, regressed: 7, fixed: 0 });
  });

  test('lost pairs are skipped and counted', () => {
    const result = state(
      plan,
      recordsOf(plan, (place) => (place === 30 ? 'error' : 'success')),
    );
    // One of nine would be more than a task may lose: the stop waits for its tenth.
    expect(result).toMatchObject({ decision: 'PASS', prefix: 91, pairs: 90, skipped: 1 });
  });

  test('a finished run without proof stays undecided', () => {
    const small = stopping({ ...two, initStates: 5 });
    const records = recordsOf(small, () => 'success');
    expect(state(small, records)).toMatchObject({ decision: null, prefix: 50 });
    expect(decideFromRecords(small, records).verdict).toBe('INCONCLUSIVE');
  });
});

describe('floors are curtailed, exactly', () => {
  const plan = stopping({ tasks: 10, initStates: 10, thresholds: { minSuccessRate: 0.9 } });

  test('out of reach at the eleventh failure, reached at the ninetieth success', () => {
    expect(
      state(
        plan,
        recordsOf(plan, () => 'failure'),
      ),
    ).toMatchObject({ decision: 'FAIL', prefix: 11 });
    expect(
      state(
        plan,
        recordsOf(plan, () => 'success'),
      ),
    ).toMatchObject({ decision: 'PASS', prefix: 90 });
  });

  test('a stopped verdict is the one the whole run would have had', () => {
    const rates = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer());
    fc.assert(
      fc.property(rates, fc.constantFrom('point', 'lower-bound'), ([percent, seed], thresholdMode) => {
        const full = planOf({
          tasks: 5,
          initStates: 20,
          thresholds: { minSuccessRate: 0.8, minTaskSuccessRate: 0.3, thresholdMode },
        });
        const hash = (place: number) => Math.abs(Math.imul(place + 1, seed | 1) ^ (seed >> 3)) % 100;
        const records = recordsOf(full, (place) => (hash(place) < percent ? 'success' : 'failure'));
        const stopped = decideFromRecords({ ...full, earlyStop: true }, records);
        expect(stopped.verdict).toBe(decideFromRecords(full, records).verdict);
      }),
    );
  });

  test('all gates must pass, one failing is enough', () => {
    const both = stopping({ ...two, initStates: 20, thresholds: { minSuccessRate: 0.5 } });
    expect(
      state(
        both,
        recordsOf(both, () => 'success'),
      ),
    ).toMatchObject({ decision: 'PASS', prefix: 100 });
    const failing = recordsOf(both, () => 'failure');
    expect(state(both, failing)).toMatchObject({ decision: 'FAIL', prefix: 101 });
  });
});

describe('planned order', () => {
  const plan = stopping(two);
  const records = recordsOf(plan, (place, arm) =>
    arm === 'candidate' && place % 6 === 0 ? 'failure' : 'success',
  );
  const full = state(plan, records);

  test('nothing beyond an unresolved cell is looked at', () => {
    const gap = records.map((record) =>
      record.arm === 'baseline' && record.position === 21
        ? { ...record, outcome: 'not_run' as const }
        : record,
    );
    expect(state(plan, gap)).toMatchObject({ decision: null, prefix: 10 });
    expect(
      state(
        plan,
        gap.filter((record) => record.position !== 21),
      ),
    ).toMatchObject({ prefix: 10 });
  });

  test('the order of completion and a resume in the middle change nothing', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(records), (some) => {
        const soFar = state(plan, some);
        // A part of the records never decides otherwise than all of them.
        if (soFar.decision !== null) expect(soFar).toEqual(full);
        expect(state(plan, [...some, ...records.filter((record) => !some.includes(record))])).toEqual(full);
      }),
      { numRuns: 30 },
    );
  });

  test('late finishers are outside: the verdict and its denominators end at the decision', () => {
    expect(full.decision).toBe('FAIL');
    const answered = answeredPositions(plan, full.prefix);
    const late = records.map((record) =>
      !answered.has(record.position) ? { ...record, outcome: 'after_stop' as const, success: null } : record,
    );
    expect(late.filter((record) => record.outcome === 'after_stop').length).toBe(2 * (200 - full.prefix));
    expect(stoppedPlan(plan, full).cells.length).toBe(2 * full.prefix);
    const decision = decideFromRecords(plan, late);
    expect(decision).toEqual(decideFromRecords(plan, records));
    expect(decision.verdict).toBe('FAIL');
    expect(decision.reasons[0]?.text).toContain(`of the first ${full.pairs} pairs`);
  });

  test('a stop waits while the prefix has too many gaps, and such a run ends INVALID', () => {
    const lossy = recordsOf(plan, (place, arm) =>
      arm === 'candidate' && place < 5 ? 'error' : arm === 'candidate' ? 'failure' : 'success',
    );
    expect(state(plan, lossy)).toMatchObject({ decision: null, prefix: 200, skipped: 5 });
    expect(decideFromRecords(plan, lossy).verdict).toBe('INVALID');
    const oneLost = recordsOf(plan, (place, arm) =>
      arm === 'candidate' && place < 1 ? 'error' : arm === 'candidate' ? 'failure' : 'success',
    );
    expect(state(plan, oneLost)).toMatchObject({ decision: 'FAIL', prefix: 91, skipped: 1 });
    expect(decideFromRecords(plan, oneLost).verdict).toBe('FAIL');
  });
});

describe('another run as baseline', () => {
  const plan = stopping({ tasks: 10, initStates: 20 });
  const good = recordsOf(plan, () => 'success');

  test('is final as it is: its gaps are skipped', () => {
    const result = earlyStop({
      plan,
      records: good,
      baseline: good.filter((record) => record.position !== 4),
    });
    expect(result).toMatchObject({ decision: 'PASS', prefix: 95, skipped: 1 });
  });

  test('a run that ended by its floor keeps its end when a baseline turns up later', () => {
    const floored = { ...plan, thresholds: { ...plan.thresholds, minSuccessRate: 0.9, maxRegression: 0.01 } };
    const records = recordsOf(floored, (place) => (place < 180 ? 'success' : 'not_run'));
    const baseline = { kind: 'records', name: 'abc', records: good, differing: [] } as const;
    expect(decideFromRecords(floored, records).verdict).toBe('PASS');
    const later = decideFromRecords(floored, records, { baseline });
    expect(later.verdict).toBe('INCONCLUSIVE');
    expect(later.reasons.map((reason) => reason.code)).toContain('early_non_inferiority_open');
  });
});

describe('what a look says', () => {
  const look = { look: 3, looks: 3, pairs: 300, marginal: 0.2, failAt: 0.044, passAt: 0.0448 };
  const gateOf = (worse: number, state: 'fail' | 'open') => {
    const sequential = { gate: 'non_inferiority', state, worse: 3, notInferior: null } as const;
    const told = {
      ...{ decision: null, prefix: 300, planned: 300, skipped: 0, successes: 280, valid: 300 },
      ...{ pairs: 300, regressed: 9, fixed: 3, gates: [{ ...sequential, test: { ...look, worse } }] },
    };
    return sequentialGates(told, plain, 'main')[0];
  };
  const plain = {
    ...{ minSuccessRate: null, minTaskSuccessRate: null },
    ...{ thresholdMode: 'point' as const, maxRegression: 0.05 },
  };

  test('shows on which side of its level p is', () => {
    expect(gateOf(0.0438, 'fail')?.reason.text).toContain('p 0.044, 0.0440 decides');
    expect(gateOf(0.04402, 'open')?.reason.text).toContain('p 0.04402, 0.04400 decides');
    expect(gateOf(0.02, 'fail')?.reason.text).toContain('p 0.020, 0.0440 decides');
    expect(gateOf(0.0001, 'fail')?.reason.text).toContain('p < 0.001, 0.0440 decides');
  });

  test('counts among several comparisons for what it proves, times the looks', () => {
    expect(gateOf(0.0001, 'fail')?.p).toBeCloseTo(0.0013, 12);
    expect(gateOf(0.04, 'fail')?.p).toBe(0.05);
    expect(gateOf(0.2, 'open')?.p).toBe(1);
  });
});

test('what stands in the way of stopping early', () => {
  const nothing = planOf({ tasks: 2, initStates: 5 });
  expect(earlyStopObstacles(nothing, { shards: 1, baselineAtHand: false }).length).toBe(1);
  expect(earlyStopObstacles(nothing, { shards: 1, baselineAtHand: true })).toEqual([]);
  expect(earlyStopObstacles(nothing, { shards: 3, baselineAtHand: true }).length).toBe(1);
  const repeated = planOf({ tasks: 2, initStates: 5, repeats: 3, thresholds: { minSuccessRate: 0.5 } });
  expect(earlyStopObstacles(repeated, { shards: 1, baselineAtHand: true }).length).toBe(1);
  expect(earlyStopObstacles(repeated, { shards: 1, baselineAtHand: false })).toEqual([]);
});
