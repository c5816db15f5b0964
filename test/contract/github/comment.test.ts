import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PullRequestComment } from '../../../src/github/comment.ts';
import { OwnIdentity } from '../../../src/github/own-identity.ts';
import { type CommentMarker, markerLine, parseMarker } from '../../../src/report/comment/marker.ts';
import { clientFor, fastClock, REPOSITORY } from './loopback/client-for.ts';
import { FAILURES } from './loopback/faults.ts';
import { LoopbackGitHub } from './loopback/loopback-github.ts';

const BOT = 'github-actions[bot]';
const BOT_ID = 41898282;
const HEAD = 'a'.repeat(40);
const OLD_HEAD = 'b'.repeat(40);

let github: LoopbackGitHub;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('ghs_t');
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

const marker = (changes: Partial<CommentMarker> = {}): CommentMarker => ({
  key: 'default',
  runId: 100,
  attempt: 1,
  head: HEAD,
  state: 'finished',
  ...changes,
});
const bodyOf = (given: CommentMarker, text: string) => `${markerLine(given)}\n${text}`;

function put(
  text: string,
  given: CommentMarker = marker(),
  { token = 'ghs_t', speed = 100, begin = true } = {},
) {
  const client = clientFor(github, token, { clock: fastClock(speed) });
  return new PullRequestComment(client, REPOSITORY, new OwnIdentity(client)).put({
    pullNumber: 7,
    body: bodyOf(given, text),
    marker: given,
    begin,
    pullHead: HEAD,
  });
}
const bodies = () => github.conversation.comments.map(({ body }) => body.split('\n')[1]);

