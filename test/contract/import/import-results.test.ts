import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redactBundle } from '../../../src/bundle/redact-bundle.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import type { ImportRequest } from '../../../src/job/imports/import-request.ts';
import { importResults } from '../../../src/job/imports/import-results.ts';
import { matchingFiles } from '../../../src/job/imports/matching-files.ts';
import { readResults } from '../../../src/job/imports/read-results.ts';
import { ROOT } from '../../unit/meta/source-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rb-import-'));
  mkdirSync(join(folder, 'into'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sample = (name: string): string => join(ROOT, 'fixtures/foreign', name);

function imported(
  paths: readonly string[],
  more: Partial<ImportRequest> = {},
): ReturnType<typeof importResults> {
  return importResults(requestOf(paths, more));
}

function requestOf(paths: readonly string[], more: Partial<ImportRequest>): ImportRequest {
  return {
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
    ...more,
  };
}

async function codesOf(work: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof RbError) return error.problems.map(({ code }) => code);
  throw new Error(`a refusal was expected, not ${String(error)}`);
}

describe('results of another tool as a bundle', () => {
  it('makes one of each suite, which follows from the files in it', async () => {
    const bundles = await imported([sample('lerobot-0.4-multi')]);
    expect(bundles.map(({ plan }) => plan.suite)).toEqual(['libero_object', 'libero_spatial']);
    for (const { dir, run, results } of bundles) {
      expect(await verifyBundle(dir)).toEqual([]);
      expect(run).toMatchObject({
        evidenceClass: 'imported',
        imported: { format: 'lerobot', planned: null },
      });
      expect(results.end).toBeNull();
    }
    const stored = readFileSync(join(bundles[0]?.dir ?? '', 'import/1-eval_info.json'));
    expect(stored).toEqual(readFileSync(sample('lerobot-0.4-multi/eval_info.json')));
  });

  it('a number that is changed in the files, in the plan or in the facts is found', async () => {
    const [bundle] = await imported([sample('lerobot-0.3-single')]);
    const dir = bundle?.dir ?? '';
    for (const [name, from, to] of [
      ['import/1-eval_info.json', '"success": false', '"success": true'],
      ['plan.json', '"initStateId": 1003', '"initStateId": 1004'],
      ['run.json', '75.0%', '85.0%'],
    ] as const) {
      const copy = join(folder, `copy-${name.replace('/', '-')}`);
      cpSync(dir, copy, { recursive: true });
      const before = readFileSync(join(copy, name), 'utf8');
      expect(before).toContain(from);
      writeFileSync(join(copy, name), before.replace(from, to));
      const kinds = (await verifyBundle(copy)).map(({ kind, path }) => `${kind} ${path}`);
      expect(kinds).toContain(`changed ${name}`);
      expect(kinds.some((kind) => kind.startsWith('results '))).toBe(true);
    }
  });

  it('a redacted copy gives the same numbers', async () => {
    const [bundle] = await imported([sample('lerobot-0.3-single')]);
    const outDir = join(folder, 'redacted');
    const copy = await redactBundle({
      sealedDir: bundle?.dir ?? '',
      outDir,
      template: null,
      secrets: [],
      hidden: [],
    });
    expect(copy.records).toEqual(bundle?.records);
    expect(await verifyBundle(outDir)).toEqual([]);
  });

  it('a file that is given twice counts once, and is named', async () => {
    const file = sample('lerobot-0.3-single/eval_info.json');
    cpSync(file, join(folder, 'again.json'));
    const [bundle] = await imported([file, join(folder, 'again.json')]);
    expect(bundle?.results.arms[0]).toMatchObject({ planned: 4, valid: 4 });
    expect(bundle?.results.warnings).toEqual([expect.stringContaining('again.json was given twice')]);
  });

  it('a count alone is a result, without any episode that could be paired', async () => {
    const [bundle] = await imported(['42/50'], {
      asked: { suite: 'pick_cube', planned: null, initStates: null },
    });
    expect(bundle?.plan).toMatchObject({ suite: 'pick_cube', cellsBy: 'count' });
    expect(bundle?.results.arms[0]?.successRate).toMatchObject({ k: 42, n: 50 });
    expect(await verifyBundle(bundle?.dir ?? '')).toEqual([]);
  });

  it('says all that it cannot read, and leaves nothing', async () => {
    writeFileSync(join(folder, 'note.json'), '{"hello": 1}');
    writeFileSync(join(folder, 'raw.db'), 'SQLite format 3\u0000 and pages');
    expect(await codesOf(imported([join(folder, 'raw.db')]))).toEqual(['RB905']);
    writeFileSync(join(folder, 'cut.json'), '{"per_task": [{"task_group": "a", "task_id"');
    symlinkSync(sample('lerobot-0.3-single/eval_info.json'), join(folder, 'link.json'));
    const paths = ['note.json', 'link.json', 'absent.json'].map((name) => join(folder, name));
    expect(await codesOf(imported(paths))).toEqual(['RB900', 'RB901', 'RB901']);
    expect(await codesOf(imported([join(folder, 'cut.json')]))).toEqual(['RB902']);
    expect(await codesOf(imported([sample('lerobot-0.4-nan')]))).toEqual(['RB908']);
    expect(matchingFiles([`${folder}/into/*`, `${folder}/into/.*`]).paths).toEqual([]);
  });
});

describe('results of another tool for a command that keeps no bundle', () => {
  const read = (file: string, more: Partial<ImportRequest> = {}): ReturnType<typeof readResults> =>
    readResults(requestOf([file], more));
  const withoutId = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(/-[0-9a-f]{4}"/g, '"'));

  it('they are those of the sealed bundle, and nothing stays behind', async () => {
    const names = ['lerobot-0.4-multi', 'vla-eval-0.2', 'csv', 'junit', 'log-openvla', 'starvla-openpi'];
    for (const name of names) {
      const quick = await read(sample(name));
      expect(readdirSync(join(folder, 'into'))).toEqual([]);
      const whole = await importResults(requestOf([sample(name)], {}));
      rmSync(join(folder, 'into'), { recursive: true });
      mkdirSync(join(folder, 'into'));
      const told = ({ plan, planDigest, run, records, results }: (typeof quick)[number]): unknown =>
        withoutId({ plan, planDigest, run, records, results });
      expect(quick.map(told)).toEqual(whole.map(told));
    }
  });

  it('those of a release are sealed whole, because they are attached to it', async () => {
    const [bundle] = await read(sample('csv'), { purpose: 'release' });
    expect(await verifyBundle(bundle?.dir ?? '')).toEqual([]);
  });

  it('a secret is refused as it is by sealing, also where the file spells it with escapes', async () => {
    const secret = 'hunter2-hunter2-hunter2';
    const text = readFileSync(sample('csv/rollouts.csv'), 'utf8');
    const inFile = join(folder, 'rollouts.csv');
    writeFileSync(inFile, text.replace('POLICY_CONNECTION', secret));
    const spelled = join(folder, 'eval_info.json');
    writeFileSync(
      spelled,
      readFileSync(sample('lerobot-0.4-multi/eval_info.json'), 'utf8').replaceAll(
        'libero_spatial',
        `\\u0068${secret.slice(1)}`,
      ),
    );
    for (const file of [inFile, spelled]) {
      const request = { secrets: [secret] };
      const codes = await codesOf(read(file, request));
      expect(codes).toEqual(['RB704']);
      expect(codes).toEqual(await codesOf(importResults(requestOf([file], request))));
    }
  });
});

describe('patterns of results', () => {
  it('* and ? stay in one folder, ** goes through all, links are not followed', () => {
    for (const name of ['a/b/eval_info.json', 'a/eval_info.json', 'eval_info.json', 'a/b/other.json']) {
      mkdirSync(join(folder, 'r', name, '..'), { recursive: true });
      writeFileSync(join(folder, 'r', name), '{}');
    }
    symlinkSync(join(folder, 'r/a'), join(folder, 'r/linked'));
    const at = (pattern: string): string[] =>
      matchingFiles([`${folder}/r/${pattern}`]).paths.map((file) => file.slice(folder.length + 3));
    expect(at('**/eval_info.json')).toEqual(['a/b/eval_info.json', 'a/eval_info.json', 'eval_info.json']);
    expect(at('*/eval_info.json')).toEqual(['a/eval_info.json']);
    expect(at('a/b/*.js?n')).toEqual(['a/b/eval_info.json', 'a/b/other.json']);
    expect(matchingFiles([`${folder}/r/**/nothing.json`]).problems).toMatchObject([{ code: 'RB909' }]);
  });
});
