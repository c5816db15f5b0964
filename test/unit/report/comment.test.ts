import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommentForm, commentMarkdown, sayUnchanged } from '../../../src/report/comment/comment.ts';
import {
  COMMENT_BUDGET_BYTES,
  COMMENT_BUDGET_UNITS,
  type CommentInput,
  type CommentSuite,
} from '../../../src/report/comment/comment-input.ts';
import { comparisonView } from '../../../src/report/comment/comparison.ts';
import { withinUnits } from '../../../src/report/comment/ladder.ts';
import {
  type CommentMarker,
  markerKey,
  markerLine,
  mayReplace,
  parseMarker,
} from '../../../src/report/comment/marker.ts';
import { comparisonReport } from '../../../src/report/view/comparison-view.ts';
import { reportView } from '../../../src/report/view/report-view.ts';
import { assess } from '../../../src/verdict/from-records.ts';
import { makeRecord } from '../results/record-builder.ts';
import { planOf, recordsOf } from '../verdict/records.ts';
import { hostileText } from './hostile.ts';
import { makeReportInput, makeView } from './report-builder.ts';

const HEAD = 'a'.repeat(40);
const marker = (changes: Partial<CommentMarker> = {}): CommentMarker => ({
  key: 'default',
  runId: 100,
  attempt: 1,
  head: HEAD,
  state: 'finished',
  ...changes,
});

function input(suites: readonly CommentSuite[], changes: Partial<CommentInput> = {}): CommentInput {
  return {
    marker: marker(),
    verdict: 'FAIL',
    suites,
    average: null,
    runUrl: 'https://github.com/acme/robots/actions/runs/1',
    artifactUrl: null,
    reportUrl: null,
    unauthenticated: false,
    warnings: [],
    rerun: (suite, { taskId, initStateId }) =>
      `rollout-bench run --suite ${suite} --tasks ${taskId} --init-states ${initStateId}`,
    ...changes,
  };
}
const suiteOf = (
  records: Parameters<typeof makeView>[0]['records'],
  changes: Partial<CommentSuite> = {},
): CommentSuite => ({
  view: makeView({ records }),
  comparison: null,
  pageUrl: null,
  ...changes,
});

const FORMS: readonly CommentForm[] = ['short', 'full'];