describe('the comment of a pull request', () => {
  test('is created once and then updated in place', async () => {
    const first = await put('one');
    expect(first?.action).toBe('created');
    const second = await put('two', marker({ attempt: 2 }));
    expect(second).toMatchObject({ action: 'updated', id: first?.id });
    expect(bodies()).toEqual(['two']);
    expect(github.count('graphql')).toBe(0);
  });

  test('is found beyond the first page', async () => {
    for (let n = 0; n < 250; n += 1) github.conversation.addComment(7, 'somebody', 'chat');
    await put('one');
    await put('two', marker({ attempt: 2 }));
    expect(bodies().filter((body) => body === 'two')).toHaveLength(1);
    expect(github.conversation.comments).toHaveLength(251);
  });

  test('is told apart by its key', async () => {
    await put('spatial', marker({ key: 'spatial' }));
    await put('goal', marker({ key: 'goal' }));
    expect(bodies()).toEqual(['spatial', 'goal']);
  });

  test('somebody else who writes our marker is left alone', async () => {
    github.conversation.addComment(7, 'mallory', bodyOf(marker({ runId: 999 }), 'forged'));
    github.conversation.addComment(7, BOT, `> ${bodyOf(marker({ runId: 999 }), 'quoted')}`, BOT_ID);
    await put('ours');
    expect(bodies()).toEqual(['forged', 'quoted', 'ours']);
  });

  test('another account asks GraphQL who it is', async () => {
    github.token('pat', undefined, { login: 'release-bot', userId: 55 });
    github.conversation.addComment(7, BOT, bodyOf(marker({ runId: 1 }), 'of the workflow'), BOT_ID);
    await put('mine', marker(), { token: 'pat' });
    await put('mine again', marker({ attempt: 2 }), { token: 'pat' });
    expect(bodies()).toEqual(['of the workflow', 'mine again']);
    expect(github.count('graphql')).toBe(2);
  });

  test('says when it says the same of another commit', async () => {
    const said = { said: '0123456789ab' };
    await put('same', marker({ head: OLD_HEAD, ...said }));
    await put('same', marker({ runId: 101, ...said }));
    expect(github.conversation.comments.at(-1)?.body).toContain(
      `Nothing changed since \`${OLD_HEAD.slice(0, 12)}\`.`,
    );
    await put('other', marker({ runId: 102, said: 'ba9876543210' }));
    expect(github.conversation.comments.at(-1)?.body).not.toContain('Nothing changed');
  });

  test('says so after it said "running", or was interrupted, in between', async () => {
    const said = { said: '0123456789ab' };
    await put('same', marker({ head: OLD_HEAD, ...said }));
    await put('running', marker({ runId: 101, state: 'running' }));
    await put('interrupted', marker({ runId: 101, state: 'interrupted' }));
    await put('running', marker({ runId: 102, state: 'running' }));
    await put('same', marker({ runId: 102, ...said }));
    expect(github.conversation.comments.at(-1)?.body).toContain(
      `Nothing changed since \`${OLD_HEAD.slice(0, 12)}\`.`,
    );
    await put('running', marker({ runId: 103, state: 'running' }));
    await put('other', marker({ runId: 103, said: 'ba9876543210' }));
    expect(github.conversation.comments.at(-1)?.body).not.toContain('Nothing changed');
  });

  test('is not begun when it only follows changes, and is updated when it is there', async () => {
    expect(await put('quiet', marker(), { begin: false })).toBeNull();
    await put('loud');
    expect(await put('quiet again', marker({ runId: 101 }), { begin: false })).toMatchObject({
      action: 'updated',
    });
    expect(bodies().at(-1)).toBe('quiet again');
  });

  test('an older run never replaces a newer one', async () => {
    await put('newer', marker({ runId: 200 }));
    expect((await put('older', marker({ runId: 100 })))?.action).toBe('kept-newer');
    expect(bodies()).toEqual(['newer']);
  });

  test('a run on a commit that is no longer the head never replaces one on the head', async () => {
    await put('on the head', marker({ runId: 100 }));
    expect((await put('late', marker({ runId: 300, head: OLD_HEAD })))?.action).toBe('kept-newer');
    expect(bodies()).toEqual(['on the head']);
  });

  test('running becomes finished or interrupted, never the other way', async () => {
    await put('running', marker({ state: 'running' }));
    await put('interrupted', marker({ state: 'interrupted' }));
    await put('finished');
    await put('running late', marker({ state: 'running' }));
    expect(bodies()).toEqual(['finished']);
  });

  test('duplicates left by others are removed, the oldest stays', async () => {
    for (const runId of [1, 2, 3])
      github.conversation.addComment(7, BOT, bodyOf(marker({ runId }), `${runId}`), BOT_ID);
    const lowest = github.conversation.comments[0]?.id;
    await put('all');
    expect(github.conversation.comments.map(({ id, body }) => [id, body.split('\n')[1]])).toEqual([
      [lowest, 'all'],
    ]);
  });

  test('eight at once: one comment with the newest result', async () => {
    const runs = [3, 8, 1, 6, 4, 7, 2, 5];
    // Jitter must stay long against a request, as it is against the real service.
    await Promise.all(runs.map((runId) => put(`run ${runId}`, marker({ runId }), { speed: 5 })));
    expect(bodies()).toEqual(['run 8']);
    expect(parseMarker(github.conversation.comments[0]?.body ?? '')?.runId).toBe(8);
  });

  test('an answer lost after the comment was written leaves one comment', async () => {
    github.faults.add({ operation: 'issues/create-comment', takesEffect: true, failure: FAILURES.drop });
    await put('once');
    expect(bodies()).toEqual(['once']);
  });

  test('a list that lags behind leaves one comment in the end', async () => {
    github.conversation.staleCommentLists = 2;
    await put('one');
    await put('two', marker({ attempt: 2 }));
    expect(bodies()).toEqual(['two']);
  });

  test('a comment removed meanwhile is written anew', async () => {
    await put('one');
    github.faults.add({ operation: 'issues/update-comment', failure: FAILURES.notFound });
    github.conversation.comments.length = 0;
    github.conversation.addComment(7, BOT, bodyOf(marker(), 'old'), BOT_ID);
    expect((await put('two', marker({ attempt: 2 })))?.action).toBe('updated');
    expect(bodies()).toEqual(['two']);
  });

  test('exactly 65,536 characters are accepted, one more is refused by GitHub in words', async () => {
    const head = markerLine(marker()).length + 1;
    await put('x'.repeat(65_536 - head));
    await expect(put('x'.repeat(65_537 - head), marker({ attempt: 2 }))).rejects.toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('Body is too long'),
    });
  });

  test('without a permission to write the message names it', async () => {
    github.token('ghs_reader', { 'pull-requests': 'read' });
    await expect(put('x', marker(), { token: 'ghs_reader' })).rejects.toMatchObject({ kind: 'permission' });
    github.token('ghs_issues', { issues: 'write' });
    expect((await put('x', marker(), { token: 'ghs_issues' }))?.action).toBe('created');
  });
});
