import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ClientSettings } from '../../../src/github/client.ts';
import { failureProblem, GitHubFailure, type Purpose } from '../../../src/github/failure.ts';
import { clientFor, KeptLog, REPOSITORY, waitingClock } from './loopback/client-for.ts';
import { FAILURES, type Fault } from './loopback/faults.ts';
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

const PURPOSE: Purpose = {
  what: 'list the comments',
  permissions: ['pull-requests: write', 'issues: write'],
};
const LIST = {
  route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  params: { ...REPOSITORY, issue_number: 7 },
  schema: z.array(z.object({ id: z.number() })),
  purpose: PURPOSE,
};
const listFault = (failure: Fault['failure'], times = 1) => {
  github.faults.add({ operation: 'issues/list-comments', times, failure });
};

/** Lists once and tells how long it waited, in seconds of the fast clock. */
async function waits(settings: Partial<ClientSettings> = {}) {
  const clock = waitingClock();
  const client = clientFor(github, 't', { clock, random: () => 0.5, ...settings });
  await client.request(LIST);
  return { seconds: clock.slept.map((ms) => Math.round(ms / 100) / 10), requests: client.requests };
}

async function failureOf(settings: Partial<ClientSettings> = {}, token = 't'): Promise<GitHubFailure> {
  const client = clientFor(github, token, { clock: waitingClock(), ...settings });
  const error: unknown = await client.request(LIST).catch((reason: unknown) => reason);
  if (error instanceof GitHubFailure) return error;
  throw error;
}

describe('waiting', () => {
  test('obeys retry-after on 429 and on 403', async () => {
    listFault(FAILURES.tooManyRequests(17));
    listFault(FAILURES.secondaryLimit(120));
    expect(await waits()).toEqual({ seconds: [17, 120], requests: 3 });
  });

  test('waits a minute and then longer when a limit names no time', async () => {
    listFault(FAILURES.tooManyRequests(), 2);
    listFault(FAILURES.secondaryLimit());
    expect((await waits()).seconds).toEqual([60, 120, 240]);
  });

  test('waits for the reset of the primary limit', async () => {
    listFault(FAILURES.primaryLimit(Math.ceil(Date.now() / 1000) + 300));
    const waited = (await waits()).seconds;
    expect(waited).toHaveLength(1);
    expect(waited[0]).toBeGreaterThan(200);
    expect(waited[0]).toBeLessThan(303);
  });

  test('tries again after server errors, dropped sockets and time-outs, longer each time', async () => {
    for (const failure of [FAILURES.serverError, FAILURES.badGateway, FAILURES.unavailable, FAILURES.drop])
      listFault(failure);
    const { seconds, requests } = await waits();
    expect(requests).toBe(5);
    expect(seconds).toEqual([1.5, 2, 3, 5]);
    listFault(FAILURES.slow(400));
    expect((await waits({ requestTimeoutMs: 100 })).requests).toBe(2);
  });

  test('never waits longer than the time left, and says so', async () => {
    listFault(FAILURES.tooManyRequests(700));
    const failure = await failureOf({ budgetMs: 600_000 });
    expect(failure.kind).toBe('rate-limit');
    expect(failure.reason).toContain('700 s exceeds the time left');
    expect(failureProblem(failure).code).toBe('RB804');
  });

  test('tells the log that it waits for GitHub', async () => {
    const log = new KeptLog();
    listFault(FAILURES.tooManyRequests(5));
    await waits({ log });
    expect(log.lines).toEqual(['GitHub asks to wait 5 s (rate limit); waiting.']);
  });
});

describe('giving up', () => {
  const cases = [
    { name: '401', failure: FAILURES.badCredentials, kind: 'credentials', code: 'RB801' },
    { name: '403, not permitted', failure: FAILURES.notPermitted, kind: 'permission', code: 'RB802' },
    { name: '403, single sign-on', failure: FAILURES.samlRequired, kind: 'refused', code: 'RB807' },
    {
      name: '403, address not allowed',
      failure: FAILURES.blockedByAllowList,
      kind: 'refused',
      code: 'RB807',
    },
    { name: '404', failure: FAILURES.notFound, kind: 'not-found', code: 'RB803' },
    { name: '409 for good', failure: FAILURES.conflict, times: 20, kind: 'conflict', code: 'RB807' },
    { name: '422, rules', failure: FAILURES.ruleViolation, kind: 'protected', code: 'RB806' },
    { name: '500 for good', failure: FAILURES.serverError, times: 20, kind: 'unreachable', code: 'RB805' },
    { name: 'dropped for good', failure: FAILURES.drop, times: 20, kind: 'unreachable', code: 'RB805' },
  ] as const;
  test.each(cases)('$name', async ({ failure, kind, code, ...rest }) => {
    listFault(failure, 'times' in rest ? rest.times : 1);
    const met = await failureOf();
    expect(met.kind).toBe(kind);
    const problem = failureProblem(met);
    expect(problem.code).toBe(code);
    expect(problem.message).toContain('list the comments');
    expect(github.seen.length).toBeLessThanOrEqual(8);
  });

  test('a missing permission comes with the lines to paste', async () => {
    github.token('weak', { contents: 'write' });
    expect(failureProblem(await failureOf({}, 'weak')).fix).toContain('permissions:\n  pull-requests: write');
  });

  test('an answer of another shape is not taken for data', async () => {
    listFault({ kind: 'answer', status: 200, body: { hello: 'proxy' } });
    expect(failureProblem(await failureOf()).code).toBe('RB808');
  });

  test('nothing listens at the address', async () => {
    const failure = await failureOf({ apiUrl: 'http://127.0.0.1:9', budgetMs: 20_000 });
    expect(failure.kind).toBe('unreachable');
  });
});

describe('requests', () => {
  test('lists follow the link header over all pages', async () => {
    for (let n = 0; n < 230; n += 1) github.conversation.addComment(7, 'somebody', `${n}`);
    const client = clientFor(github, 't');
    expect(await client.list(LIST, (page) => page)).toHaveLength(230);
    expect(client.requests).toBe(3);
  });

  test('writes go one after the other, a second apart', async () => {
    const clock = waitingClock();
    const client = clientFor(github, 't', { clock });
    const post = (body: string) =>
      client.request({
        route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
        params: { ...REPOSITORY, issue_number: 7, body },
        schema: z.object({ id: z.number() }),
        purpose: PURPOSE,
      });
    await Promise.all(['a', 'b', 'c'].map(post));
    expect(clock.slept).toEqual([1_000, 1_000]);
    expect(github.conversation.comments.map(({ body }) => body)).toEqual(['a', 'b', 'c']);
  });
});
