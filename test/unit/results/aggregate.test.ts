import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stableJson, stableJsonParts } from '../../../src/base/stable-json.ts';
import { chainLine, FIRST_TIP, readChain } from '../../../src/journal/chain.ts';
import { type EpisodeRecord, outcomeSchema } from '../../../src/model/episode-record.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { type ArmResult, resultsSchema } from '../../../src/model/results.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import { macroOf, measureOf, rateOf } from '../../../src/results/measure.ts';
import { makePlan } from '../outcome/plan-builder.ts';
import { makeRecord, makeRunFacts } from './record-builder.ts';

function planOf(records: readonly EpisodeRecord[], overrides: Partial<Plan> = {}): Plan {
  const ids = [...new Set(records.map((record) => record.taskId))];
  return makePlan({
    tasks: ids.map((taskId) => ({ taskId, language: `task ${taskId}` })),
    cells: records.map(({ taskId, initStateId, runIndex, arm }) => ({ taskId, initStateId, runIndex, arm })),
    ...overrides,
  });
}

function candidate(records: readonly EpisodeRecord[], overrides: Partial<Plan> = {}): ArmResult {
  const results = aggregate({ plan: planOf(records, overrides), records, run: makeRunFacts(), journal: [] });
  const arm = results.arms[0];
  if (arm === undefined) throw new Error('no arm');
  return arm;
}

describe('rateOf', () => {
  // Reference values: statistics.md b.1.
  it.each([
    [0, 50, 0, 0.07134759913],
    [50, 50, 0.9286524009, 1],
    [4, 40, 0.03957952868, 0.2305177523],
    [463, 500, 0.8996652467, 0.9458388152],
  ])('%i of %i', (k, n, low, high) => {
    const rate = rateOf(k, n);
    expect(rate.low).toBeCloseTo(low, 8);
    expect(rate.high).toBeCloseTo(high, 8);
  });

  it('has no rate for no episodes', () => {
    expect(rateOf(0, 0)).toEqual({ k: 0, n: 0, rate: null, low: null, high: null });
  });
});

describe('measureOf', () => {
  it('leaves unknown values out and counts them', () => {
    expect(measureOf([10, null, 20, 30, null])).toMatchObject({ n: 3, missing: 2, mean: 20, median: 20 });
  });

  it('interpolates percentiles linearly', () => {
    expect(measureOf([11, 12, 12, 13, 14, 14, 15, 16, 30, 90])).toMatchObject({
      median: 14,
      p95: expect.closeTo(63, 9),
    });
  });

  it('is unknown, not 0, without values', () => {
    expect(measureOf([null])).toMatchObject({ n: 0, missing: 1, mean: null, median: null, p95: null });
  });
});

describe('macroOf', () => {
  it('is the unweighted mean of tasks, with the interval of fixed tasks', () => {
    const macro = macroOf([
      { k: 45, n: 50 },
      { k: 40, n: 50 },
      { k: 30, n: 40 },
      { k: 12, n: 20 },
      { k: 0, n: 0 },
    ]);
    expect(macro).toMatchObject({ tasks: 4, missingTasks: 1, rate: 0.7625 });
    // SE_fixed of these data is .0368166912 (statistics.md b.8); the interval is near ±1.96 of it.
    expect((macro.high ?? 0) - (macro.low ?? 0)).toBeGreaterThan(2 * 1.9 * 0.0368166912);
    expect((macro.high ?? 0) - (macro.low ?? 0)).toBeLessThan(2 * 2 * 0.0368166912);
  });

  it('still has a width when no task varies', () => {
    expect(macroOf([{ k: 50, n: 50 }])).toMatchObject({ rate: 1, high: 1 });
    expect(macroOf([{ k: 50, n: 50 }]).low).toBeCloseTo(0.9286524009, 8);
    expect(macroOf([{ k: 0, n: 0 }])).toMatchObject({ rate: null, low: null });
  });
});

