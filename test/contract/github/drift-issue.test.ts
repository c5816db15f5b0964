import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GitHubClient } from '../../../src/github/client.ts';
import { DRIFT_LABEL, putDriftIssue } from '../../../src/github/drift-issue.ts';
import { problemsOf } from '../../../src/github/failure.ts';
import { fastClock, KeptLog, REPOSITORY } from './loopback/client-for.ts';

interface StoredIssue {
  number: number;
  title: string;
  body: string;
  labels: string[];
  state: string;
  user: { id: number; login: string; type: string };
}

const BOT = { id: 41898282, login: 'github-actions[bot]', type: 'Bot' };
let issues: StoredIssue[];
let mayWrite: boolean;
let server: Server;

/** The three routes of issues, for a workflow's token. */
beforeEach(async () => {
  issues = [];
  mayWrite = true;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const text = Buffer.concat(chunks).toString('utf8');
      const sent = text === '' ? {} : (JSON.parse(text) as Partial<StoredIssue>);
      response.setHeader('content-type', 'application/json');
      if (request.method !== 'GET' && !mayWrite) {
        response.statusCode = 403;
        response.end(JSON.stringify({ message: 'Resource not accessible by integration' }));
        return;
      }
      response.end(JSON.stringify(answer(request.method ?? '', url, sent)));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterEach(() => {
  server.close();
});

function answer(method: string, url: URL, sent: Partial<StoredIssue>): unknown {
  const shown = (issue: StoredIssue) => ({
    ...issue,
    html_url: `https://example.test/issues/${issue.number}`,
  });
  if (url.pathname === '/graphql') return { data: { viewer: { databaseId: BOT.id } } };
  if (method === 'GET') {
    const label = url.searchParams.get('labels') ?? '';
    return issues.filter(({ labels, state }) => labels.includes(label) && state === 'open').map(shown);
  }
  const number = Number(url.pathname.split('/').at(-1));
  const known = issues.find((issue) => issue.number === number);
  if (known !== undefined) return shown(Object.assign(known, sent));
  const made = {
    labels: [],
    title: '',
    body: '',
    ...sent,
    number: issues.length + 1,
    state: 'open',
    user: BOT,
  };
  issues.push(made);
  return shown(made);
}

const put = (course: string, body: string) =>
  putDriftIssue(
    new GitHubClient({
      token: 'ghs_workflow',
      apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clock: fastClock(),
      log: new KeptLog(),
      random: () => 0,
    }),
    REPOSITORY,
    { course, title: `drift of ${course}`, body },
  );

describe('the issue about a drift', () => {
  it('is opened once for a course and updated from then on', async () => {
    expect(await put('spatial on main', 'first')).toMatchObject({ number: 1, action: 'opened' });
    expect(await put('spatial on main', 'second')).toMatchObject({ number: 1, action: 'updated' });
    expect(await put('goal on main', 'other')).toMatchObject({ number: 2, action: 'opened' });
    expect(issues.map(({ body }) => body.split('\n').at(-1))).toEqual(['second', 'other']);
    expect(issues[0]?.labels).toEqual([DRIFT_LABEL]);
  });

  it('is a new one when the last was closed', async () => {
    await put('spatial on main', 'first');
    for (const issue of issues) issue.state = 'closed';
    expect(await put('spatial on main', 'again')).toMatchObject({ number: 2, action: 'opened' });
  });

  it('of somebody else is left alone, even with our marker', async () => {
    await put('spatial on main', 'ours');
    for (const issue of issues) issue.user = { id: 5, login: 'mallory', type: 'User' };
    expect(await put('spatial on main', 'second')).toMatchObject({ number: 2, action: 'opened' });
    expect(issues[0]?.body).toContain('ours');
  });

  it('names the missing permission', async () => {
    mayWrite = false;
    const failure: unknown = await put('spatial on main', 'x').catch((error: unknown) => error);
    expect(JSON.stringify(problemsOf(failure))).toContain('issues: write');
  });
});
