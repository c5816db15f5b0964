import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../src/model/journal-events.ts';
import { type Results, resultsSchema } from '../../../src/model/results.ts';
import { headlinesOf, stopTexts } from '../../../src/report/view/headlines-view.ts';
import { limitsOf } from '../../../src/report/view/limits-view.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import { withStop } from '../../../src/verdict/early-stop-records.ts';
import { planOf, recordsOf } from '../verdict/records.ts';
import { makeRunFacts } from './record-builder.ts';

const plan = { ...planOf({ tasks: 4, initStates: 10 }), earlyStop: true };
const stop: JournalEvent = {
  type: 'early_stop',
  decision: 'FAIL',
  prefix: 6,
  planned: 40,
  skipped: 0,
  successes: 1,
  valid: 6,
  pairs: 0,
  regressed: 0,
  fixed: 0,
  gates: [{ gate: 'floor', state: 'fail', worse: null, notInferior: null }],
};

function resultsWith(events: readonly JournalEvent[]): Results {
  const ran = recordsOf(plan, (place) =>
    place === 2 ? 'success' : place < 7 ? 'failure' : place === 7 ? 'cancelled' : 'not_run',
  );
  const journal = events.map((event, seq) => ({ seq, at: '', prev: '0'.repeat(64), event }));
  const records = events.includes(stop) ? withStop(plan, ran, 6) : ran;
  return aggregate({ plan, records, run: makeRunFacts(), journal });
}

describe('results of a run that stopped early', () => {
  const results = resultsWith([stop]);

  it('count over the prefix alone, and say what was saved', () => {
    expect(resultsSchema.parse(results)).toEqual(results);
    expect(results.earlyStop).toMatchObject({
      stopped: { decision: 'FAIL', prefix: 6, cells: 40, notRun: 33, afterStop: 1 },
    });
    expect(results.arms[0]).toMatchObject({
      planned: 40,
      recorded: 6,
      valid: 6,
      unneeded: 34,
      successRate: { k: 1, n: 6 },
      rateOverPlanned: { k: 1, n: 6 },
      outcomes: { success: 1, failure: 5, after_stop: 1, not_run: 33, cancelled: 0 },
    });
    const tasks = results.arms[0]?.tasks ?? [];
    expect(tasks.map(({ valid, unneeded }) => [valid, unneeded])).toEqual([
      [2, 8],
      [2, 8],
      [1, 9],
      [1, 9],
    ]);
  });

  it('are told in words, with their lean', () => {
    expect(stopTexts(results)).toEqual([
      'Stopped early: FAIL was proven after 6 of 40 cells in planned order. 33 of 40 episodes (82.5%) were not run; 1 was at work or done already and does not count.',
    ]);
    const limits = limitsOf(results).join('\n');
    expect(limits).toContain('lean towards that verdict');
    expect(limits).not.toContain('have no valid outcome');
    expect(headlinesOf(results)[0]).toContain('6 valid of 6 recorded and 40 planned episodes');
  });

  it('tell an allowed stop that never came from a run that could not stop', () => {
    expect(stopTexts(resultsWith([]))).toEqual([expect.stringContaining('nothing was proven')]);
    const plain = planOf({ tasks: 1, initStates: 2 });
    const whole = aggregate({
      plan: plain,
      records: recordsOf(plain, () => 'success'),
      run: makeRunFacts(),
      journal: [],
    });
    expect(whole.earlyStop).toBeNull();
    expect(stopTexts(whole)).toEqual([]);
  });
});

it('what nobody said to have planned is not called planned', () => {
  const results = resultsWith([]);
  const collected = {
    ...{ targets: ['sim'], goals: [], from: null, until: null, group: 1, groups: 1, chosen: [], stated: {} },
  };
  const said = (planned: string | null) =>
    headlinesOf({
      ...results,
      run: { ...results.run, evidenceClass: 'unplanned', collected: { ...collected, planned } },
    })[0];
  expect(said(null)).toMatch(/valid of \d+ recorded episodes; how many were planned is unknown/);
  expect(said('4x10')).toMatch(/recorded and 40 planned/);
});
