import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { readStore } from '../../../src/import/formats/vla-eval/read-store.ts';
import { importResults } from '../../../src/job/imports/import-results.ts';
import { countsOf } from '../../unit/import/read-sample.ts';
import { ROOT } from '../../unit/meta/source-files.ts';
import { EMPTY, episodeRow, evaluation, type StoreEpisode, writeDatabase } from './vla-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rb-store-'));
  mkdirSync(join(folder, 'into'));
  mkdirSync(join(folder, 'scratch'));
  vi.stubEnv('GITHUB_EVENT_NAME', 'push');
  vi.stubEnv('RUNNER_TEMP', join(folder, 'scratch'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const canRead = Number(process.versions.node.split('.')[0]) >= 24;
/** Node 20 has no SQLite: there only the refusal can be tested. */
const onNode24 = describe.skipIf(!canRead);

const imported = (...paths: readonly string[]): ReturnType<typeof importResults> =>
  importResults({
    paths,
    format: null,
    asked: { suite: null, planned: null, initStates: null },
    policyRef: null,
    purpose: 'adhoc',
    source: {},
    into: join(folder, 'into'),
    template: null,
    secrets: [],
    nowMs: Date.UTC(2026, 10, 30, 12),
    signal: new AbortController().signal,
  });

async function refusalOf(work: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RbError)) throw new Error(`a refusal was expected, not ${String(error)}`);
  return error.problems.map(({ code, where, message }) => `${code} ${where}: ${message}`);
}

const at = (name = 'recording-e.sqlite'): string => join(folder, name);

function store(rows: readonly StoreEpisode[], extra: Parameters<typeof writeDatabase>[1] = []): string {
  writeDatabase(at(), [...EMPTY, evaluation(), ...rows.map(episodeRow), ...extra]);
  return at();
}

/** The episodes of the sample of 0.4, by rows. */
const SAMPLE: readonly StoreEpisode[] = [
  ...[0, 1, 2].map(
    (number): StoreEpisode => ({
      eid: `e-0${number}`,
      task: 'pick_up_the_bowl',
      number,
      context: { suite: 'libero_spatial', task_id: 0 },
      ...(number === 1 ? { status: 'fail', steps: 220 } : {}),
      ...(number === 2
        ? {
            status: 'error',
            steps: 0,
            seconds: 0,
            reason: 'connection_closed',
            detail: 'code=1006 reason=None',
          }
        : {}),
    }),
  ),
  ...[2, 1, 0].map(
    (number): StoreEpisode => ({
      eid: `e-1${number}`,
      number,
      context: { suite: 'libero_spatial', task_id: 1 },
    }),
  ),
];

describe('a database of vla-eval', () => {
  it('is refused in a job of workflow_run, on every Node', async () => {
    const file = store(SAMPLE);
    vi.stubEnv('GITHUB_EVENT_NAME', 'workflow_run');
    const told = await refusalOf(imported(file));
    expect(told).toEqual([expect.stringMatching(/^RB906 recording-e\.sqlite: .*workflow_run/)]);
    expect(await refusalOf(imported(folder))).toEqual([expect.stringContaining('RB906')]);
    expect(await refusalOf(readStore({ name: 'x', file }))).toEqual([expect.stringContaining('RB906 x')]);
  });

  it.skipIf(canRead)('is refused on Node 20, with the way to JSON', async () => {
    const file = store(SAMPLE);
    expect(await refusalOf(imported(file))).toEqual([expect.stringContaining('RB905')]);
    expect(await refusalOf(readStore({ name: 'x', file }))).toEqual([expect.stringContaining('RB905 x')]);
  });
});

