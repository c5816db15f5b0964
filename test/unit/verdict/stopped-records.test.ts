import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { earlyStop, stopProcess } from '../../../src/verdict/early-stop.ts';
import {
  parseStopBaseline,
  recordsOfStopBaseline,
  stopBaselineDigest,
  stopBaselineOf,
  stopBaselineText,
} from '../../../src/verdict/early-stop-baseline.ts';
import { withStop } from '../../../src/verdict/early-stop-records.ts';
import { assess } from '../../../src/verdict/from-records.ts';
import { planOf, recordsOf } from './records.ts';

const plan = { ...planOf({ tasks: 5, initStates: 20, arms: ['candidate', 'baseline'] }), earlyStop: true };
const dead = recordsOf(plan, (_, arm) => (arm === 'candidate' ? 'failure' : 'success'));

describe('records of a stopped run', () => {
  const state = earlyStop({ plan, records: dead, baseline: null });
  const cut = dead.map((record) =>
    record.position >= 20 ? { ...record, outcome: 'not_run' as const, success: null } : record,
  );

  test('what finished after the decision is after_stop, what never ran is not_run', () => {
    expect(state).toMatchObject({ decision: 'FAIL', prefix: 7 });
    const stopped = withStop(plan, cut, state.prefix);
    expect(stopped.map(({ outcome }) => outcome)).toEqual(
      dead.map(({ arm, position }) => {
        if (position >= 20) return 'not_run';
        if (position >= 14) return 'after_stop';
        return arm === 'candidate' ? 'failure' : 'success';
      }),
    );
    expect(stopped.slice(14).every(({ success }) => success === null)).toBe(true);
  });

  test('the verdict and the state stay what they were', () => {
    const stopped = withStop(plan, cut, state.prefix);
    expect(earlyStop({ plan, records: stopped, baseline: null })).toEqual(state);
    const verdict = assess(plan, stopped, { stoppedAt: state.prefix });
    expect(verdict.decision.verdict).toBe('FAIL');
    expect(verdict.paired?.table).toMatchObject({ n: 7, regressed: 7, fixed: 0 });
  });

  test('a cell that ran another episode than planned is never hidden', () => {
    const wrong = dead.map((record) =>
      record.position === 50 ? { ...record, outcome: 'mismatch' as const, success: null } : record,
    );
    expect(assess(plan, withStop(plan, wrong, 7), { stoppedAt: 7 }).decision.verdict).toBe('INVALID');
  });

  test('rules that became stricter after the stop are not proven by it, and do not make it incomplete', () => {
    const stopped = withStop(plan, cut, state.prefix);
    const stricter = { ...plan, thresholds: { ...plan.thresholds, minSuccessRate: 0.9 } };
    const { verdict, reasons } = assess(stricter, stopped, { stoppedAt: state.prefix }).decision;
    expect(verdict).toBe('FAIL');
    expect(reasons.map(({ code }) => code)).not.toContain('incomplete');
  });
});

describe('the process while the run goes on', () => {
  test('asked after every finished cell, in any order of completion, it says what the whole record says', () => {
    const records = recordsOf(plan, (place, arm) =>
      arm === 'candidate' && place % 4 === 0 ? 'failure' : place % 37 === 5 ? 'error' : 'success',
    );
    const whole = earlyStop({ plan, records, baseline: null });
    fc.assert(
      fc.property(fc.shuffledSubarray(records, { minLength: records.length }), (finished) => {
        const process = stopProcess(plan, null);
        const known = new Map<number, (typeof records)[number]['outcome']>();
        let state = process.advance(() => null);
        for (const { position, outcome } of finished) {
          if (state.decision !== null) break;
          known.set(position, outcome);
          state = process.advance((at) => known.get(at));
        }
        expect(state).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the baseline that a bundle keeps', () => {
  const own = planOf({ tasks: 3, initStates: 4 });
  const records = recordsOf(own, (place) => (place % 3 === 0 ? 'failure' : 'success'));
  const recorded = { name: 'attempt-1', records, fingerprint: { suite: 'libero_goal' } };

  test('reads back as it was, with one digest whatever the order of its records', () => {
    const kept = stopBaselineOf(recorded);
    const digest = stopBaselineDigest(kept);
    expect(parseStopBaseline(stopBaselineText(kept))).toEqual(kept);
    expect(stopBaselineDigest(stopBaselineOf({ ...recorded, records: [...records].reverse() }))).toBe(digest);
    expect(stopBaselineDigest(stopBaselineOf({ ...recorded, name: 'elsewhere' }))).toBe(digest);
    const flipped = records.map((record, index) =>
      index === 0 ? { ...record, outcome: 'success' as const } : record,
    );
    expect(stopBaselineDigest(stopBaselineOf({ ...recorded, records: flipped }))).not.toBe(digest);
  });

  test('gives the verdict that its records gave', () => {
    const stopping = { ...own, earlyStop: true };
    const again = recordsOfStopBaseline(stopBaselineOf(recorded), own.benchmark);
    const candidate = recordsOf(stopping, () => 'failure');
    expect(earlyStop({ plan: stopping, records: candidate, baseline: again.records })).toEqual(
      earlyStop({ plan: stopping, records: candidate, baseline: records }),
    );
  });

  test.each([
    ['', 'schema'],
    ['{"schema":"rollout-bench/stop-baseline/1"}\n', 'name'],
    ['nothing\n', 'not JSON'],
  ])('%j is refused', (text, why) => {
    const parsed = parseStopBaseline(text);
    expect(typeof parsed).toBe('string');
    expect(String(parsed)).toMatch(new RegExp(`${why}|JSON`));
  });

  test('a file with a missing cell is refused', () => {
    const lines = stopBaselineText(stopBaselineOf(recorded)).trimEnd().split('\n');
    expect(parseStopBaseline(`${lines.slice(0, -1).join('\n')}\n`)).toBe(
      'it holds 11 cells, its first line says 12',
    );
  });
});
