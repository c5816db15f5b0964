import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../src/import/formats/csv/parse-csv.ts';
import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import { episodesCsv } from '../../../src/report/csv.ts';
import { junitXml } from '../../../src/report/junit.ts';
import { bareRecord } from '../../../src/verdict/bare-record.ts';
import { countsOf, readSample } from './read-sample.ts';

const written = (name: string, text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'tables-')), name);
  writeFileSync(file, text);
  return file;
};

const record = fc.record({
  outcome: fc.constantFrom(
    'success' as const,
    'failure' as const,
    'error' as const,
    'timed_out' as const,
    'not_run' as const,
  ),
  language: fc.string({ maxLength: 20 }).map((text) => `put "it", ${text}`),
  steps: fc.option(fc.nat(500)),
  errorMessage: fc.option(fc.string({ maxLength: 20 })),
});

/** Records of two tasks with as many states. */
const recordsOf = (
  made: readonly {
    outcome: EpisodeRecord['outcome'];
    language: string;
    steps: number | null;
    errorMessage: string | null;
  }[],
): EpisodeRecord[] =>
  made.map(({ outcome, language, steps, errorMessage }, position) => ({
    ...bareRecord({
      benchmark: 'libero',
      suite: 'libero_goal',
      taskId: position % 2,
      initStateId: Math.floor(position / 2),
      runIndex: 0,
      position,
      language: position % 2 === 0 ? (made[0]?.language ?? '') : (made[1]?.language ?? language),
      outcome,
      steps,
    }),
    success: outcome === 'success' ? true : outcome === 'failure' ? false : null,
    errorMessage: outcome === 'error' ? errorMessage : null,
  }));

const cells = (records: readonly EpisodeRecord[]): string[] =>
  records
    .map(({ suite, taskId, initStateId, runIndex, outcome }) =>
      [suite, taskId, initStateId, runIndex, outcome].join(' '),
    )
    .toSorted();

describe('our own tables', () => {
  it('episodes.csv is read back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 12 }), async (made) => {
        const records = recordsOf(made);
        const { records: read, problems } = await readSample(
          written('episodes.csv', [...episodesCsv(records)].join('')),
        );
        expect(problems).toEqual([]);
        expect(cells(read)).toEqual(cells(records));
        const steps = (all: readonly EpisodeRecord[]) =>
          all.map((each) => each.steps ?? -1).toSorted((a, b) => a - b);
        expect(steps(read)).toEqual(steps(records));
      }),
      { numRuns: 30 },
    );
  });

  it('junit.xml is read back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 12 }), async (made) => {
        const records = recordsOf(made);
        const file = written('junit.xml', [...junitXml(records, 'libero_goal')].join(''));
        const { records: read, problems, imported } = await readSample(file);
        expect(problems).toEqual([]);
        expect(cells(read)).toEqual(cells(records));
        expect(imported.figures.every(({ why }) => why === null)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('junit.xml of episodes that have no initial states is read back unpaired', async () => {
    const made = [0, 1, 2].map((position) => ({
      ...bareRecord({
        ...{ benchmark: 'libero', suite: 'libero_goal', taskId: 3, initStateId: position, runIndex: 0 },
        ...{ position, language: 'lift', outcome: 'success', steps: null },
      }),
      cellsBy: 'order' as const,
    }));
    const { records: read, imported } = await readSample(
      written('junit.xml', [...junitXml(made, 'libero_goal')].join('')),
    );
    expect(imported.cellsBy).toBe('order');
    expect(cells(read)).toEqual(cells(made));
  });
});

describe('CSV', () => {
  it('fields in quotes hold commas, quotes and lines, and lines keep their numbers', () => {
    expect(parseCsv('a,b\r\n"x, ""y""\nz",2\n\n3,\n')).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['x, "y"\nz', '2'] },
      { line: 5, fields: ['3', ''] },
    ]);
    expect(parseCsv('a\n"open')).toMatchObject({ why: expect.stringContaining('line 2') });
  });

  it('a cell that is there twice is named with both lines', async () => {
    const { problems } = await readSample(
      written('r.csv', 'task_id,init_state_id,success\n0,1,true\n0,1,false\n'),
    );
    expect(problems).toMatchObject([
      { code: 'RB903', where: expect.stringMatching(/:3$/), message: expect.stringMatching(/r\.csv:2/) },
    ]);
  });

  it('no word about an outcome is no failure; what contradicts itself is refused', async () => {
    const { records } = await readSample(written('r.csv', 'task_id,init_state_id,success\n0,1,\n0,2,0\n'));
    expect(countsOf(records)).toEqual({ error: 1, failure: 1 });
    const odd = await readSample(
      written('r.csv', 'task_id,success,outcome,steps\n0,true,failure,\n0,yes,,x\n0,1\n'),
    );
    expect(odd.problems.map(({ where }) => where.replace(/.*:/, ''))).toEqual(['2', '3', '3', '4']);
  });

  it('without initial states seeds tell the episodes, and without both nothing does', async () => {
    const seeds = await readSample(written('r.csv', 'task,seed,success\nopen,7,1\nopen,8,0\n'));
    expect(seeds.records.map(({ initStateId, cellsBy }) => [initStateId, cellsBy])).toEqual([
      [7, 'seed'],
      [8, 'seed'],
    ]);
    const none = await readSample(written('r.csv', 'task,seed,success,camera\nopen,7,1,left\nopen,,0,\n'));
    expect(none.records.map(({ cellsBy }) => cellsBy)).toEqual(['order', 'order']);
    expect(none.records[0]?.notes).toEqual(['camera: left']);
  });
});

describe('JUnit', () => {
  const suite = (cases: string): string =>
    `<?xml version="1.0"?><testsuites tests="9"><testsuite name="libero_goal">${cases}</testsuite></testsuites>`;

  it('the first attempt of a case that was run again counts, and is named', async () => {
    const text = suite(
      '<testcase classname="t.task0" name="init0"><flakyFailure message="again"/></testcase>' +
        '<testcase classname="t.task0" name="init1"><failure/><rerunFailure/></testcase>' +
        '<testcase classname="t.task0" name="init2"/>',
    );
    const { records, imported } = await readSample(written('junit.xml', text));
    expect(countsOf(records)).toEqual({ success: 1, failure: 2 });
    expect(imported.notes).toEqual([expect.stringContaining('2 cases were run again')]);
    expect(imported.figures).toContainEqual(
      expect.objectContaining({ name: 'tests', told: '9', counted: '3' }),
    );
  });

  it('a document type and a cut text are refused', async () => {
    const bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "b">]><testsuite name="a"></testsuite>';
    await expect(readSample(written('junit.xml', bomb))).rejects.toThrow('document type');
    await expect(readSample(written('junit.xml', suite('<testcase name="i').slice(0, 100)))).rejects.toThrow(
      'cut off',
    );
  });
});
