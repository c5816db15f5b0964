import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import { binomialPoint, binomialUpperTail } from '../../../src/stats/binomial-tail.ts';
import { stepFails } from '../../../src/verdict/decide.ts';
import { decideFromRecords } from '../../../src/verdict/from-records.ts';
import { pairsNeededForMargin } from '../../../src/verdict/margin-pairs.ts';
import {
  defaultOnInconclusive,
  episodesNeededForFloor,
  reachesFloor,
  smallestReaching,
  unitsProving,
} from '../../../src/verdict/thresholds.ts';
import { type PlanShape, planOf, recordsOf } from './records.ts';

const codes = (reasons: readonly { code: string }[]): string[] => reasons.map((reason) => reason.code);

function decideCounts(shape: PlanShape, failures: (place: number) => boolean) {
  const plan = planOf(shape);
  return decideFromRecords(
    plan,
    recordsOf(plan, (place) => (failures(place) ? 'failure' : 'success')),
  );
}

describe('floors', () => {
  const tenByTen = { tasks: 10, initStates: 10 };

  test('a rate at the floor passes, one success below fails, and the reason has the counts', () => {
    const shape = { ...tenByTen, thresholds: { minSuccessRate: 0.9 } };
    expect(decideCounts(shape, (place) => place < 10).verdict).toBe('PASS');
    const failed = decideCounts(shape, (place) => place < 11);
    expect(failed.verdict).toBe('FAIL');
    expect(failed.reasons).toEqual([
      { code: 'floor_missed', text: '89/100 = 89.0% misses the floor of 90%.' },
    ]);
  });

  test('a floor is said with the digits it was given, and a rate never seems to stand on its other side', () => {
    const said = (minSuccessRate: number, failures: number) =>
      decideCounts(
        { tasks: 10, initStates: 250, thresholds: { minSuccessRate } },
        (place) => place < failures,
      ).reasons[0]?.text;
    expect(said(0.8404, 400)).toBe('2100/2500 = 84.0% misses the floor of 84.04%.');
    expect(said(0.84, 401)).toBe('2099/2500 = 83.96% misses the floor of 84%.');
    expect(said(0.84, 400)).toBe('2100/2500 = 84.0% reaches the floor of 84%.');
    expect(said(0.99, 1)).toBe('2499/2500 = >99.9% reaches the floor of 99%.');
  });

  test('a floor inside the interval is said', () => {
    const decision = decideCounts({ ...tenByTen, thresholds: { minSuccessRate: 0.9 } }, (place) => place < 8);
    expect(decision.verdict).toBe('PASS');
    expect(codes(decision.warnings)).toEqual(['floor_inside_interval']);
  });

  test('a floor that the lower bound reaches is told, although the two-sided interval holds it', () => {
    const thresholds = { minSuccessRate: 0.9, thresholdMode: 'lower-bound' } as const;
    const decision = decideCounts({ tasks: 10, initStates: 50, thresholds }, (place) => place < 38);
    expect(decision).toMatchObject({ verdict: 'PASS', warnings: [] });
    const short = decideCounts({ tasks: 10, initStates: 50, thresholds }, (place) => place < 39);
    expect(short.verdict).toBe('FAIL');
    expect(codes(short.warnings)).toEqual(['floor_not_proven']);
    const needed = Number(
      /At the measured rate about (\d+) episodes/.exec(short.warnings[0]?.text ?? '')?.[1],
    );
    expect(needed).toBeGreaterThan(500);
    expect(reachesFloor(Math.floor((461 / 500) * needed), needed, 0.9, 'lower-bound')).toBe(true);
    expect(reachesFloor(Math.floor((461 / 500) * (needed - 1)), needed - 1, 0.9, 'lower-bound')).toBe(false);
  });

  test('a floor that the rate does not exceed is proven by no number of episodes', () => {
    expect(unitsProving({ k: 42, n: 50 }, 0.84)).toBeNull();
    expect(unitsProving({ k: 8404, n: 10_000 }, 0.84)).toBeNull();
    expect(unitsProving({ k: 50, n: 50 }, 0.95)).toBe(59);
  });

  test('as a lower bound the same rate is not enough', () => {
    const thresholds = { minSuccessRate: 0.9, thresholdMode: 'lower-bound' } as const;
    expect(decideCounts({ ...tenByTen, thresholds }, (place) => place < 8).verdict).toBe('FAIL');
    expect(decideCounts({ ...tenByTen, thresholds }, (place) => place < 4).verdict).toBe('PASS');
    expect(decideCounts({ ...tenByTen, thresholds }, (place) => place < 5).verdict).toBe('FAIL');
  });

  test('one collapsed task fails the per-task floor although the average passes', () => {
    const thresholds = { minSuccessRate: 0.9, minTaskSuccessRate: 0.5 };
    const decision = decideCounts({ ...tenByTen, thresholds }, (place) => place % 10 === 3 && place < 70);
    expect(decision.verdict).toBe('FAIL');
    expect(codes(decision.reasons)).toEqual(['task_floor_missed', 'floor_reached']);
    expect(decision.reasons[0]?.text).toContain('task 3 (3/10 = 30.0%)');
  });

  test('a floor no outcome could reach as a lower bound is INVALID and says how many would do', () => {
    const thresholds = { minTaskSuccessRate: 0.9, thresholdMode: 'lower-bound' } as const;
    const decision = decideCounts({ ...tenByTen, thresholds }, () => false);
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons[0]?.text).toContain('at least 29 are needed');
  });

  test('without floor and baseline there is nothing to decide', () => {
    const decision = decideCounts(tenByTen, () => false);
    expect(decision.verdict).toBe('INCONCLUSIVE');
    expect(codes(decision.reasons)).toEqual(['no_gate']);
    expect(decision.reasons[0]?.text).toContain('rollout-bench accept');
  });

  test('sessions that nobody planned are not advised to become a baseline, which they cannot', () => {
    const plan = planOf({ tasks: 1, initStates: 3 });
    const { reasons } = decideFromRecords(
      plan,
      recordsOf(plan, () => 'success'),
      { unplanned: true },
    );
    expect(codes(reasons)).toEqual(['no_gate']);
    expect(reasons[0]?.text).not.toContain('accept');
    expect(reasons[0]?.text).toContain('report on this bundle with min-success-rate');
  });
});

