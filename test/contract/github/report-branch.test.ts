import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReportBranch } from '../../../src/github/report-branch.ts';
import { LATEST_PATH, parseLatest } from '../../../src/history/latest.ts';
import { historyPath, parseHistory } from '../../../src/history/merge.ts';
import { buildPublication } from '../../../src/history/publication.ts';
import { historyRecord } from '../../unit/history/record.ts';
import { clientFor, REPOSITORY } from './loopback/client-for.ts';
import { FAILURES } from './loopback/faults.ts';
import { LoopbackGitHub } from './loopback/loopback-github.ts';

let github: LoopbackGitHub;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

const WORDS = {
  subject: 'Results of libero_spatial\non main',
  runUrl: 'https://github.com/acme/robots/actions/runs/1',
  planDigests: ['a'.repeat(64)],
  bundleSha256s: ['b'.repeat(64)],
};
const file = (path: string, content: string) => async () => [{ path, content }];
const branchFor = (token = 't') => new ReportBranch(clientFor(github, token), REPOSITORY);
const put = (path: string, content: string) =>
  branchFor().publish({ branch: 'reports', build: file(path, content), message: WORDS });

function publishRecord(n: number, token = 't') {
  const record = historyRecord({
    runId: `gh${n}-bench-libero_spatial`,
    finishedAt: `2026-01-02T03:04:${String(n).padStart(2, '0')}Z`,
  });
  const publication = { records: [record], baselines: [], openPulls: null, files: [] };
  return branchFor(token).publish({
    branch: 'reports',
    build: (read) => buildPublication(publication, read),
    message: WORDS,
  });
}

function historyOnBranch() {
  const path = historyPath('libero_spatial', 'main');
  return parseHistory(path, github.git.fileText('reports', path));
}