describe('aggregate', () => {
  it('keeps errors out of the rate and in the plan', () => {
    const arm = candidate([
      makeRecord(0, 'success'),
      makeRecord(1, 'failure'),
      makeRecord(2, 'error', { errorCode: 'POLICY_CONNECTION', errorMessage: 'refused' }),
      makeRecord(3, 'timed_out', { errorCode: 'EXECUTION_TIMEOUT' }),
      makeRecord(4, 'not_run'),
      makeRecord(5, 'after_stop'),
    ]);
    expect(arm).toMatchObject({ planned: 6, recorded: 4, valid: 2 });
    expect(arm.successRate).toMatchObject({ k: 1, n: 2, rate: 0.5 });
    expect(arm.rateOverPlanned).toMatchObject({ k: 1, n: 6 });
    expect(arm.outcomes).toMatchObject({
      success: 1,
      failure: 1,
      error: 1,
      timed_out: 1,
      rejected: 0,
      not_run: 1,
    });
  });

  it('counts timeouts as failures only when the plan says so', () => {
    const records = [makeRecord(0, 'success'), makeRecord(1, 'timed_out')];
    expect(candidate(records).successRate).toMatchObject({ k: 1, n: 1 });
    const asFailures = candidate(records, { timeoutsAs: 'failure' });
    expect(asFailures.successRate).toMatchObject({ k: 1, n: 2 });
    expect(asFailures.stepsCompleted.n).toBe(1);
  });

  it('reports steps of successes apart from those of all completed episodes', () => {
    const arm = candidate([
      makeRecord(0, 'success', { steps: 10 }),
      makeRecord(1, 'success', { steps: null }),
      makeRecord(2, 'failure', { steps: 280 }),
      makeRecord(3, 'error', { steps: 3 }),
    ]);
    expect(arm.stepsSuccessful).toMatchObject({ n: 1, missing: 1, mean: 10 });
    expect(arm.stepsCompleted).toMatchObject({ n: 2, missing: 1, mean: 145 });
  });

  it('shows a task without episodes as unknown', () => {
    const records = [makeRecord(0, 'success'), makeRecord(1, 'not_run', { taskId: 1 })];
    const arm = candidate(records);
    expect(arm.tasks.map((task) => [task.taskId, task.successRate.rate])).toEqual([
      [0, 1],
      [1, null],
    ]);
    expect(arm.macroRate).toMatchObject({ tasks: 1, missingTasks: 1, rate: 1 });
  });

  it('counts error codes over cells and sessions, with the most frequent message', () => {
    const failed = (attempt: number, message: string) => ({
      sessionId: `s${attempt}`,
      attempt,
      outcome: 'error' as const,
      errorCode: 'POLICY_CONNECTION',
      errorMessage: message,
    });
    const arm = candidate([
      makeRecord(0, 'success', { attempts: [failed(0, 'b'), failed(1, 'a')] }),
      makeRecord(1, 'error', { errorCode: 'POLICY_CONNECTION', attempts: [failed(2, 'a')] }),
      makeRecord(2, 'missing'),
      makeRecord(3, 'failure'),
    ]);
    expect(arm.errorCodes).toEqual([
      { code: 'POLICY_CONNECTION', episodes: 1, sessions: 3, message: 'a', examples: ['s0', 's1', 's2'] },
      { code: 'MISSING', episodes: 1, sessions: 1, message: null, examples: ['rb-x-2'] },
    ]);
    expect(arm.retriedCells).toBe(1);
  });

  it('takes times, end and warnings from the journal', () => {
    const events = [
      { type: 'lane', waitedMs: 7, holder: null },
      { type: 'warning', message: 'stale entry' },
      { type: 'ended', end: 'incomplete', reason: 'simulator gone', foreignMs: 3, pausedMs: 2, totalMs: 99 },
    ] as const;
    let tip = FIRST_TIP;
    let text = '';
    for (const event of events) {
      const next = chainLine(tip, '2026-11-29T13:00:00.000Z', event);
      text += `${next.line}\n`;
      tip = next.tip;
    }
    const records = [makeRecord(0, 'success')];
    const run = makeRunFacts({ warnings: ['stale entry', 'GPU shared'] });
    const results = aggregate({ plan: planOf(records), records, run, journal: readChain(text).records });
    expect(results.time).toEqual({ wallMs: 99, laneWaitMs: 7, foreignMs: 3, pausedMs: 2 });
    expect(results.end).toEqual({ kind: 'incomplete', reason: 'simulator gone' });
    expect(results.warnings).toEqual(['stale entry', 'GPU shared']);
    expect(aggregate({ plan: planOf(records), records, run, journal: [] }).time.wallMs).toBeNull();
  });

  it('gives the same bytes for any order of records, and bytes that the schema accepts', () => {
    const outcome = fc.constantFrom(...outcomeSchema.options);
    const cell = fc.record({
      outcome,
      taskId: fc.nat(3),
      steps: fc.option(fc.double({ min: 0, max: 1000, noNaN: true })),
    });
    const lists = fc
      .array(cell, { minLength: 1, maxLength: 30 })
      .map((cells) =>
        cells.map((each, at) => makeRecord(at, each.outcome, { taskId: each.taskId, steps: each.steps })),
      )
      .chain((records) =>
        fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length })),
      );
    fc.assert(
      fc.property(lists, ([records, shuffled]) => {
        const plan = planOf(records);
        const text = (list: readonly EpisodeRecord[]): string =>
          stableJson(aggregate({ plan, records: list, run: makeRunFacts(), journal: [] }));
        expect(text(shuffled)).toBe(text(records));
        expect(() => resultsSchema.parse(JSON.parse(text(records)))).not.toThrow();
      }),
    );
  });
});

describe('stableJson', () => {
  it('sorts keys at every depth and refuses what JSON cannot hold', () => {
    expect(stableJson({ b: [{ d: 1, c: undefined }], a: 'x' })).toBe(
      '{\n  "a": "x",\n  "b": [\n    {\n      "d": 1\n    }\n  ]\n}\n',
    );
    expect(() => stableJson({ a: Number.NaN })).toThrow(TypeError);
    expect(() => stableJson([undefined])).toThrow(TypeError);
  });

  it('is the same text in parts', () => {
    const name = fc.string().filter((text) => !/^\d+$/.test(text));
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue({ maxDepth: 4 })), (value) => {
        // JSON knows no negative zero, so both texts say 0.
        expect([...stableJsonParts(value)].join('')).toBe(stableJson(value));
      }),
    );
    expect([...stableJsonParts({ b: undefined, a: ['x\ny', []] })].join('')).toBe(
      stableJson({ a: ['x\ny', []] }),
    );
    expect(() => [...stableJsonParts({ a: [Number.NaN] })]).toThrow(TypeError);
  });
});
