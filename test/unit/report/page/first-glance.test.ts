import { describe, expect, it } from 'vitest';
import { NO_CONTEXT, type PageContext } from '../../../../src/report/page/comparison.ts';
import { reportPage } from '../../../../src/report/page/report-page.ts';
import type { ReportInput } from '../../../../src/report/view/report-input.ts';
import { ruleRows } from '../../../../src/report/view/rules-view.ts';
import { timeSplit } from '../../../../src/report/view/time-view.ts';
import { makeRecord } from '../../results/record-builder.ts';
import { makeReportInput, type Parts } from '../report-builder.ts';

const DROP = { baseline: 'main', baselineRate: '90.0% (9/10)', regressed: 4, fixed: 0, facts: [] };
const reason = (code: string) => ({ code, text: `says ${code}` });

function pageOf(parts: Parts, around: Partial<PageContext> = {}): string {
  return reportPage(makeReportInput({ ...parts, input: { provisional: false, ...parts.input } }), {
    ...NO_CONTEXT,
    ...around,
  });
}

const section = (page: string, id: string): string =>
  page.slice(page.indexOf(`id="${id}"`)).split('</section>')[0] ?? '';
const answerOf = (page: string): string =>
  /<p class="answer">(.*?)<\/p>/.exec(page)?.[1]?.replace(/<[^>]+>/g, '') ?? '';

const failed: ReportInput['decision'] = { verdict: 'FAIL', reasons: [reason('regression')], warnings: [] };
const passed: ReportInput['decision'] = { verdict: 'PASS', reasons: [reason('not_inferior')], warnings: [] };

describe('the first line of the page', () => {
  const records = [makeRecord(0, 'success'), makeRecord(1, 'failure')];

  it.each([
    [
      '−38.0 (−45.1 to −30.2)',
      failed,
      'Worse by 38.0 points 95 % −45.1 to −30.2, against main: 50.0% (1/2), before 90.0% (9/10)',
    ],
    [
      '−2.0 (−5.0 to +1.0)',
      passed,
      'Lower by 2.0 points: not worse 95 % −5.0 to +1.0, against main: 50.0% (1/2), before 90.0% (9/10)',
    ],
    [
      '+3.0 (−1.0 to +7.0)',
      passed,
      'Higher by 3.0 points: not worse 95 % −1.0 to +7.0, against main: 50.0% (1/2), before 90.0% (9/10)',
    ],
    [
      '0.0 (−1.0 to +1.0)',
      passed,
      'The same rate: not worse 95 % −1.0 to +1.0, against main: 50.0% (1/2), before 90.0% (9/10)',
    ],
    ['–', passed, 'Change unknown: not worse against main: 50.0% (1/2), before 90.0% (9/10)'],
  ])('says how much a change of %s is', (change, decision, said) => {
    const comparison = { ...DROP, change, rows: [] };
    expect(answerOf(pageOf({ records, input: { decision, comparison } }))).toBe(said);
  });

  it('is the rate alone where nothing was compared', () => {
    expect(answerOf(pageOf({ records }))).toBe('50.0% (1/2) success rate, 95 % interval 9.5–90.5 %');
    expect(answerOf(pageOf({ records: [makeRecord(0, 'error')] }))).toBe('no valid episode no success rate');
  });

  it('says that a run became the baseline, in place of a verdict that decides nothing', () => {
    const decision: ReportInput['decision'] = {
      verdict: 'INCONCLUSIVE',
      reasons: [reason('no_gate')],
      warnings: [],
    };
    const lead = pageOf({ records, input: { decision } }, { accepted: true });
    expect(lead).toContain('<b>BASELINE SET</b>');
    expect(lead).not.toContain('<b>INCONCLUSIVE</b>');
    expect(pageOf({ records, input: { decision } })).toContain('<b>INCONCLUSIVE</b>');
  });
});

describe('rules', () => {
  it.each([
    ['met', 'floor_reached'],
    ['met', 'heldout_task_floor_reached'],
    ['met', 'average_not_inferior'],
    ['met', 'drop_inside_margin'],
    ['missed', 'floor_missed'],
    ['missed', 'anchor_regression'],
    ['missed', 'heldout_floor'],
    ['missed', 'tasks_dropped'],
    ['missed', 'early_floor_fail'],
    ['open', 'cannot_tell_among_several'],
    ['open', 'floor_not_proven'],
    ['open', 'no_gate'],
    ['open', 'early_non_inferiority_open'],
    ['said', 'unpaired'],
  ])('%s: %s', (state, code) => {
    expect(ruleRows({ verdict: 'FAIL', reasons: [reason(code)], warnings: [] })).toEqual([
      { state, text: `says ${code}` },
    ]);
  });

  it('of a run that cannot be used are not missed', () => {
    const [row] = ruleRows({ verdict: 'INVALID', reasons: [reason('incomplete')], warnings: [] });
    expect(row?.state).toBe('broken');
  });

  it('have a sign, and a word for those who hear the page', () => {
    const page = pageOf({ records: [makeRecord(0, 'success')], input: { decision: failed } });
    expect(page).toContain(
      '<li class="r-missed"><span class="sign" aria-hidden="true">✗</span><span class="hidden">missed: </span>',
    );
  });
});