onNode24('the store of vla-eval', () => {
  it('gives the records of the aggregate that is made of it, and is verified', async () => {
    const file = store(SAMPLE);
    const before = readFileSync(file);
    const [bundle] = await imported(file);
    const [json] = await imported(join(ROOT, 'fixtures/foreign/vla-eval-0.4'));
    const told = (records: typeof bundle): unknown =>
      records?.records.map((record) => ({ ...record, sessionId: null, attempts: [] }));
    expect(countsOf(bundle?.records ?? [])).toEqual({
      success: 4,
      failure: 1,
      error: 1,
    });
    expect(told(bundle)).toEqual(told(json));
    expect(bundle?.run).toMatchObject({
      evidenceClass: 'imported',
      fingerprint: {
        harness: 'vla-eval',
        runtime_version: '0.4.0',
        env_seed: 7,
      },
    });
    expect(bundle?.records.find(({ outcome }) => outcome === 'error')).toMatchObject({
      steps: null,
      durationMs: null,
      errorCode: 'CONNECTION_CLOSED',
      sessionId: 'recording-e.sqlite episode_results sid s-0 eid e-02',
    });
    expect(await verifyBundle(bundle?.dir ?? '')).toEqual([]);
    expect(readFileSync(join(bundle?.dir ?? '', 'import/1-recording-e.sqlite'))).toEqual(before);
    expect(readdirSync(folder).filter((name) => /-(?:wal|shm)$/.test(name))).toEqual([]);
    expect(readdirSync(join(folder, 'scratch'))).toEqual([]);
  });

  it('a bundle of it is not judged where no database is opened', async () => {
    const [bundle] = await imported(store(SAMPLE));
    vi.stubEnv('GITHUB_EVENT_NAME', 'workflow_run');
    expect(await refusalOf(verifyBundle(bundle?.dir ?? ''))).toEqual([expect.stringContaining('RB906')]);
  });

  it('a database of a bundle that says something else is found', async () => {
    const [bundle] = await imported(store(SAMPLE));
    const copy = join(folder, 'copy');
    cpSync(bundle?.dir ?? '', copy, { recursive: true });
    const inside = join(copy, 'import/1-recording-e.sqlite');
    writeDatabase(inside, [
      [
        "UPDATE episode_results SET status = 'success', metrics = ? WHERE eid = 'e-01'",
        ['{"success": true}'],
      ],
    ]);
    for (const end of ['-wal', '-shm']) rmSync(`${inside}${end}`, { force: true });
    const kinds = (await verifyBundle(copy)).map(({ kind, path }) => `${kind} ${path}`);
    expect(kinds).toContain('changed import/1-recording-e.sqlite');
    expect(kinds.some((kind) => kind.startsWith('results '))).toBe(true);
  });

  it('several benchmarks of one run are several suites, each with what it declares', async () => {
    const object = {
      config: {
        episodes_per_task: 2,
        params: { suite: 'libero_object', seed: 7 },
      },
    };
    const file = store(
      [{ eid: 'a' }],
      [
        evaluation('f', { benchmark: 'LIBERO_object', ...object }),
        evaluation('g', { benchmark: 'LIBERO_goal' }),
        episodeRow({ eid: 'b', evalId: 'f', status: 'fail' }),
      ],
    );
    const bundles = await imported(file);
    expect(bundles.map(({ plan, records }) => [plan.suite, countsOf(records)])).toEqual([
      ['libero_object', { failure: 1, not_run: 1 }],
      ['libero_spatial', { success: 1, not_run: 2 }],
    ]);
    expect(bundles[0]?.run.imported?.notes).toContainEqual(
      expect.stringContaining('no episode of LIBERO_goal'),
    );
  });

  it.each<[string, readonly StoreEpisode[], string]>([
    ['twice', [{ eid: 'a' }, { eid: 'b', status: 'fail' }], 'RB903'],
    ['a contradiction', [{ eid: 'a', status: 'fail', metrics: { success: true } }], 'RB902'],
    ['a failure with an error', [{ eid: 'a', status: 'fail', reason: 'timeout' }], 'RB902'],
    ['an unknown status', [{ eid: 'a', status: 'running', metrics: { success: true } }], 'RB902'],
    ['no status', [{ eid: 'a', status: null }], 'RB902'],
    ['no task', [{ eid: 'a', task: null }], 'RB902'],
    ['no number', [{ eid: 'a', number: null }], 'RB902'],
    ['of no evaluation', [{ eid: 'a', evalId: 'other' }], 'RB902'],
    ['another measure', [{ eid: 'a', metrics: { completed_subtasks: 3 } }], 'RB902'],
  ])('an episode: %s', async (_, rows, code) => {
    const told = await refusalOf(imported(store(rows)));
    expect(told[0]).toContain(`${code} recording-e.sqlite episode_results sid s-0 eid`);
  });

  it('JSON in a folder counts, and not the store that it was made of', async () => {
    store(SAMPLE);
    cpSync(
      join(ROOT, 'fixtures/foreign/vla-eval-0.4/LIBEROBenchmark_aggregate.json'),
      at('LIBERO_aggregate.json'),
    );
    const [bundle, ...others] = await imported(folder);
    expect(others).toEqual([]);
    expect(bundle?.run.imported?.files.map(({ stored }) => stored)).toEqual(['1-LIBERO_aggregate.json']);
  });

  it('the last rows of a run that was killed are not left out unsaid', async () => {
    writeDatabase(at(), [...EMPTY, evaluation(), ...SAMPLE.map(episodeRow)], {
      leave: true,
    });
    expect(await refusalOf(imported(at()))).toEqual([
      expect.stringMatching(/^RB906 recording-e\.sqlite: .*-wal/),
    ]);
  });

  it('is ended when its time is over', async () => {
    const told = await refusalOf(readStore({ name: 'x', file: store(SAMPLE) }, 1));
    expect(told).toEqual([expect.stringContaining('RB906 x')]);
    expect(readdirSync(join(folder, 'scratch'))).toEqual([]);
  });
});

