import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPullRequest, type PullSource, pullOfPayload } from '../../../src/github/pull-request.ts';
import { clientFor, REPOSITORY } from './loopback/client-for.ts';
import type { StoredPull } from './loopback/conversation-routes.ts';
import { LoopbackGitHub } from './loopback/loopback-github.ts';

const HEAD = 'a'.repeat(40);
const BASE_ID = 1;
const FORK_ID = 2;

let github: LoopbackGitHub;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

function pull(changes: Partial<StoredPull> = {}): StoredPull {
  const made: StoredPull = {
    number: 7,
    state: 'open',
    headSha: HEAD,
    headRef: 'faster',
    headRepoId: BASE_ID,
    headRepo: 'acme/robots',
    baseSha: 'c'.repeat(40),
    baseRef: 'main',
    baseRepoId: BASE_ID,
    baseRepo: 'acme/robots',
    ...changes,
  };
  github.conversation.pulls.push(made);
  return made;
}
const find = (source: PullSource, token = 't') =>
  findPullRequest(clientFor(github, token), REPOSITORY, source);
const fromFork = (changes: Partial<Extract<PullSource, { kind: 'workflow-run' }>> = {}): PullSource => ({
  kind: 'workflow-run',
  claimedNumber: 7,
  headSha: HEAD,
  headRepositoryId: FORK_ID,
  repositoryId: BASE_ID,
  ...changes,
});

describe('the pull request of a push', () => {
  test('is the open one with this head', async () => {
    pull({ number: 5, state: 'closed' });
    pull();
    expect(await find({ kind: 'commit', sha: HEAD })).toMatchObject({
      number: 7,
      baseRef: 'main',
      fork: false,
    });
  });

  test('is none on the main branch', async () => {
    expect(await find({ kind: 'commit', sha: HEAD })).toBeNull();
  });

  test('cannot be chosen among several', async () => {
    pull({ number: 7 });
    pull({ number: 8 });
    await expect(find({ kind: 'commit', sha: HEAD })).rejects.toThrow(/RB815.*#7, #8/);
  });
});

describe('the pull request of a workflow_run', () => {
  test('from a fork, when head commit and both repositories match', async () => {
    pull({ headRepoId: FORK_ID, headRepo: 'stranger/robots' });
    expect(await find(fromFork())).toMatchObject({ number: 7, fork: true });
  });

  test.each([
    ['was pushed to meanwhile', fromFork({ headSha: 'd'.repeat(40) }), /its head commit is/],
    ['has another head repository', fromFork({ headRepositoryId: 99 }), /head repository is another/],
    ['belongs to another repository', fromFork({ repositoryId: 99 }), /belongs to another repository/],
  ])('%s: refused', async (_name, source, message) => {
    pull({ headRepoId: FORK_ID });
    await expect(find(source)).rejects.toThrow(message);
    await expect(find(source)).rejects.toThrow(/RB816/);
  });

  test('is closed: refused', async () => {
    pull({ headRepoId: FORK_ID, state: 'closed' });
    await expect(find(fromFork())).rejects.toThrow(/RB816.*closed/);
  });

  test('without a number in the bundle: refused without asking', async () => {
    await expect(find(fromFork({ claimedNumber: null }))).rejects.toThrow(/RB815/);
    expect(github.seen).toEqual([]);
  });
});

test('a number by hand must have the measured commit as its head', async () => {
  pull();
  expect(await find({ kind: 'number', number: 7, sha: HEAD })).toMatchObject({ number: 7 });
  await expect(find({ kind: 'number', number: 7, sha: 'd'.repeat(40) })).rejects.toThrow(/RB816/);
});

test('the payload of a pull_request event needs no request', async () => {
  const repo = (id: number) => ({ id, full_name: 'x/y' });
  const payload = {
    pull_request: {
      number: 7,
      state: 'open',
      head: { sha: HEAD, ref: 'faster', repo: repo(FORK_ID) },
      base: { sha: 'c'.repeat(40), ref: 'main', repo: repo(BASE_ID) },
    },
  };
  const found = await find({ kind: 'event', pull: pullOfPayload(payload) });
  expect(found).toMatchObject({ number: 7, fork: true });
  expect(github.seen).toEqual([]);
});

test('without pull-requests: read the message names it', async () => {
  github.token('weak', { contents: 'write' });
  await expect(find({ kind: 'commit', sha: HEAD }, 'weak')).rejects.toMatchObject({
    kind: 'permission',
    purpose: { permissions: ['pull-requests: read'] },
  });
});