describe('the table of tasks', () => {
  const records = [
    makeRecord(0, 'success', { taskId: 0, initStateId: 0 }),
    makeRecord(1, 'failure', { taskId: 1, initStateId: 0 }),
    makeRecord(2, 'error', { taskId: 1, initStateId: 1 }),
    makeRecord(3, 'failure', { taskId: 2, initStateId: 0 }),
  ];
  const before = [
    makeRecord(0, 'success', { taskId: 0, initStateId: 0 }),
    makeRecord(1, 'success', { taskId: 1, initStateId: 0 }),
    makeRecord(2, 'success', { taskId: 1, initStateId: 1 }),
    makeRecord(3, 'failure', { taskId: 2, initStateId: 0 }),
  ];
  const order = (page: string): string[] =>
    [...section(page, 'tasks').matchAll(/<tr><td class="n">(\d+)</g)].map(([, id = '']) => id);

  it('begins with what fell most, on the cells that both sides have', () => {
    const page = pageOf({ records }, { baseline: before });
    expect(order(page)).toEqual(['1', '2', '0']);
    // Of the two cells of the task one has no result now, and is no change.
    expect(section(page, 'tasks')).toContain('data-key="-100">−100.0<');
  });

  it('begins with the lowest rate where nothing was compared', () => {
    expect(order(pageOf({ records }))).toEqual(['1', '2', '0']);
    expect(section(pageOf({ records }), 'tasks')).not.toContain('Change');
  });

  it('has no column of dashes', () => {
    const silent = { steps: null, episodeReturn: null };
    const page = pageOf({ records: [makeRecord(0, 'success', silent), makeRecord(1, 'failure', silent)] });
    expect(section(page, 'tasks')).not.toMatch(/Return|Steps to success|Not counted/);
    expect(section(pageOf({ records }), 'tasks')).toMatch(/Steps to success.*Return.*Not counted/);
  });

  it('comes before the warnings', () => {
    const decision = { ...passed, warnings: [reason('gpu_shared')] };
    const page = pageOf({ records, input: { decision } });
    expect(page.indexOf('id="tasks"')).toBeLessThan(page.indexOf('says gpu_shared'));
  });
});

describe('what is read seldom', () => {
  it('is folded, and what is not known has one line', () => {
    const page = section(
      pageOf({ records: [makeRecord(0, 'success')], run: { startedAt: null, sealedAt: null } }),
      'setup',
    );
    expect(page).toContain('<details class="fold"><summary>');
    expect(page).toMatch(/Not known: .*Started.*, .*Sealed/);
    expect(page).not.toContain('<bdi>unknown</bdi>');
  });
});

describe('where the time went', () => {
  const row = { policyCalls: 4, policyLatencyMs: 250, durationMs: 5000 };
  const split = (records: readonly ReturnType<typeof makeRecord>[], wallMs: number | null, run = {}) => {
    const { results } = makeReportInput({ records, run });
    const time = { ...results.time, wallMs };
    return timeSplit({ ...results, time }, records).map(({ value }) => value);
  };

  it('is told apart into policy, simulator and waiting', () => {
    const records = [makeRecord(0, 'success', row), makeRecord(1, 'failure', row)];
    expect(split(records, 12_000)).toEqual(['2.0 s', '8.0 s', '2.0 s']);
  });

  it('is unknown where a part of it is', () => {
    const open = [makeRecord(0, 'success', row), makeRecord(1, 'error', { ...row, policyCalls: null })];
    expect(split(open, 12_000)).toEqual(['–', '–', '2.0 s']);
    expect(split([makeRecord(0, 'success', row)], 12_000, { attempt: 2 })).toEqual(['–', '–', '–']);
    // Several simulators at once.
    expect(split([makeRecord(0, 'success', row)], 3_000)).toEqual(['1.0 s', '4.0 s', '–']);
    expect(split([], 3_000)).toEqual(['–', '–', '–']);
  });
});