describe('publishing to a branch', () => {
  test('creates it as an orphan with a signed commit, and a plain clone has the files', async () => {
    github.git.commitFiles('main', { 'README.md': 'code\n' });
    const outcome = await put('a/ü "x".json', '{"ü":"é"}\n');
    expect(outcome).toMatchObject({ changed: true, verified: true, tries: 1 });
    const clone = mkdtempSync(join(tmpdir(), 'clone-'));
    try {
      execFileSync('git', ['clone', '--quiet', '--branch', 'reports', github.git.path, clone]);
      expect(readFileSync(join(clone, 'a/ü "x".json'), 'utf8')).toBe('{"ü":"é"}\n');
      execFileSync('git', ['fsck', '--strict'], { cwd: clone, stdio: 'pipe' });
      const log = execFileSync('git', ['log', '--format=%s|%P|%(trailers:unfold)'], {
        cwd: clone,
        encoding: 'utf8',
      });
      expect(log).toContain('Results of libero_spatial on main||');
      expect(log).toContain(`Plan-Digest: ${'a'.repeat(64)}`);
      expect(log).toContain(`Bundle-Sha256: ${'b'.repeat(64)}`);
    } finally {
      rmSync(clone, { recursive: true });
    }
  });

  test('changes and removes files and leaves all others as they are', async () => {
    github.git.commitFiles('reports', { 'keep.txt': 'k', 'old.txt': 'o', 'change.txt': '1' });
    await branchFor().publish({
      branch: 'reports',
      build: async (read) => [
        { path: 'change.txt', content: `${await read('change.txt')}2` },
        { path: 'old.txt', content: null },
        { path: 'never-there.txt', content: null },
      ],
      message: WORDS,
    });
    expect(github.git.fileText('reports', 'keep.txt')).toBe('k');
    expect(github.git.fileText('reports', 'change.txt')).toBe('12');
    expect(github.git.fileText('reports', 'old.txt')).toBeNull();
  });

  test('commits nothing when every byte is there already', async () => {
    await put('a.txt', 'same');
    expect(await put('a.txt', 'same')).toMatchObject({ changed: false, verified: null });
    expect(github.count('git/create-commit')).toBe(1);
  });

  test('eight at once: every record is there exactly once, and no other is lost', async () => {
    await publishRecord(1);
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, n) => publishRecord(n + 10)));
    expect(outcomes.every(({ changed }) => changed)).toBe(true);
    const ids = historyOnBranch().map(({ runId }) => runId);
    expect(ids).toEqual([1, 10, 11, 12, 13, 14, 15, 16, 17].map((n) => `gh${n}-bench-libero_spatial`));
    const latest = parseLatest(github.git.fileText('reports', LATEST_PATH));
    expect(latest.series[0]?.points).toHaveLength(9);
  });

  test('eight at once on a branch that does not exist yet', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, n) => publishRecord(n)));
    expect(historyOnBranch()).toHaveLength(8);
  });

  test('the same record twice is one record', async () => {
    await publishRecord(5);
    expect((await publishRecord(5)).changed).toBe(false);
    expect(historyOnBranch()).toHaveLength(1);
  });

  test('an answer lost after the branch moved is not published twice', async () => {
    await put('first.txt', '1');
    github.faults.add({ operation: 'git/update-ref', takesEffect: true, failure: FAILURES.drop });
    await publishRecord(5);
    expect(historyOnBranch()).toHaveLength(1);
  });

  test('a branch created by somebody else in between is built upon', async () => {
    github.faults.add({ operation: 'git/create-ref', takesEffect: true, failure: FAILURES.badGateway });
    await publishRecord(5);
    expect(historyOnBranch()).toHaveLength(1);
  });

  test('replicas that lag behind are read again', async () => {
    github.branches.staleBranchReads = 2;
    await publishRecord(1);
    await publishRecord(2);
    expect(historyOnBranch()).toHaveLength(2);
  });

  test('a history line it cannot read stops the publisher, names the line and leaves everything', async () => {
    await publishRecord(1);
    const path = historyPath('libero_spatial', 'main');
    const text = `${github.git.fileText('reports', path)}<<<<<<< HEAD\n`;
    const before = github.git.commitFiles('reports', { [path]: text });
    await expect(publishRecord(2)).rejects.toThrow(
      /RB810 history\/libero_spatial\/main\.jsonl line 2: is not JSON/,
    );
    expect(github.git.readRef('reports')).toBe(before);
  });

  test('a protected branch is named as such, at once', async () => {
    await put('a.txt', '1');
    github.faults.add({ operation: 'git/update-ref', failure: FAILURES.ruleViolation });
    await expect(put('a.txt', '2')).rejects.toMatchObject({ kind: 'protected' });
    expect(github.git.fileText('reports', 'a.txt')).toBe('1');
  });

  test('endless conflicts end with a message', async () => {
    await put('a.txt', '1');
    github.faults.add({ operation: 'git/update-ref', times: 1000, failure: FAILURES.notFastForward });
    await expect(put('a.txt', '2')).rejects.toThrow(/RB809/);
  });

  test('a large file goes as an object of its own; too much is refused before anything is sent', async () => {
    const sizes = [900_000, 2_600_000, 1_000_000, 300_000];
    const files = sizes.map((size) => ({
      path: size === 2_600_000 ? 'large.txt' : `${size}.txt`,
      content: 'x'.repeat(size),
    }));
    await branchFor().publish({ branch: 'reports', build: async () => files, message: WORDS });
    expect(github.count('git/create-blob')).toBe(2);
    expect(github.git.fileText('reports', 'large.txt')?.length).toBe(2_600_000);
    const requests = github.seen.length;
    await expect(put('huge.txt', 'x'.repeat(5_000_001))).rejects.toThrow(/RB812/);
    const many = Array.from({ length: 51 }, (_, n) => ({ path: `f${n}`, content: 'x' }));
    await expect(
      branchFor().publish({ branch: 'reports', build: async () => many, message: WORDS }),
    ).rejects.toThrow(/RB812/);
    expect(github.seen.slice(requests).every(({ method }) => method === 'GET')).toBe(true);
  });

  test('without contents: write the message names the permission', async () => {
    github.token('reader', { contents: 'read' });
    await expect(publishRecord(1, 'reader')).rejects.toMatchObject({ kind: 'permission' });
    github.token('nothing', {});
    await expect(publishRecord(1, 'nothing')).rejects.toMatchObject({ kind: 'permission' });
  });

  test('a branch that may not be seen is never taken for an absent one', async () => {
    await publishRecord(1);
    github.faults.add({ operation: 'repos/get-branch', failure: FAILURES.notFound });
    await expect(publishRecord(2)).rejects.toMatchObject({ kind: 'not-found' });
    expect(historyOnBranch()).toHaveLength(1);
  });
});
