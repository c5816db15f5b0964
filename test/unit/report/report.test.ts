import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { annotationsOf } from '../../../src/report/annotations.ts';
import { episodesCsv } from '../../../src/report/csv.ts';
import { junitXml } from '../../../src/report/junit.ts';
import { renderMarkdown } from '../../../src/report/markdown.ts';
import { terminalReport } from '../../../src/report/terminal.ts';
import { durationText, rateText } from '../../../src/report/text/format.ts';
import { endpointText } from '../../../src/report/view/endpoint.ts';
import { rateOf } from '../../../src/results/measure.ts';
import { makeRecord } from '../results/record-builder.ts';
import { HOSTILE_NAMES, hostileText } from './hostile.ts';
import { makeView } from './report-builder.ts';

const RECORDS = [
  makeRecord(0, 'success'),
  makeRecord(1, 'failure'),
  makeRecord(2, 'success', { taskId: 1, language: 'another | task' }),
  makeRecord(3, 'error', {
    taskId: 1,
    language: 'another | task',
    errorCode: 'POLICY_CONNECTION',
    errorMessage: 'refused',
  }),
  makeRecord(4, 'not_run', { taskId: 2, language: 'third' }),
];

describe('renderMarkdown', () => {
  const text = renderMarkdown(makeView({ records: RECORDS }));

  it('has every part a report must have', () => {
    for (const heading of [
      '# LIBERO benchmark: libero_spatial on libero_real_remote with pi05_libero_remote, 2026-11-29T16:06:12.000Z',
      '## Verdict',
      '## Experimental setup',
      '## Policy and runtime configuration',
      '## Success rate',
      '## Outcomes',
      '## Tasks: candidate',
      '## Metrics: candidate',
      '## Failure analysis',
      '## What this run could not have seen',
      '## Reproducibility',
    ]) {
      expect(text).toContain(`${heading}\n`);
    }
  });

  it('claims nothing about isolation, which nobody tested', () => {
    expect(text).toMatch(
      /could not have seen\n[\s\S]*Isolation of the policy .*: not tested\.\n[\s\S]*## Reproducibility/,
    );
  });

  it('shows rates with counts and intervals, and says not run instead of 0', () => {
    expect(text).toContain('| candidate | 66.7% (2/3) | 20.8–93.9 | 75.0% | 40.0% (2/5) | 5 | 4 | 3 |');
    expect(text).toContain('| 1 | another &#124; task | 100.0% (1/1) |');
    expect(text).toContain('| 2 | third | not run | – | – | – | 1 |');
  });

  it('lists codes, and episodes without success with session and artifacts', () => {
    expect(text).toContain('| candidate | `POLICY_CONNECTION` | 1 | 1 | refused |');
    expect(text).toContain(
      '| candidate | 0 | 1 | 0 | failure | – |  | `rb-x-1` | [`artifacts/runtime/rb-x-1`](artifacts/runtime/rb-x-1) |',
    );
    expect(text).toContain('1 of 1 failures used all 280 simulator steps.');
  });

  it('is generic for other benchmarks', () => {
    const plan = { benchmark: 'maniskill', suite: 'pick_cube' };
    const generic = renderMarkdown(makeView({ records: RECORDS, plan }));
    expect(generic).toMatch(
      /^# Benchmark maniskill pick_cube on libero_real_remote with pi05_libero_remote, 2026-11-29T16:06:12\.000Z\n/,
    );
    expect(generic).toContain('## Results\n');
  });

  it('shows host and port in the workspace, roles in published copies, credentials never', () => {
    const run = {
      target: { id: 't', endpoint: 'targetws://user:pw@10.0.0.5:8765/x?token=1', kind: 'simulation' },
    };
    const at = (audience: 'workspace' | 'published'): string =>
      renderMarkdown(makeView({ records: RECORDS, run, input: { audience } }));
    expect(at('workspace')).toContain('`targetws://10.0.0.5:8765`');
    expect(at('published')).not.toContain('10.0.0.5');
    expect(at('published')).toContain('`target endpoint`');
    for (const copy of [at('workspace'), at('published')]) expect(copy).not.toMatch(/user:pw|token=1/);
  });

  it('keeps the host name out of published copies', () => {
    const run = { host: { name: 'gpu-box-7', gpu: 'RTX' } };
    const published = renderMarkdown(makeView({ records: RECORDS, run, input: { audience: 'published' } }));
    expect(published).toContain('Host: gpu');
    expect(published).not.toContain('gpu-box-7');
  });

  it('takes a template of the user and refuses unescaped values and broken ones', () => {
    const view = makeView({ records: RECORDS });
    expect(
      renderMarkdown(view, 'We got {{verdict}}\n{{#arms}}{{#tasks}}{{language}};{{/tasks}}{{/arms}}'),
    ).toBe('We got PASS\na task;another &#124; task;third;\n');
    for (const bad of ['{{{verdict}}}', '{{& verdict}}', '{{#arms}}{{{arm}}}{{/arms}}', '{{#open}}']) {
      expect(() => renderMarkdown(view, bad)).toThrow(RbError);
    }
  });

  it('keeps its structure whatever the names are', () => {
    const shape = (language: string): string[] => {
      const records = [makeRecord(0, 'error', { language, errorCode: language, errorMessage: language })];
      return renderMarkdown(makeView({ records }))
        .split('\n')
        .map((line) => (line.startsWith('|') ? String(line.match(/(?<!\\)\|/g)?.length) : line.slice(0, 3)));
    };
    const expected = shape('plain name');
    for (const name of HOSTILE_NAMES.filter((each) => each.trim() !== ''))
      expect(shape(name)).toEqual(expected);
    fc.assert(
      fc.property(hostileText, (name) => {
        expect(shape(`x${name}`)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});

describe('terminalReport', () => {
  it('shows the table and no escape sequence of others', () => {
    const records = [
      makeRecord(0, 'success', { language: '\u001b[31mred' }),
      makeRecord(1, 'not_run', { taskId: 1 }),
    ];
    const text = terminalReport(makeView({ records }));
    expect(text).toContain('0     \\u001b[31mred         100.0% (1/1)');
    expect(text).toMatch(/\n1 +a task +not run/);
    expect(text).not.toContain('\u001b');
  });

  it('does not count a session that ran again well as an episode with an error, nor as none', () => {
    const lost = {
      sessionId: 'a',
      attempt: 0,
      outcome: 'lost',
      errorCode: null,
      errorMessage: null,
    } as const;
    const again = { ...lost, sessionId: 'b', attempt: 1, outcome: 'success' } as const;
    const records = [makeRecord(0, 'success', { attempts: [lost, again] }), makeRecord(1, 'lost')];
    expect(terminalReport(makeView({ records: records.slice(0, 1) }))).toContain(
      'Errors: LOST in 1 session, run again\n',
    );
    expect(terminalReport(makeView({ records }))).toContain('Errors: LOST 1\n');
  });
});

describe('annotationsOf', () => {
  it('names verdict, codes and the lowest task, at most ten of a level', () => {
    const records = Array.from({ length: 30 }, (_, at) =>
      makeRecord(at, 'error', { errorCode: `CODE_${at}` }),
    );
    const found = annotationsOf(
      makeView({ records, input: { decision: { verdict: 'FAIL', reasons: [], warnings: [] } } }),
    );
    expect(found.filter((each) => each.level === 'error').map((each) => each.title)).toEqual([
      'libero_spatial: FAIL',
    ]);
    const warnings = found.filter((each) => each.level === 'warning');
    expect(warnings).toHaveLength(10);
    expect(warnings.at(-1)?.title).toBe('21 more');
  });
});

describe('episodesCsv', () => {
  it('has one line per cell in planned order and empty fields for unknown values', () => {
    const lines = [...episodesCsv([...RECORDS].reverse())].join('').trimEnd().split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^position,benchmark,suite,task_id,/);
    expect(lines[5]).toMatch(/^4,libero,libero_spatial,2,third,4,0,candidate,not_run,,,,,,,,,,,0,,,,$/);
  });
});

describe('junitXml', () => {
  it('counts per task, tells failures, errors and skipped cells apart', () => {
    const xml = [...junitXml(RECORDS, 'libero_spatial')].join('');
    expect(xml).toContain(
      '<testsuites name="libero_spatial" tests="5" failures="1" errors="1" skipped="1" time="20.000">',
    );
    expect(xml).toContain('<error message="refused" type="POLICY_CONNECTION">session rb-x-3</error>');
    expect(xml).toContain('<skipped message="not_run"/>');
    expect(xml.match(/<testcase /g)).toHaveLength(5);
  });

  it('names suites and classes so that a reporter shows a row for each task', () => {
    const suites = (records: typeof RECORDS) =>
      [...[...junitXml(records, 'libero_spatial')].join('').matchAll(/<testsuite name="([^"]*)"/g)].map(
        ([, name]) => name,
      );
    expect(suites(RECORDS)).toEqual([
      'libero_spatial task 0: a task',
      'libero_spatial task 1: another | task',
      'libero_spatial task 2: third',
    ]);
    // dorny/test-reporter makes a group of each class that is named otherwise than its suite.
    const xml = [...junitXml(RECORDS, 'libero_spatial')].join('');
    expect(xml).toContain(
      '<testcase classname="libero_spatial task 2: third" name="t2-i4-r0-candidate third"',
    );
    const both = [makeRecord(0, 'success'), makeRecord(1, 'success', { arm: 'baseline' })];
    expect(suites(both)).toEqual([
      'libero_spatial task 0 (candidate): a task',
      'libero_spatial task 0 (baseline): a task',
    ]);
  });

  it('stays one tree whatever the names are', () => {
    fc.assert(
      fc.property(hostileText, (name) => {
        const record = makeRecord(0, 'error', { language: name, errorMessage: name, errorCode: name });
        const xml = [...junitXml([record], name)].join('');
        const tags = xml.match(/<[^>]*>/g)?.map((tag) => /^<[/?]?[a-z]+/.exec(tag)?.[0]);
        expect(tags).toEqual([
          '<?xml',
          '<testsuites',
          '<testsuite',
          '<testcase',
          '<error',
          '</error',
          '</testcase',
          '</testsuite',
          '</testsuites',
        ]);
      }),
    );
  });
});

describe('formats', () => {
  it('says why there is no rate', () => {
    expect(rateText(rateOf(0, 0), { planned: 0, recorded: 0 })).toBe('no episodes');
    expect(rateText(rateOf(0, 0), { planned: 3, recorded: 0 })).toBe('not run');
    expect(rateText(rateOf(0, 0), { planned: 3, recorded: 3 })).toBe('no valid episode');
    expect(rateText(rateOf(0, 3), { planned: 3, recorded: 3 })).toBe('0.0% (0/3)');
    expect(rateText(rateOf(1941, 2000), { planned: 2000, recorded: 2000 })).toBe('97.1% (1941/2000)');
  });

  it.each([
    [null, '–'],
    [0, '0.0 s'],
    [12_345, '12.3 s'],
    [245_000, '4 min 05 s'],
    [7_380_000, '2 h 03 min'],
  ])('durationText(%s)', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it.each([
    [null, 'unknown'],
    ['dummy://local', 'dummy://local'],
    ['not an address', 'role'],
  ])('endpointText(%s)', (endpoint, text) => {
    expect(endpointText(endpoint, 'role', 'workspace')).toBe(text);
  });
});
