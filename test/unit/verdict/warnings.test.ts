import { describe, expect, test } from 'vitest';
import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { decisionInput } from '../../../src/verdict/from-records.ts';
import { rerunNoise, summarisePairs } from '../../../src/verdict/paired-summary.ts';
import type { Pairing } from '../../../src/verdict/pairing.ts';
import { type HistoryPoint, trend, trendAlarm } from '../../../src/verdict/trend.ts';
import { comparisonWarnings, patternWarnings, planWarnings } from '../../../src/verdict/warnings.ts';
import { expectPrinted } from '../stats/printed.ts';
import { planOf, recordsOf } from './records.ts';

const plan = planOf({ tasks: 10, initStates: 10 });
const codesFor = (records: readonly EpisodeRecord[], of: Plan = plan): string[] =>
  patternWarnings(of, records).map((warning) => warning.code);
const mixed = recordsOf(plan, (place) => (place % 7 === 0 ? 'failure' : 'success'));

describe('patterns that have meant a broken harness', () => {
  test('an ordinary run has none', () => {
    expect(codesFor(mixed)).toEqual([]);
  });

  test('no success on any task, and success everywhere', () => {
    expect(codesFor(recordsOf(plan, () => 'failure'))).toEqual(['no_success_anywhere']);
    expect(codesFor(recordsOf(plan, () => 'success'))).toEqual(['success_everywhere']);
  });

  test('every task always or never', () => {
    expect(codesFor(recordsOf(plan, (place) => (place % 10 < 4 ? 'failure' : 'success')))).toEqual([
      'constant_outcomes',
    ]);
  });

  test('failures at the step cap count only when successes come close to it', () => {
    const late = mixed.map((record) =>
      record.outcome === 'success' ? { ...record, steps: 260 + (record.position % 9) } : record,
    );
    expect(codesFor(late)).toEqual(['failures_at_step_cap']);
    const early = mixed.map((record) => (record.outcome === 'failure' ? { ...record, steps: 120 } : record));
    expect(codesFor(early)).toEqual([]);
  });

  test('more steps than the cap and the settle steps allow', () => {
    const steps = (n: number) => mixed.map((record, i) => (i === 2 ? { ...record, steps: n } : record));
    expect(codesFor(steps(310))).toEqual([]);
    expect(codesFor(steps(311))).toEqual(['steps_above_cap']);
  });

  test('success before the policy acted', () => {
    const records = mixed.map((record, i) => (i === 1 ? { ...record, steps: 0 } : record));
    expect(codesFor(records)).toEqual(['success_at_step_0']);
    expect(patternWarnings(plan, records)[0]?.text).toContain('t1-i0-r0');
  });

  test('all successes of one length', () => {
    const records = mixed.map((record) => (record.outcome === 'success' ? { ...record, steps: 97 } : record));
    expect(codesFor(records)).toEqual(['constant_steps']);
  });

  test("an instruction that is not the task's", () => {
    const records = mixed.map((record, i) => (i === 3 ? { ...record, language: 'do task 0' } : record));
    expect(codesFor(records)).toEqual(['instruction_differs']);
  });

  test('one session behind two cells', () => {
    const records = mixed.map((record, i) => (i < 2 ? { ...record, sessionId: 'same' } : record));
    expect(codesFor(records)).toEqual(['identical_ids']);
  });

  test('the order of records does not change what is said', () => {
    const records = mixed.map((record, i) => (i % 3 === 1 ? { ...record, steps: 0 } : record));
    expect(patternWarnings(plan, [...records].reverse())).toEqual(patternWarnings(plan, records));
  });
});

describe('plans that promise too much', () => {
  const codes = (of: Plan, compares: boolean) => planWarnings(of, compares).map((warning) => warning.code);

  test('few initial states, repeats, and a margin out of reach', () => {
    expect(codes(planOf({ tasks: 10, initStates: 3, repeats: 2 }), true)).toEqual([
      'few_initial_states',
      'repeats_not_independent',
      'margin_out_of_reach',
    ]);
    expect(codes(planOf({ tasks: 10, initStates: 10 }), true)).toEqual([]);
    expect(codes(planOf({ tasks: 1, initStates: 10 }), false)).toEqual([]);
  });
});

function pairingOf(of: Plan, records: readonly EpisodeRecord[]): Pairing {
  const { comparison } = decisionInput(of, records);
  if (comparison.kind !== 'paired') throw new Error('the plan has no second arm');
  return comparison.pairing;
}

