import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../src/report/markdown.ts';
import { NO_CONTEXT } from '../../../../src/report/page/comparison.ts';
import { MAX_EPISODE_ROWS } from '../../../../src/report/page/episode-section.ts';
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

  it('has a cell for every episode and a row that can be linked to', () => {
    const page = reportPage(small);
    const ids = idsOf(page);
    expect(ids).toContain('ep-t2-i7-r0-candidate');
    expect(ids.filter((id) => id.startsWith('ep-'))).toHaveLength(30);
    expect(page.match(/href="#ep-/g)).toHaveLength(30);
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
    for (const { text } of raw)
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

  it('gives up successes before anything else when there are too many rows', () => {
    const records = Array.from({ length: MAX_EPISODE_ROWS + 500 }, (_, position) =>
      makeRecord(position, position % 10 === 0 ? 'failure' : 'success'),
    );
    const page = reportPage(makeReportInput({ records }));
    const rows = idsOf(page).filter((id) => id.startsWith('ep-'));
    expect(rows).toHaveLength(MAX_EPISODE_ROWS);
    const failures = rows.filter((id) => /-i\d*0-/.test(id));
    expect(failures).toHaveLength(350);
    expect(page).toContain('500 more episodes are in episodes.csv');
  });

  it('keeps a page of 2,000 episodes below 1.5 MB', () => {
    expect(reportPage(sampleRun({ tasks: 40, states: 50 })).length).toBeLessThan(1_500_000);
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
