import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { lastPassLevel } from '../../../src/verdict/early-stop-design.ts';
import { foreseenProblems } from '../../../src/verdict/foresight.ts';
import { pairsNeededForMargin } from '../../../src/verdict/margin-pairs.ts';
import { visibleDrops } from '../../../src/verdict/visible-drop.ts';
import { planOf } from './records.ts';

const TARGET = { id: 'sim', config: {} };
const said = (plan: Plan, baseline: string) =>
  foreseenProblems(plan, {
    pace: null,
    baseline,
    pairsNeeded: pairsNeededForMargin(plan.thresholds.maxRegression, lastPassLevel(plan)),
    target: TARGET,
  }).filter(({ code }) => code === 'RB660');

describe('a plan that cannot PASS when nothing has changed', () => {
  const arms = ['candidate', 'baseline'] as const;

  it('is told with the number that would do, fixed and with an early stop', () => {
    expect(said(planOf({ tasks: 2, initStates: 29, arms }), 'auto')[0]).toMatchObject({
      severity: 'warning',
      fix: expect.stringMatching(
        /at least 59 pairs.*init-states 0-29 \(30 initial states of each of 2 tasks\)/,
      ),
    });
    expect(said(planOf({ tasks: 10, initStates: 5, arms }), 'auto')[0]).toMatchObject({
      fix: expect.stringContaining('init-states 0-5 (6 initial states of each of 10 tasks)'),
    });
    expect(said(planOf({ tasks: 10, initStates: 5, arms }), 'auto')[0]?.value).toBeUndefined();
    expect(said(planOf({ tasks: 1, initStates: 59, arms }), 'auto')).toEqual([]);
    const early: Plan = {
      ...planOf({ tasks: 1, initStates: 60, arms }),
      earlyStop: true,
      stopDesign: 'looks',
    };
    // 61 agreeing pairs have a p of 0.047, and the last look asks 0.045.
    expect(said(early, 'auto')[0]?.fix).toContain('at least 62');
    const enough = planOf({ tasks: 1, initStates: 62, arms });
    expect(said({ ...enough, earlyStop: true, stopDesign: 'looks' }, 'auto')).toEqual([]);
    expect(said({ ...early, earlyStop: false }, 'auto')).toEqual([]);
  });

  it('counts initial states and not their repeats', () => {
    expect(said(planOf({ tasks: 2, initStates: 20, repeats: 5, arms }), 'none').length).toBe(1);
    const once = planOf({ tasks: 2, initStates: 20 });
    expect(visibleDrops({ ...once, repeats: 5 })).toEqual(visibleDrops(once));
  });

  it('is a condition where a baseline may turn up, and nothing where none can', () => {
    const plan = planOf({ tasks: 2, initStates: 10 });
    expect(said(plan, 'auto')[0]?.message).toContain('if there is an accepted run');
    expect(said(plan, 'path')[0]?.message).toMatch(/^this plan cannot PASS/);
    expect(said(plan, 'count')).toEqual([]);
    expect(said(plan, 'none')).toEqual([]);
  });
});