describe('comparisons', () => {
  const two = planOf({ tasks: 10, initStates: 50, arms: ['candidate', 'baseline'] });
  const sameSteps = () => ({ steps: 100 });

  test('same outcomes and steps everywhere: the same policy twice?', () => {
    const twins = pairingOf(
      two,
      recordsOf(two, (place) => (place % 9 === 0 ? 'failure' : 'success'), sameSteps),
    );
    expect(comparisonWarnings(twins, null).map((warning) => warning.code)).toEqual(['same_policy_twice']);
    const ordinary = pairingOf(
      two,
      recordsOf(two, (place) => (place % 9 === 0 ? 'failure' : 'success')),
    );
    expect(comparisonWarnings(ordinary, null)).toEqual([]);
  });

  test('unknown steps prove nothing', () => {
    const unknown = pairingOf(
      two,
      recordsOf(
        two,
        () => 'success',
        () => ({ steps: null }),
      ),
    );
    expect(comparisonWarnings(unknown, null)).toEqual([]);
  });

  test('a collapsed task is named', () => {
    const collapsed = pairingOf(
      two,
      recordsOf(two, (place, arm) => (arm === 'candidate' && place % 10 === 4 ? 'failure' : 'success')),
    );
    const warnings = comparisonWarnings(collapsed, summarisePairs(collapsed, 'b'));
    expect(warnings.map((warning) => warning.code)).toEqual(['task_collapsed']);
    expect(warnings[0]?.text).toContain('Task 4 collapsed: 50 of 50 pairs regressed');
  });

  test('rerun noise is the share of disagreeing pairs', () => {
    const noise = rerunNoise(
      pairingOf(
        two,
        recordsOf(two, (place, arm) => (arm === 'candidate' && place < 6 ? 'failure' : 'success')),
      ),
    );
    expect(noise).toMatchObject({ pairs: 500, disagreeing: 6, rate: 0.012 });
    expect(noise?.interval.low).toBeGreaterThan(0);
  });
});

describe('trend', () => {
  const baseline = { name: 'v1', successes: 95, valid: 100 };
  const history = (ks: readonly number[], from: HistoryPoint['baseline'] = baseline): HistoryPoint[] =>
    ks.map((successes, i) => ({ runId: `n${i}`, successes, valid: 100, baseline: from, fingerprint: 'f' }));
  const series = [95, 96, 94, 95, 93, 90, 89, 88, 91, 87];

  test('the alarm comes at the eighth run and stays', () => {
    const { points, alarm } = trend(history(series));
    expect(points.map((point) => point.alarm).indexOf(true)).toBe(7);
    expect(alarm).toBe(true);
    expectPrinted(points[9]?.height, '5.61');
    expect(trendAlarm(history(series))?.text).toContain('over the last 10 runs');
    expect(trendAlarm(history(series.slice(0, 7)))).toBeNull();
  });

  test('a new baseline or protocol starts the chart anew', () => {
    const blessed = [...history(series), ...history([88], { name: 'v2', successes: 88, valid: 100 })];
    expect(trend(blessed).alarm).toBe(false);
    expect(trend(blessed).points.map((point) => point.reset)).toEqual([
      true,
      ...new Array<boolean>(9).fill(false),
      true,
    ]);
    const moved = [...history(series), ...history([88]).map((point) => ({ ...point, fingerprint: 'g' }))];
    expect(trend(moved).points[10]).toMatchObject({ reset: true });
  });

  test('without a baseline there is a run chart and no alarm; an empty run has no rate', () => {
    const { points, alarm } = trend(history([50, 40], null));
    expect(points.every((point) => point.height === null)).toBe(true);
    expect(alarm).toBe(false);
    const [empty] = trend([{ runId: 'x', successes: 0, valid: 0, baseline, fingerprint: null }]).points;
    expect(empty).toMatchObject({ rate: null, interval: null, height: 0 });
    expect(trend([])).toEqual({ points: [], alarm: false, runs: 0 });
  });

  test('rates at the ends of the scale do not break the chart', () => {
    expect(trend(history([100, 100], { name: 'v1', successes: 100, valid: 100 })).alarm).toBe(false);
    expect(
      trend(history([0, 0], { name: 'v1', successes: 0, valid: 100 })).points[1]?.height,
    ).toBeGreaterThanOrEqual(0);
  });
});