describe('floors as a lower bound where states run several times', () => {
  const bound = { minSuccessRate: 0.9, thresholdMode: 'lower-bound' } as const;
  /** Three runs of each of 40 states; the given states fail all of theirs. */
  const shape = { tasks: 4, initStates: 10, repeats: 3, thresholds: bound };
  const verdict = (failing: number, wanted: PlanShape = shape) =>
    decideCounts(wanted, (place) => place % 40 < failing);

  test('count states: 114 of 120 episodes are 38 of 40 states, which prove no 90 %', () => {
    expect(verdict(0).verdict).toBe('PASS');
    const { verdict: found, reasons } = verdict(2);
    expect(found).toBe('FAIL');
    expect(reasons[0]?.text).toBe(
      '114/120 = 95.0%, one-sided 95% lower bound 85.1% (Clopper-Pearson) over 40 initial states, misses the floor of 90%.',
    );
    // As 120 independent episodes they would have passed.
    expect(smallestReaching(120, 0.9, 'lower-bound')).toBeLessThanOrEqual(114);
    expect(verdict(2, { ...shape, thresholds: { minSuccessRate: 0.9 } }).verdict).toBe('PASS');
  });

  test('a floor that few states cannot prove is out of reach however often they run', () => {
    const few = { ...shape, initStates: 7, repeats: 5 };
    const { verdict: found, reasons } = decideCounts(few, () => false);
    expect(found).toBe('INVALID');
    expect(reasons[0]?.text).toContain(
      '28 planned initial states, even if all succeed: at least 29 are needed',
    );
  });

  test('the chance to prove what is not true is at most 5 %, whatever the runs of a state have in common', () => {
    for (const floor of [0.5, 0.8, 0.9])
      for (const runs of [2, 3, 5])
        for (const n of [20, 29, 50, 53, 100]) {
          const k = smallestReaching(n, floor, 'lower-bound');
          if (k === null) continue;
          // All or nothing, one run of several, and independent runs.
          const fine = Array.from({ length: runs + 1 }, (_, i) => binomialPoint(runs, i, floor));
          const whole = fine.map((_, i) => (i === 0 ? 1 - floor : i === runs ? floor : 0));
          const low = Math.floor(floor * runs);
          const near = fine.map((_, i) =>
            i === low ? low + 1 - floor * runs : i === low + 1 ? floor * runs - low : 0,
          );
          for (const state of [fine, whole, near])
            expect(chanceOfSum(state, n, k * runs)).toBeLessThanOrEqual(0.05 + 1e-12);
        }
  });

  test('an early stop says of them what the whole run says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer(), (percent, seed) => {
        const full = planOf({
          ...{ tasks: 3, initStates: 20, repeats: 3 },
          thresholds: { minSuccessRate: 0.6, minTaskSuccessRate: 0.4, thresholdMode: 'lower-bound' },
        });
        const hash = (place: number) => Math.abs(Math.imul(place + 1, seed | 1) ^ (seed >> 3)) % 100;
        const records = recordsOf(full, (place) =>
          hash(place % 60) < percent === hash(place) < 80 ? 'success' : 'failure',
        );
        const stopped = decideFromRecords({ ...full, earlyStop: true, stopDesign: 'looks' }, records);
        expect(stopped.verdict).toBe(decideFromRecords(full, records).verdict);
      }),
    );
  });
});

