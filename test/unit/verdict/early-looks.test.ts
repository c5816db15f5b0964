import { describe, expect, test } from 'vitest';
import { randomSource } from '../../../src/base/random.ts';
import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { lookLevels } from '../../../src/stats/group-sequential.ts';
import { earlyStop } from '../../../src/verdict/early-stop.ts';
import { looksOf } from '../../../src/verdict/early-stop-design.ts';
import { StopWalk } from '../../../src/verdict/early-stop-walk.ts';
import { decideFromRecords } from '../../../src/verdict/from-records.ts';
import { DEFAULT_LIMITS } from '../../../src/verdict/tally.ts';
import { exactShares, fixedLooks, regionsOf } from '../stats/early-shares.ts';
import { type PlanShape, planOf, recordsOf } from './records.ts';

const MARGIN = 0.05;
const two = { tasks: 10, initStates: 20, arms: ['candidate', 'baseline'] } as const;
const stopping = (shape: PlanShape): Plan => ({ ...planOf(shape), earlyStop: true, stopDesign: 'looks' });
const state = (plan: Plan, records: readonly EpisodeRecord[]) => earlyStop({ plan, records, baseline: null });

describe('the looks of a plan', () => {
  test('at thirds, in whole rounds over the tasks, the last at the end', () => {
    expect(looksOf(500, 10).at).toEqual([170, 340, 500]);
    expect(looksOf(100, 10).at).toEqual([40, 70, 100]);
    expect(looksOf(10, 10).at).toEqual([10]);
    expect(looksOf(0, 0).at).toEqual([]);
  });

  test('levels of O’Brien and Fleming’s spending, as a multivariate normal integral gives them', () => {
    const close = (levels: number[], expected: number[]): void =>
      expected.forEach((level, i) => {
        expect(levels[i]).toBeCloseTo(level, 6);
      });
    const thirds = [1 / 3, 2 / 3, 1];
    close(lookLevels(thirds, 0.05), [0.00068689, 0.01614447, 0.04505555]);
    close(lookLevels(thirds, 0.025), [0.00010351, 0.0060122, 0.02312812]);
    close(lookLevels([1], 0.05), [0.05]);
  });
});

describe('what a run does at its looks', () => {
  const plan = stopping(two);

  test('agreeing pairs pass at the second look and not before', () => {
    const result = state(
      plan,
      recordsOf(plan, () => 'success'),
    );
    expect(result).toMatchObject({ decision: 'PASS', prefix: 140, planned: 200, pairs: 140 });
    expect(result.gates[0]?.test).toMatchObject({ look: 2, looks: 3, pairs: 140 });
  });

  test('a dead policy is stopped between looks, as soon as it has collapsed beyond doubt', () => {
    const records = recordsOf(plan, (_, arm) => (arm === 'candidate' ? 'failure' : 'success'));
    expect(state(plan, records)).toMatchObject({ decision: 'FAIL', prefix: 13, regressed: 13, fixed: 0 });
    expect(decideFromRecords(plan, records).reasons[0]?.text).toContain('a collapse: e-value');
  });

  test('a real drop inside the margin is no early FAIL, and passes with its note', () => {
    const long = stopping({ ...two, initStates: 50 });
    // 3 of 100 regress, 1 is fixed: 2 points worse, a difference that a run of 500 passes nine times of ten.
    const records = recordsOf(long, (place, arm) => {
      const spot = place % 100;
      const failing = arm === 'candidate' ? [7, 31, 66] : [50];
      return failing.includes(spot) ? 'failure' : 'success';
    });
    const decision = decideFromRecords(long, records);
    expect(decision.verdict).toBe('PASS');
    const whole = decideFromRecords({ ...long, earlyStop: false }, records);
    expect(whole.verdict).toBe('PASS');
  });

  test('a run that never decides says what the last look asked', () => {
    const small = stopping({ ...two, initStates: 6 });
    const records = recordsOf(small, () => 'success');
    const decision = decideFromRecords(small, records);
    expect(decision.verdict).toBe('INCONCLUSIVE');
    expect(decision.reasons[0]?.text).toContain('look 3 of 3');
  });
});

describe('the early design tests what a fixed run tests', () => {
  const truth = (psi: number, drop: number) => {
    const all = Math.max(psi, drop);
    return { regressed: (all + drop) / 2, fixed: (all - drop) / 2 };
  };

  test.each([100, 200])(
    'of %i pairs: no verdict’s share moves by more than 5 points, and either error is held',
    (n) => {
      const looks = looksOf(n, 10);
      const fixed = fixedLooks(n);
      const [early, whole] = [regionsOf(looks, MARGIN), regionsOf(fixed, MARGIN)];
      for (const psi of [0.04, 0.14, 0.28]) {
        for (const drop of [0, 0.02, 0.05]) {
          const a = exactShares(looks, early, truth(psi, drop), MARGIN);
          const b = exactShares(fixed, whole, truth(psi, drop), MARGIN);
          for (const share of ['pass', 'fail', 'open'] as const)
            expect(Math.abs(a[share] - b[share])).toBeLessThan(0.05);
          // The collapse rule adds at most its level.
          if (drop === 0) expect(a.fail + 0.001).toBeLessThanOrEqual(0.05);
          if (drop === MARGIN) expect(a.pass).toBeLessThanOrEqual(0.05);
        }
      }
    },
  );

  test('the walk over a run gives what the exact chances say', () => {
    const cells = Array.from({ length: 100 }, (_, place) => ({
      taskId: place % 10,
      initStateId: Math.floor(place / 10),
    }));
    const { regressed, fixed } = truth(0.14, 0.1);
    const looks = looksOf(100, 10);
    const exact = exactShares(looks, regionsOf(looks, MARGIN), { regressed, fixed }, MARGIN);
    const random = randomSource(11);
    const runs = 60;
    let failed = 0;
    for (let run = 0; run < runs; run += 1) {
      const walk = new StopWalk(cells, {
        rules: {
          minSuccessRate: null,
          minTaskSuccessRate: null,
          thresholdMode: 'point',
          maxRegression: MARGIN,
        },
        limits: DEFAULT_LIMITS,
        compares: true,
        design: 'looks',
      });
      for (const cell of cells) {
        const draw = random();
        walk.look(cell, draw >= regressed, draw < regressed || draw >= regressed + fixed);
        if (walk.decision !== null) break;
      }
      if (walk.decision === 'FAIL') failed += 1;
    }
    expect(Math.abs(failed / runs - exact.fail)).toBeLessThan(
      3 * Math.sqrt((exact.fail * (1 - exact.fail)) / runs),
    );
  });
});