describe('the comment', () => {
  test('has its marker on the first line, then verdict, table, worst task first, episodes with their command', () => {
    const records = [
      makeRecord(0, 'success'),
      makeRecord(1, 'success'),
      makeRecord(2, 'success', { taskId: 4 }),
      makeRecord(3, 'failure', { taskId: 4, initStateId: 8 }),
    ];
    const text = commentMarkdown(
      input([suiteOf(records, { pageUrl: 'https://acme.github.io/robots/r.html' })]),
      'full',
    );
    expect(parseMarker(text)).toMatchObject(marker());
    expect(text).toContain('## ❌ Benchmark of libero_spatial: FAIL');
    expect(text).toContain('75.0% (3/4)');
    expect(text.indexOf('| 4 | a task | 50.0% (1/2)')).toBeLessThan(
      text.indexOf('| 0 | a task | 100.0% (2/2)'),
    );
    expect(text).toContain(
      '[task 4, initial state 8, run 0](https://acme.github.io/robots/r.html#cell-t4-i8-r0-candidate)',
    );
    expect(text).toContain('`rollout-bench run --suite libero_spatial --tasks 4 --init-states 8`');
    expect(text).toContain('[workflow run](https://github.com/acme/robots/actions/runs/1)');
  });

  test('compares with the baseline and lists regressed episodes instead of all failed ones', () => {
    const records = [makeRecord(0, 'failure'), makeRecord(1, 'failure'), makeRecord(2, 'success')];
    const before = [makeRecord(0, 'success'), makeRecord(1, 'failure'), makeRecord(2, 'failure')];
    const words = {
      baseline: 'main at 1a2b',
      baselineRate: '33.3% (1/3)',
      change: '0.0 (−70 to 70)',
      regressed: 1,
      fixed: 1,
    };
    const comparison = comparisonView(makeReportInput({ records }), {
      comparison: words,
      baseline: before,
      links: [],
    });
    const text = commentMarkdown(input([suiteOf(records, { comparison })]));
    expect(text).toContain('compared with main at 1a2b');
    expect(text).toContain('1 of 1 regressed episodes');
    expect(text).toContain('was 1/3; 1 regressed, 1 fixed');
    expect(text).not.toContain('--init-states 1`');
  });

  test('says what a published count can and cannot show', () => {
    const plan = planOf({ tasks: 5, initStates: 20 });
    const records = recordsOf(plan, (place) => (place % 4 === 0 ? 'failure' : 'success'));
    const baseline = {
      kind: 'published',
      name: 'the published count 97/100',
      successes: 97,
      n: 100,
    } as const;
    const words = comparisonReport(assess(plan, records, { baseline }));
    const comparison = comparisonView(makeReportInput({ records }), {
      comparison: words,
      baseline: null,
      links: [],
    });
    const text = commentMarkdown(input([suiteOf(records, { comparison })]));
    expect(text).toContain('97.0% (97/100)');
    expect(text).toContain('−22.0');
    expect(text).toMatch(/; initial states are not matched\. What decides are the p values of the reason/);
    expect(text).not.toContain('0 / 0');
    expect(text).not.toContain('not compared');
  });

  test('lists at most ten episodes and says of how many', () => {
    const records = Array.from({ length: 500 }, (_, n) => makeRecord(n, 'failure'));
    const text = commentMarkdown(input([suiteOf(records)]));
    expect(text.match(/^- task/gm)).toHaveLength(10);
    expect(text).toContain('10 of 500 episodes without success');
  });

  test('says running, interrupted and from a fork', () => {
    const running = commentMarkdown(input([], { marker: marker({ state: 'running' }), verdict: '' }));
    expect(running).toContain('is running');
    for (const form of FORMS) {
      const cut = commentMarkdown(
        input([suiteOf([makeRecord(0, 'success')])], {
          marker: marker({ state: 'interrupted' }),
          unauthenticated: true,
        }),
        form,
      );
      expect(cut).toMatch(/interrupted: what was measured until then/i);
      expect(cut).toContain('From a fork: these results are not authenticated.');
    }
  });

  test('with hostile names keeps its marker, one heading per suite, and neither mentions nor references', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (language, message) => {
        const records = [
          makeRecord(0, 'failure', { language }),
          makeRecord(1, 'error', { language, errorMessage: message, errorCode: 'X' }),
        ];
        for (const form of FORMS) {
          const text = commentMarkdown(input([suiteOf(records)], { warnings: [message] }), form);
          expect(parseMarker(text)).toMatchObject(marker());
          expect(text.match(/^#/gm)).toHaveLength(2);
          expect(text).not.toMatch(/@\w/);
          expect(text).not.toContain('<script');
          expect(text).not.toContain('<img');
        }
      }),
      { numRuns: 200 },
    );
  });

  test('always fits, and always shows verdict and worst task', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 130 }),
        hostileText,
        (suites, tasks, language) => {
          const records = Array.from({ length: tasks }, (_, n) =>
            makeRecord(n, n === 3 ? 'failure' : 'success', { taskId: n, language }),
          );
          const text = commentMarkdown(input(Array.from({ length: suites }, () => suiteOf(records))), 'full');
          expect(text.length).toBeLessThanOrEqual(COMMENT_BUDGET_UNITS);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(COMMENT_BUDGET_BYTES);
          expect(text).toContain(': FAIL');
          if (tasks > 3) expect(text.match(/\| 3 \||Worst task: 3 /g)).toHaveLength(suites);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('a hundred suites of hostile names still fit', () => {
    const records = [makeRecord(0, 'failure', { language: '|'.repeat(300), suite: '|'.repeat(300) })];
    const text = commentMarkdown(
      input(
        Array.from({ length: 100 }, () => suiteOf(records)),
        { warnings: Array(50).fill('|'.repeat(300)) },
      ),
      'full',
    );
    expect(text.length).toBeLessThanOrEqual(COMMENT_BUDGET_UNITS);
    expect(text).toContain(': FAIL');
  });
});

/** What is read without unfolding anything, without the marker. */
const unfolded = (text: string): string =>
  text
    .replace(/<details>[\s\S]*<\/details>/, '')
    .split('\n')
    .slice(1)
    .join('\n');