/** P(sum ≥ least) of n independent values with the given chances of 0, 1, …. */
function chanceOfSum(chances: readonly number[], n: number, least: number): number {
  let sums = [1];
  for (let i = 0; i < n; i += 1) {
    const next = new Array<number>(sums.length + chances.length - 1).fill(0);
    sums.forEach((sum, at) => {
      chances.forEach((chance, value) => {
        next[at + value] = (next[at + value] ?? 0) + sum * chance;
      });
    });
    sums = next;
  }
  return sums.slice(least).reduce((total, chance) => total + chance, 0);
}

describe('INVALID comes before any number', () => {
  const plan = planOf({ tasks: 10, initStates: 10, thresholds: { minSuccessRate: 0.1 } });
  const good = recordsOf(plan, () => 'success');
  const change = (place: number, fields: Partial<EpisodeRecord>): EpisodeRecord[] =>
    good.map((record, i) => (i === place ? { ...record, ...fields } : record));

  test.each([
    ['no record at all', [], 'no_episodes'],
    ['only errors', recordsOf(plan, () => 'error'), 'no_episodes'],
    ['three of a hundred lost', recordsOf(plan, (place) => (place < 3 ? 'error' : 'success')), 'incomplete'],
    [
      'two of one task lost',
      recordsOf(plan, (i) => (i === 0 || i === 10 ? 'lost' : 'success')),
      'task_incomplete',
    ],
    ['a cell twice', [...good, ...good.slice(0, 1)], 'duplicate'],
    ['another cell ran', recordsOf(plan, (i) => (i === 0 ? 'mismatch' : 'success')), 'mismatch'],
    ['sources disagree', recordsOf(plan, (i) => (i === 0 ? 'conflict' : 'success')), 'conflict'],
    ['a record of no planned cell', [...good, ...change(0, { taskId: 77 }).slice(0, 1)], 'unplanned'],
    ['negative steps', change(4, { steps: -1 }), 'impossible_value'],
    ['NaN steps', change(4, { steps: Number.NaN }), 'impossible_value'],
    ['success false beside outcome success', change(4, { success: false }), 'impossible_value'],
  ])('%s', (_name, records, code) => {
    const decision = decideFromRecords(plan, records);
    expect(decision.verdict).toBe('INVALID');
    expect(codes(decision.reasons)).toContain(code);
  });

  test('a floor that the valid episodes miss is still told, as no reason of the verdict', () => {
    const strict = planOf({
      tasks: 10,
      initStates: 10,
      thresholds: { minSuccessRate: 0.9, minTaskSuccessRate: 0.8 },
    });
    const outcome = (place: number) => (place < 3 ? 'error' : place < 50 ? 'failure' : 'success');
    const decision = decideFromRecords(strict, recordsOf(strict, outcome));
    expect(decision.verdict).toBe('INVALID');
    expect(codes(decision.reasons)).not.toContain('floor_missed');
    expect(decision.warnings).toContainEqual({
      code: 'floor_missed',
      text: 'Of the valid episodes alone: 50/97 = 51.5% misses the floor of 90%.',
    });
    expect(codes(decision.warnings)).toContain('task_floor_missed');
    const reached = decideFromRecords(
      plan,
      recordsOf(plan, (place) => (place < 3 ? 'error' : 'success')),
    );
    expect(codes(reached.warnings)).not.toContain('floor_missed');
    const nothing = decideFromRecords(
      plan,
      recordsOf(plan, () => 'error'),
    );
    expect(codes(nothing.warnings)).not.toContain('floor_missed');
  });

  test('success as text is no success', () => {
    // A caller may skip validation; the point of the test is a value the type forbids.
    const records = change(4, { success: 'True' as unknown as boolean });
    expect(codes(decideFromRecords(plan, records).reasons)).toContain('impossible_value');
  });

  test('a changed policy', () => {
    const decision = decideFromRecords(plan, good, { policyChanged: 'checkpoint a1 before, b2 after' });
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons[0]?.text).toContain('a1 before, b2 after');
  });

  test('a named baseline that is absent, but not an automatic one', () => {
    const named = decideFromRecords(plan, good, { baseline: { kind: 'absent', name: 'runs/old' } });
    expect(codes(named.reasons)).toEqual(['baseline_absent']);
    const auto = decideFromRecords(plan, good, {
      baseline: { kind: 'none', note: 'no accepted baseline yet' },
    });
    expect(auto.verdict).toBe('PASS');
    expect(codes(auto.warnings)).toEqual(['no_baseline']);
  });

  test('two of a hundred lost, one per task, is still complete', () => {
    const records = recordsOf(plan, (place) => (place < 2 ? 'error' : 'success'));
    expect(decideFromRecords(plan, records).verdict).toBe('PASS');
  });

  test('timeouts count as failures only when the plan says so', () => {
    const records = recordsOf(plan, (place) => (place % 2 === 0 ? 'timed_out' : 'success'));
    expect(decideFromRecords(plan, records).verdict).toBe('INVALID');
    expect(decideFromRecords({ ...plan, timeoutsAs: 'failure' }, records).verdict).toBe('PASS');
  });
});

