import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../src/report/markdown.ts';
import { NO_CONTEXT } from '../../../../src/report/page/comparison.ts';
import type { EpisodeData } from '../../../../src/report/page/episode-data.ts';
import { MAX_FAILED } from '../../../../src/report/page/notable.ts';
import { reportPage } from '../../../../src/report/page/report-page.ts';
import { headlinesOf } from '../../../../src/report/view/headlines-view.ts';
import { reportView } from '../../../../src/report/view/report-view.ts';
import { makeRecord } from '../../results/record-builder.ts';
import { HOSTILE_NAMES, hostileText } from '../hostile.ts';
import { makeReportInput } from '../report-builder.ts';
import { parseMarkup } from './browserless.ts';
import { sampleRun } from './sample-run.ts';

const small = sampleRun({ tasks: 3, states: 10 });
const idsOf = (page: string) =>
  parseMarkup(page).tags.flatMap(({ attributes }) => attributes.get('id') ?? []);

describe('report.html', () => {
  it('says verdict and why before anything else', () => {
    const page = reportPage(small);
    const main = page.slice(page.indexOf('<main'));
    expect(main.indexOf('<b>FAIL</b>')).toBeLessThan(main.indexOf('Success rate'));
    expect(main.indexOf('Task 4 reaches 62.0%')).toBeLessThan(main.indexOf('Success rate'));
  });

  it('has a cell for every episode, data of it, and a row for each without success that can be linked to', () => {
    const page = reportPage(small);
    const ids = idsOf(page);
    const without = small.records.filter(({ outcome }) => outcome !== 'success');
    expect(ids.filter((id) => id.startsWith('ep-'))).toHaveLength(without.length);
    expect(page.match(/ data-e="/g)).toHaveLength(30);
    expect(page.match(/href="#ep-/g)).toHaveLength(without.length);
    expect(dataOf(page).rows).toHaveLength(30);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('links inside itself only to what is there', () => {
    const page = reportPage(small);
    const ids = new Set(idsOf(page));
    const targets = parseMarkup(page).tags.flatMap(({ attributes }) => attributes.get('href') ?? []);
    const inner = targets.filter((target) => target.startsWith('#'));
    expect(inner.filter((target) => !ids.has(target.slice(1)))).toEqual([]);
  });

  it('allows exactly the scripts and styles it carries, and no address', () => {
    const { tags, raw } = parseMarkup(reportPage(small));
    const policy = tags.find(({ attributes }) => attributes.get('http-equiv') === 'Content-Security-Policy');
    const content = policy?.attributes.get('content') ?? '';
    expect(content).toMatch(/^default-src 'none'; /);
    expect(content).not.toMatch(/unsafe|https?:|\*/);
    const runs = raw.filter(({ tag }) => tag.attributes.get('type') !== 'application/json');
    expect(runs).toHaveLength(2);
    for (const { text } of runs)
      expect(content).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    expect(tags.filter(({ attributes }) => attributes.has('style') || attributes.has('src'))).toEqual([]);
  });

  it('is the same for the same input', () => {
    expect(reportPage(sampleRun({ tasks: 3, states: 10 }))).toBe(reportPage(small));
  });

  it('prints rates and steps as the Markdown report does', () => {
    const view = reportView(small);
    const page = reportPage(small);
    const markdown = renderMarkdown(view);
    const tasks = view.arms.flatMap((arm) => arm.tasks);
    // Among them a median that is a half: rounding it differently in two places is what must not happen.
    expect(tasks.map(({ steps }) => steps).join(' ')).toMatch(/\d\.5\b/);
    for (const { rate, interval, steps, episodeReturn } of tasks)
      for (const text of [rate, interval, steps, episodeReturn]) {
        expect(page).toContain(`>${text}<`);
        expect(markdown).toContain(`| ${text} |`);
      }
    const [median = ''] = (view.arms[0]?.metrics[1]?.median ?? '').split(' ');
    expect(page).toContain(`<dt>Steps to success, median</dt><dd><b>${median}</b>`);
    expect(headlinesOf(small.results)[0]).toContain(`median ${view.arms[0]?.metrics[1]?.median}`);
  });

  it('never shows unknown as 0', () => {
    const page = reportPage(makeReportInput({ records: [makeRecord(0, 'not_run'), makeRecord(1, 'error')] }));
    expect(page).toContain('<b>no valid episode</b>');
    const tasks = page.slice(page.indexOf('<section id="tasks"'), page.indexOf('<section id="grid"'));
    expect(tasks).toContain('no valid episode');
    expect(tasks).not.toMatch(/0\.0%|rb-whisker/);
  });

  it('marks what changed against the baseline, cell by cell', () => {
    const cells = [makeRecord(0, 'success'), makeRecord(1, 'failure'), makeRecord(2, 'success')];
    const before = [makeRecord(0, 'success'), makeRecord(1, 'success'), makeRecord(2, 'failure')];
    const page = reportPage(makeReportInput({ records: cells }), { ...NO_CONTEXT, baseline: before });
    expect(page).toContain('aria-label="task 0, state 0: success"');
    expect(page).toContain('aria-label="task 0, state 1: failure, regressed"');
    expect(page).toContain('aria-label="task 0, state 2: success, fixed"');
    expect(page).toContain('66.7% (2/3)');
  });

  it('shows what an assessment says about the baseline', () => {
    const comparison = {
      baseline: 'main at 1a2b3c4',
      baselineRate: '97.0% (485/500)',
      change: '−4.0 (−6.4 to −2.0)',
      regressed: 25,
      fixed: 5,
      rows: [{ label: 'P(candidate worse)', value: '> 0.999', code: false }],
    };
    const input = makeReportInput({ records: [makeRecord(0, 'success')], input: { comparison } });
    const page = reportPage(input, { ...NO_CONTEXT, baseline: [makeRecord(0, 'success')] });
    expect(page).toContain('<b>−4.0</b> <span>(−6.4 to −2.0)</span>');
    expect(page).toContain('25 regressed, 5 fixed against');
    expect(page).toContain('P(candidate worse)');
    // A published count has no cells: nothing is said of what regressed.
    expect(reportPage(input)).not.toContain('25 regressed');
  });

  it('takes the second arm of a run as the baseline', () => {
    const page = reportPage(sampleRun({ tasks: 5, states: 10, arms: ['candidate', 'baseline'] }));
    expect(page).toContain('Tasks, baseline');
    expect(page).toMatch(/task 4, state \d+: failure, regressed/);
  });

  it('lists what regressed, and failures up to a bound, for those without scripts', () => {
    const records = Array.from({ length: 4_000 }, (_, position) =>
      makeRecord(position, position % 4 === 0 ? 'failure' : 'success'),
    );
    const before = records.map((record) =>
      record.position % 8 === 0 ? { ...record, outcome: 'success' as const } : record,
    );
    const page = reportPage(makeReportInput({ records }), { ...NO_CONTEXT, baseline: before });
    const rows = idsOf(page).filter((id) => id.startsWith('ep-'));
    // Every 8th regressed, and of the other failures not more than the bound.
    expect(rows.filter((id) => Number(/-i(\d+)-/.exec(id)?.[1]) % 8 === 0)).toHaveLength(500);
    expect(rows).toHaveLength(500 + MAX_FAILED);
    expect(page).not.toContain('more did not succeed');
    expect(reportPage(makeReportInput({ records }))).toContain('500 more did not succeed either.');
  });

  it('keeps a page of 10,000 episodes below 1.5 MB, also when each has an error of its own', () => {
    const sizes = { tasks: 100, states: 100 };
    expect(Buffer.byteLength(reportPage(sampleRun(sizes)))).toBeLessThan(1_500_000);
    const records = sampleRun(sizes).records.map((record) => ({
      ...record,
      outcome: 'error' as const,
      errorMessage: `${record.position} ${'<&> '.repeat(200)}`,
    }));
    const input = { ...sampleRun(sizes), records };
    expect(Buffer.byteLength(reportPage(input))).toBeLessThan(1_500_000);
  });

  it('tells the same of an episode to its script as to everybody else', () => {
    const record = makeRecord(0, 'failure', {
      episodeReturn: 0.125,
      policyLatencyMs: 41.25,
      durationMs: 5050,
    });
    const { rows, session, texts } = dataOf(reportPage(makeReportInput({ records: [record] })));
    const [row] = rows;
    // Halves up, as in the Markdown report.
    expect(row?.slice(6, 10)).toEqual([280, 0.13, 41.3, 5.1]);
    expect(`${session}${row?.[12]}`).toBe(record.sessionId);
    expect(texts[0]).toBe('');
  });

  it('writes the common beginning of sessions without half a number, which would name another cell', () => {
    const records = [20, 21].map((initStateId) =>
      makeRecord(1, 'failure', { initStateId, sessionId: `rb-x-t01-i0${initStateId}-r0-candidate-a0` }),
    );
    const { rows, session } = dataOf(reportPage(makeReportInput({ records })));
    expect(session).toBe('rb-x-t01-');
    expect(rows.map((row) => `${session}${row[12]}`)).toEqual(records.map(({ sessionId }) => sessionId));
  });

  it('opens no address that is none', () => {
    const links = [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      'https://ok.example/run/1',
      '../index.html',
    ];
    const page = reportPage(small, {
      ...NO_CONTEXT,
      links: links.map((address) => ({ label: 'go', address })),
    });
    const targets = parseMarkup(page)
      .tags.filter(({ name }) => name === 'a')
      .map(({ attributes }) => attributes.get('href') ?? '');
    expect(targets.filter((target) => !target.startsWith('#'))).toEqual([
      'https://ok.example/run/1',
      '../index.html',
    ]);
  });
});

describe('foreign text in report.html', () => {
  it('never becomes markup, wherever it stands', () => {
    const expected = shapeOf('plain');
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(shapeOf(text)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
    for (const name of HOSTILE_NAMES) expect(shapeOf(name)).toEqual(expected);
  });
});

/** What the page's script reads. */
function dataOf(page: string): EpisodeData {
  const found = parseMarkup(page).raw.find(({ tag }) => tag.attributes.get('id') === 'episode-data');
  return JSON.parse(found?.text ?? '');
}

/** Tags and attribute names of a page whose every free text is `text` (behind a letter, so that none is empty). */
function shapeOf(text: string): readonly string[] {
  const foreign = `x${text}`;
  const cell = {
    language: foreign,
    errorMessage: foreign,
    errorCode: foreign,
    notes: [foreign],
    sessionId: foreign,
  };
  const page = reportPage(
    makeReportInput({
      records: [makeRecord(0, 'error', cell), makeRecord(1, 'success', cell)],
      plan: { suite: foreign, benchmark: foreign, skillruntime: foreign },
      run: { runId: foreign, target: { id: foreign, endpoint: foreign, kind: null }, host: { gpu: foreign } },
      input: {
        decision: {
          verdict: 'FAIL',
          reasons: [{ code: 'x', text: foreign }],
          warnings: [{ code: 'y', text: foreign }],
        },
      },
    }),
    {
      comparison: { baseline: foreign, baselineRate: foreign, change: foreign, regressed: 1, fixed: 0 },
      baseline: null,
      links: [{ label: foreign, address: 'https://ok.example' }],
    },
  );
  return parseMarkup(page).tags.map(({ name, attributes }) => [name, ...attributes.keys()].join(' '));
}