describe('the short comment', () => {
  /** Ten tasks of ten initial states; the first `tasks` of them lose `lost` states that the baseline won. */
  const compared = (tasks: number, lost: number): CommentSuite => {
    const plan = planOf({ tasks: 10, initStates: 10 });
    const fails = (place: number): boolean => place % 10 < tasks && Math.floor(place / 10) < lost;
    const records = recordsOf(plan, (place) => (fails(place) ? 'failure' : 'success'));
    const before = recordsOf(plan, () => 'success');
    const baseline = { kind: 'records', name: 'main at 1a2b', records: before, differing: [] } as const;
    const assessment = assess(plan, records, { baseline });
    const words = comparisonReport(assessment);
    const report = makeReportInput({ records, plan, input: { decision: assessment.decision } });
    return {
      view: reportView(report),
      comparison: comparisonView(report, { comparison: words, baseline: before, links: [] }),
      pageUrl: 'https://acme.github.io/robots/r.html',
    };
  };

  test('says verdict, rate, change with interval and what it means in its first line', () => {
    const text = unfolded(commentMarkdown(input([compared(1, 7)])));
    expect(text).toMatch(
      /^### ❌ FAIL: libero_goal 93\.0% \(93\/100\), −7\.0 \(.* to .*\) points against main at 1a2b: worse\n/,
    );
    expect(text).toMatch(/\| 0 .* \| 10\/10 \| 30\.0% \(3\/10\) \| 7 \/ 0 \|/);
    expect(text).toContain('[page](https://acme.github.io/robots/r.html)');
    expect(text).toMatch(
      /rerun one that regressed: `rollout-bench run --suite libero_goal --tasks 0 --init-states 0`/,
    );
  });

  test('leads from a task that fell to an episode that shows why, and says the same whatever the address', () => {
    const [first, second] = ['https://a.example/1', 'https://a.example/2'].map((pageUrl) =>
      commentMarkdown(input([{ ...compared(1, 7), pageUrl }])),
    );
    expect(first).toContain('[see why](https://a.example/1#cell-t0-i0-r0-candidate)');
    expect(parseMarker(first ?? '')?.said).toBe(parseMarker(second ?? '')?.said);
  });

  test.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [10, 3],
  ])('of %i tasks that fell shows %i, and how many more', (tasks, shown) => {
    const text = unfolded(commentMarkdown(input([compared(tasks, 4)])));
    expect(text.match(/ \/ 0 \|$/gm) ?? []).toHaveLength(shown);
    expect(text.includes('more tasks fell')).toBe(tasks > shown);
  });

  test('of a PASS is a line and where to look', () => {
    const text = unfolded(commentMarkdown(input([compared(0, 0)], { verdict: 'PASS' })));
    expect(text).toMatch(
      /^### ✅ PASS: libero_goal 100\.0% \(100\/100\), 0\.0 \(.*\) points .*: not worse\n/,
    );
    expect(text.split('\n').filter((line) => line.trim() !== '').length).toBe(3);
  });

  test('has a line for each of several suites, and the worst tasks of all', () => {
    const text = unfolded(commentMarkdown(input([compared(1, 3), compared(2, 8)])));
    expect(text).toMatch(/^### ❌ FAIL: 2 suites\n/);
    expect(text.match(/^- ❌|^- ❔|^- ✅/gm)).toHaveLength(2);
    expect(text.match(/ \/ 0 \|$/gm)).toHaveLength(3);
  });

  test('tells by its marker that the next one says the same, whatever the commit', () => {
    const first = commentMarkdown(input([compared(1, 7)]));
    const other = marker({ head: 'b'.repeat(40), runId: 101 });
    const second = commentMarkdown(input([compared(1, 7)], { marker: other, runUrl: null }));
    const changed = commentMarkdown(input([compared(1, 8)], { marker: other }));
    expect(parseMarker(second)?.said).toBe(parseMarker(first)?.said);
    expect(parseMarker(changed)?.said).not.toBe(parseMarker(first)?.said);
    const unchanged = sayUnchanged(second, HEAD);
    expect(parseMarker(unchanged)).toEqual(parseMarker(second));
    expect(unfolded(unchanged)).toContain('Nothing changed since `aaaaaaaaaaaa`.');
  });
});

describe('the ladder', () => {
  const step = (length: number) => () => 'x'.repeat(length);
  const at = (units: number) =>
    withinUnits({
      head: 'head',
      foot: 'foot',
      steps: [step(100), step(10)],
      budget: { units, bytes: 10_000 },
    });
  test('takes the longest step that fits, to the very unit', () => {
    expect(at(109)).toHaveLength(108);
    expect(at(108)).toHaveLength(108);
    expect(at(107)).toHaveLength(18);
    expect(at(18)).toHaveLength(18);
  });

  test('counts bytes as well', () => {
    const wide = withinUnits({
      head: '',
      foot: '',
      steps: [() => '😀'.repeat(10), () => 'x'],
      budget: { units: 100, bytes: 39 },
    });
    expect(wide).toBe('x');
  });

  test('never leaves half a character', () => {
    const cut = withinUnits({
      head: '😀'.repeat(10),
      foot: '',
      steps: [() => '😀'],
      budget: { units: 7, bytes: 1000 },
    });
    expect(cut).toBe('😀'.repeat(3));
  });
});

describe('the marker', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.integer({ min: 1, max: 50 }), (key, runId, attempt) => {
        const given = marker({ key: markerKey(key), runId, attempt });
        expect(parseMarker(`${markerLine(given)}\r\nrest`)).toEqual(given);
      }),
    );
  });

  test.each([
    '',
    'text',
    ` ${markerLine(marker())}`,
    `> ${markerLine(marker())}`,
    `text\n${markerLine(marker())}`,
    `${markerLine(marker())} more`,
  ])('is not seen in %j', (body) => expect(parseMarker(body)).toBeNull());

  test.each([
    ['a later run', { runId: 101 }, {}, true],
    ['an earlier run', {}, { runId: 101 }, false],
    ['a later attempt', { attempt: 2 }, {}, true],
    ['an earlier attempt', {}, { attempt: 2 }, false],
    ['the same again', {}, {}, true],
    ['running over finished', { state: 'running' as const }, {}, false],
    ['finished over running', {}, { state: 'running' as const }, true],
    ['a later run on an old commit', { runId: 101, head: 'b'.repeat(40) }, {}, false],
    ['the head over a later run on an old commit', {}, { runId: 101, head: 'b'.repeat(40) }, true],
  ])('%s', (_name, next, present, replaces) => {
    expect(mayReplace(marker(next), marker(present), HEAD)).toBe(replaces);
  });
});