onNode24('a hostile database', () => {
  it.each([
    ['CREATE VIEW v AS SELECT 1', 'holds v'],
    ['CREATE TRIGGER t AFTER INSERT ON step_rows BEGIN SELECT 1; END', 'holds t'],
    ['CREATE VIRTUAL TABLE f USING fts5(x)', 'holds f'],
    ['ALTER TABLE episode_results RENAME TO other', 'no table episode_results'],
    ['ALTER TABLE episode_results RENAME COLUMN status TO state', 'no plain column status'],
    ["UPDATE episode_results SET failure_detail = hex(zeroblob(600000)) WHERE eid = 'a'", 'failure_detail'],
    ["UPDATE episode_results SET status = x'00' WHERE eid = 'a'", 'status'],
    ["UPDATE episode_results SET episode_id = 'one' WHERE eid = 'a'", 'episode_id'],
    ["UPDATE episode_results SET context = '[1]' WHERE eid = 'a'", 'no object'],
    ["UPDATE eval_metadata SET metadata = '{'", 'no JSON'],
  ])('%s', async (sql, words) => {
    const [told] = await refusalOf(imported(store([{ eid: 'a' }], [[sql, []]])));
    expect(told).toContain('RB902');
    expect(told).toContain(words);
  });

  it('a column that is computed when it is read', async () => {
    writeDatabase(at(), [
      ...EMPTY.filter(([sql]) => !sql.includes('episode_results')),
      [
        'CREATE TABLE episode_results (sid, eid, eval_id, task_name, episode_id, metrics, steps, elapsed_sec, context, failure_reason, failure_detail, status GENERATED ALWAYS AS (hex(zeroblob(9))))',
        [],
      ],
    ]);
    expect(await refusalOf(imported(at()))).toEqual([expect.stringContaining('no plain column status')]);
  });

  it('is refused wherever it is cut', async () => {
    const bytes = readFileSync(store(SAMPLE));
    for (const length of [16, 100, 4096, 8192, bytes.length - 1]) {
      writeFileSync(at('cut.sqlite'), bytes.subarray(0, length));
      expect(await refusalOf(imported(at('cut.sqlite')))).toEqual([expect.stringContaining('RB902')]);
    }
  });
});