describe('thresholds', () => {
  test.each([
    [50, 0.8, 45],
    [50, 0.9, 49],
    [100, 0.9, 96],
    [28, 0.9, null],
    [29, 0.9, 29],
    [500, 0.9, 462],
    [500, 0.95, 484],
    [2000, 0.95, 1917],
  ])('smallest k of %i whose one-sided 95%% bound reaches %f is %i', (n, floor, k) => {
    expect(smallestReaching(n, floor, 'lower-bound')).toBe(k);
  });

  test.each([
    [0.1, 29],
    [0.05, 59],
    [0.03, 99],
    [0.02, 149],
    [0.01, 299],
    // 9 pairs have a p of 0.054: 0.7⁹ is not all that counts.
    [0.3, 10],
  ])('a margin of %f needs %i agreeing pairs', (margin, n) => {
    expect(pairsNeededForMargin(margin)).toBe(n);
  });

  test('the number named for a floor is the smallest that works', () => {
    for (const floor of [0.5, 0.8, 0.9, 0.95, 0.99]) {
      const n = episodesNeededForFloor(floor, 'lower-bound') ?? 0;
      expect(smallestReaching(n, floor, 'lower-bound')).toBe(n);
      expect(smallestReaching(n - 1, floor, 'lower-bound')).toBeNull();
    }
    expect(episodesNeededForFloor(1, 'lower-bound')).toBeNull();
  });

  test('a floor as a lower bound errs at most 5 %, for every n', () => {
    for (const floor of [0.5, 0.8, 0.9, 0.95, 0.99])
      for (const n of [...Array.from({ length: 300 }, (_, i) => i + 1), 500, 1000]) {
        const k = smallestReaching(n, floor, 'lower-bound');
        if (k !== null) expect(binomialUpperTail(k, n, floor)).toBeLessThanOrEqual(0.05);
        // And no success more than that is asked for.
        if (k !== null && k > 0) expect(binomialUpperTail(k - 1, n, floor)).toBeGreaterThan(0.05);
      }
  });

  test('only a release needs a PASS', () => {
    expect(defaultOnInconclusive('release')).toBe('fail');
    expect(defaultOnInconclusive('pr')).toBe('pass');
    expect(defaultOnInconclusive('schedule')).toBe('pass');
    expect(stepFails('INCONCLUSIVE', 'pass')).toBe(false);
    expect(stepFails('INCONCLUSIVE', 'fail')).toBe(true);
    expect(stepFails('INVALID', 'pass')).toBe(true);
    expect(stepFails('FAIL', 'pass')).toBe(true);
    expect(stepFails('PASS', 'fail')).toBe(false);
  });
});
