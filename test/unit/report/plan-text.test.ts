import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idRanges } from '../../../src/base/id-ranges.ts';
import { roughDuration } from '../../../src/base/rough-duration.ts';
import { ranges } from '../../../src/inputs/table/kinds.ts';
import type { Arm } from '../../../src/model/plan.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { planText } from '../../../src/report/plan-text.ts';
import { expectedDuration, foreseenProblems } from '../../../src/verdict/foresight.ts';
import { visibleDrops } from '../../../src/verdict/visible-drop.ts';
import { planRequest } from '../plan/plan-request.ts';

const surroundings = {
  target: 'libero',
  discovery: { source: 'describe', why: 'the server describes libero_spatial' },
  pace: null,
  warnings: [],
};

describe('planText', () => {
  it('shows what will run before anything is queued', () => {
    const plan = makePlan(planRequest({ tasks: planRequest().tasks.slice(0, 2) }));
    expect(planText(plan, surroundings)).toMatchInlineSnapshot(`
      "Plan of libero_spatial (libero)

        digest         5b137c9fa7aa20e999742a36c73640c68daa04e4b290389b52d55caa22ab8e28
        target         libero
        skill runtime  pi05_libero_remote
        purpose        pr
        episodes       20 = 2 tasks x 10 initial states (0-9)
        order          interleaved, seed 0; first t1-i3-r0-candidate, t0-i6-r0-candidate, t0-i3-r0-candidate, t1-i7-r0-candidate, t0-i5-r0-candidate
        limits         220 steps after 10 to settle, 220 policy calls, 30 min an episode
        floors         none
        errors         1 more try; timeouts count as error
        expected time  unknown: no valid episode of an earlier run here; 20 min if an episode takes 60 s, at most 10 h, if every episode used up its session-timeout
        visible drop   29.8 points over the suite, 52.3 points in a single task (against a baseline on the same initial states, 80 % power, if 2 % of them are fixed by chance; a result takes those that were, at least one)
        tasks from     describe (the server describes libero_spatial)

      Tasks:
          0  do task 0
          1  do task 1
      "
    `);
  });

  it('estimates from earlier runs where there are any', () => {
    const plan = makePlan(planRequest());
    const text = planText(plan, { ...surroundings, pace: { secondsPerEpisode: 40, split: null } });
    expect(text).toContain('67 min (40 s a valid episode in earlier runs here)');
    const split = { resetSeconds: 31.2, secondsPerStep: 0.0412 };
    expect(expectedDuration(plan, { secondsPerEpisode: 40, split })).toBe(
      '67 min (40 s a valid episode in earlier runs here: 31 s to reset, 41 ms a step, the rest from one session to the next)',
    );
  });

  it('keeps the language of a task on one line, whatever a server calls it', () => {
    const tasks = [{ taskId: 0, language: `a\n::error::boom\u001b[2J\u2028b\u202ec${'x'.repeat(4000)}` }];
    const text = planText(makePlan(planRequest({ tasks })), surroundings);
    expect(text).toMatch(/^ +0 {2}a ::error::boom\\u001b\[2J b\\u202ecx+…$/m);
    expect(text.split('\n').every((line) => line.length < 300)).toBe(true);
  });

  it('says of a task that nobody described that its language is not known', () => {
    const text = planText(makePlan(planRequest({ tasks: [{ taskId: 3, language: '' }] })), surroundings);
    expect(text).toMatch(/^ +3 {2}language not known before the server lists it$/m);
  });

  it('lists warnings, and only some of many tasks', () => {
    const tasks = Array.from({ length: 90 }, (_, taskId) => ({ taskId, language: 'x' }));
    const warning = {
      code: 'RB344',
      where: 'input tasks-file',
      message: 'the target has another language for task 3.',
      fix: 'Correct it.',
      severity: 'warning',
    } as const;
    const text = planText(makePlan(planRequest({ tasks })), { ...surroundings, warnings: [warning] });
    expect(text).toContain('… and 70 more');
    expect(text).toContain('warning: RB344 input tasks-file');
  });
});

describe('foresight', () => {
  it('sees smaller drops with more episodes', () => {
    const few = visibleDrops(makePlan(planRequest({ initStates: [0, 1, 2, 3, 4] })));
    const many = visibleDrops(
      makePlan(planRequest({ initStates: Array.from({ length: 50 }, (_, id) => id) })),
    );
    expect(many.suite).toBeLessThan(few.suite ?? 1);
    expect(many.suite).toBeLessThan(many.task ?? 1);
    expect(visibleDrops(makePlan(planRequest({ initStates: [0] }))).task).toBeNull();
  });

  it('warns of a run that must decide and has nothing to decide by, and of no other', () => {
    const { thresholds } = planRequest();
    const codes = (
      change: Partial<typeof thresholds>,
      baseline = 'auto',
      arms: readonly Arm[] = ['candidate'],
    ) => {
      const plan = makePlan(planRequest({ arms, thresholds: { ...thresholds, ...change } }));
      const known = { pace: null, baseline, pairsNeeded: 0, target: { id: 't', config: {} } };
      return foreseenProblems(plan, known).map(({ code }) => code);
    };
    const strict = { onInconclusive: 'fail', minSuccessRate: null, minTaskSuccessRate: null } as const;
    expect(codes(strict)).toEqual(['RB606']);
    expect(codes(strict, 'none')).toEqual(['RB606']);
    expect(codes(strict, 'path')).toEqual([]);
    expect(codes(strict, 'auto', ['candidate', 'baseline'])).toEqual([]);
    expect(codes({ ...strict, minSuccessRate: 0.9 })).toEqual([]);
    expect(codes({ ...strict, minTaskSuccessRate: 0.5 })).toEqual([]);
    // A pull request without a gate is as quiet as it was.
    expect(codes({ ...strict, onInconclusive: 'pass' })).toEqual([]);
  });
});

describe('texts', () => {
  it.each([
    [0, '0 s'],
    [0.42, '0.4 s'],
    [9.96, '10 s'],
    [89, '89 s'],
    [90, '2 min'],
    [3600, '60 min'],
    [7200, '2 h'],
    [7260, '2 h 1 min'],
    [200_000, '2 d 8 h'],
  ])('writes %d seconds as %s', (seconds, text) => expect(roughDuration(seconds)).toBe(text));

  it('writes ranges that read back as the same ids', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { minLength: 1 }), (ids) => {
        const sorted = [...new Set(ids)].sort((left, right) => left - right);
        expect(ranges.parse(idRanges(ids))).toEqual(sorted);
      }),
    );
  });
});

describe('what a run compares by itself', () => {
  it('is in the plan: second arm, recorded baseline, early stop', () => {
    const both = makePlan(planRequest({ arms: ['candidate', 'baseline'], aaTest: true }));
    expect(planText(both, surroundings)).toMatch(
      /baseline +the same policy again \(A\/A test\), margin 5 points/,
    );
    const recorded = makePlan(planRequest({ earlyStop: true, stopBaseline: 'ab'.repeat(32) }));
    expect(planText(recorded, surroundings)).toMatch(/baseline +recorded cells abababababab, margin/);
    expect(planText(recorded, surroundings)).toMatch(/early stop +floors as soon as they are certain/);
    expect(planText(makePlan(planRequest()), surroundings)).not.toMatch(/early stop|margin/);
  });
});
