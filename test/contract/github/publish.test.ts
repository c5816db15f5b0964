import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CheckClosing, CheckRun } from '../../../src/github/check-run.ts';
import type { GitHubClient } from '../../../src/github/client.ts';
import { permissionYaml } from '../../../src/github/failure.ts';
import { ReportBranch } from '../../../src/github/report-branch.ts';
import {
  BASELINE_SCHEMA_ID,
  type Baseline,
  baselinePath,
  parseBaseline,
} from '../../../src/history/baseline.ts';
import { historyPath, parseHistory } from '../../../src/history/merge.ts';
import { type Published, type PublishResult, publish } from '../../../src/job/publish/publish.ts';
import { type ReportPublication, reportPublishers } from '../../../src/job/publish/publish-report.ts';
import { commentMarkdown } from '../../../src/report/comment/comment.ts';
import type { CommentMarker } from '../../../src/report/comment/marker.ts';
import { summaryMarkdown } from '../../../src/report/summary.ts';
import { historyRecord } from '../../unit/history/record.ts';
import { makeView } from '../../unit/report/report-builder.ts';
import { makeRecord } from '../../unit/results/record-builder.ts';
import { clientFor, fastClock, KeptLog, REPOSITORY, waitingClock } from './loopback/client-for.ts';
import type { Permissions } from './loopback/exchange.ts';
import { FAILURES } from './loopback/faults.ts';
import { EVERY_PERMISSION, LoopbackGitHub } from './loopback/loopback-github.ts';

const HEAD = 'a'.repeat(40);
let github: LoopbackGitHub;
let folder: string;
let log: KeptLog;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('ghs_t');
  github.conversation.pulls.push({
    number: 7,
    state: 'open',
    headSha: HEAD,
    headRef: 'faster',
    headRepoId: 1,
    headRepo: 'acme/robots',
    baseSha: 'c'.repeat(40),
    baseRef: 'main',
    baseRepoId: 1,
    baseRepo: 'acme/robots',
  });
  folder = mkdtempSync(join(tmpdir(), 'publish-'));
  log = new KeptLog();
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await github.stop();
  expect(github.violations).toEqual([]);
});

/** 500 episodes: ten tasks of fifty, every seventh fails. */
const RECORDS = Array.from({ length: 500 }, (_, n) =>
  makeRecord(n, n % 7 === 0 ? 'failure' : 'success', {
    taskId: n % 10,
    language: `pick up object ${n % 10}`,
  }),
);
const VIEW = makeView({ records: RECORDS });

function baseline(): Baseline {
  const cells = RECORDS.map(({ suite, taskId, initStateId, runIndex, position, outcome, steps }) => ({
    suite,
    taskId,
    initStateId,
    runIndex,
    position,
    outcome,
    steps,
  }));
  const header = {
    schema: BASELINE_SCHEMA_ID,
    suite: 'libero_spatial',
    branch: 'main',
    runId: 'gh1',
    attempt: 1,
    commit: HEAD,
    planDigest: 'a'.repeat(64),
    bundleSha256: null,
    fingerprint: {},
    policy: null,
    acceptedAt: '2026-01-02T03:04:05Z',
    acceptedBy: 'push',
    reason: null,
    cells: cells.length,
  } as const;
  return { header, cells };
}

interface Given {
  readonly client: GitHubClient;
  readonly run?: number;
  readonly check: CheckRun;
  readonly summaryPath?: string;
  readonly snapshot?: Awaited<ReturnType<ReportBranch['snapshot']>>;
}

function report({ client, run = 1, check, summaryPath, snapshot }: Given): Promise<PublishResult> {
  const marker: CommentMarker = { key: 'default', runId: run, attempt: 1, head: HEAD, state: 'finished' };
  const record = historyRecord({
    runId: `gh${run}`,
    finishedAt: `2026-01-02T03:04:${String(run).padStart(2, '0')}Z`,
  });
  const steps = reportPublishers({
    client,
    repository: REPOSITORY,
    artifact: artifactParts(),
    release: null,
    summary: { path: summaryPath ?? join(folder, 'summary.md'), markdown: () => summaryMarkdown(VIEW) },
    branch: {
      name: 'reports',
      publication: {
        openPulls: null,
        records: [record],
        baselines: [baseline()],
        files: [{ path: 'reports/libero_spatial/main.md', content: '# report\n' }],
        site: (latest) => [{ path: 'index.html', content: `<p>${latest.series.length}</p>` }],
      },
      words: { subject: 'Results', runUrl: null, planDigests: [], bundleSha256s: [] },
      ...(snapshot === undefined ? {} : { snapshot }),
    },
    check: { run: check, closing: checkClosing },
    comment: {
      pull: { kind: 'commit', sha: HEAD },
      marker,
      begin: true,
      markdown: (links) => comment(marker, links),
    },
  });
  return publish(steps, { log, clock: waitingClock() });
}

/** An upload that succeeds without a server. */
function artifactParts(): NonNullable<ReportPublication['artifact']> {
  return {
    upload: { name: 'x', files: [], root: folder, retentionDays: null, deadlineMs: 1_000 },
    ports: {
      env: {
        ACTIONS_RUNTIME_TOKEN: 'x',
        ACTIONS_RESULTS_URL: 'http://x',
        GITHUB_SERVER_URL: 'https://github.com',
      },
      clock: fastClock(1),
      log,
      store: async () => ({ uploadArtifact: async () => ({ id: 4711, size: 10, digest: 'd'.repeat(64) }) }),
    },
  };
}

/** Passed, with an annotation for each of the first failures. */
function checkClosing(): CheckClosing {
  const failures = RECORDS.filter(({ outcome }) => outcome === 'failure').slice(0, 50);
  return {
    conclusion: 'success',
    title: 'PASS',
    summary: summaryMarkdown(VIEW),
    text: null,
    annotations: failures.map(({ taskId, initStateId }) => ({
      path: '.github',
      start_line: 1,
      end_line: 1,
      annotation_level: 'failure',
      title: `task ${taskId}`,
      message: `initial state ${initStateId}`,
    })),
  };
}

function comment(marker: CommentMarker, { artifact, branch }: Published): string {
  const uploaded = artifact?.kind === 'uploaded' ? artifact : null;
  return commentMarkdown({
    average: null,
    marker,
    verdict: 'PASS',
    suites: [{ view: VIEW, comparison: null, pageUrl: null }],
    runUrl: null,
    artifactUrl: uploaded === null ? null : `https://github.com/x/artifacts/${uploaded.id}`,
    reportUrl: branch === null ? null : `https://github.com/x/tree/${branch.commit}`,
    unauthenticated: false,
    warnings: [],
    rerun: () => 'rollout-bench run',
  });
}

const checkFor = (client: GitHubClient) =>
  new CheckRun(client, REPOSITORY, { name: 'benchmark', headSha: HEAD, detailsUrl: null });
const statuses = ({ outcomes }: PublishResult) =>
  Object.fromEntries(outcomes.map(({ publisher, status }) => [publisher, status]));

const ALL_DONE = {
  artifact: 'done',
  release: 'left-out',
  summary: 'done',
  branch: 'done',
  check: 'done',
  comment: 'done',
};

describe('one report of 500 episodes', () => {
  test('costs at most 15 requests with everything on, the baseline read and the comment there already', async () => {
    await report({ client: clientFor(github, 'ghs_t'), run: 1, check: checkFor(clientFor(github, 'ghs_t')) });
    const before = github.seen.length;
    const client = clientFor(github, 'ghs_t');
    const check = checkFor(client);
    await check.open();
    const snapshot = await new ReportBranch(client, REPOSITORY).snapshot('reports');
    const path = baselinePath('libero_spatial', 'main');
    expect(parseBaseline(path, await snapshot.read(path))?.cells).toHaveLength(500);
    expect(statuses(await report({ client, run: 2, check, snapshot }))).toEqual(ALL_DONE);
    expect(
      github.seen
        .slice(before)
        .map(({ operation }) => operation)
        .sort(),
    ).toHaveLength(client.requests);
    expect(client.requests).toBeLessThanOrEqual(15);
  });

  test('links what came before: the artifact and the commit', async () => {
    const client = clientFor(github, 'ghs_t');
    const { published } = await report({ client, check: checkFor(client) });
    const [comment] = github.conversation.comments;
    expect(comment?.body).toContain('artifacts/4711');
    expect(comment?.body).toContain(published.branch?.commit);
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('libero_spatial');
  });
});

describe('a publisher that fails', () => {
  test('changes no other: each failure in turn', async () => {
    const failing: [operation: string, publisher: string][] = [
      ['git/create-tree', 'branch'],
      ['checks/create', 'check'],
      ['issues/create-comment', 'comment'],
    ];
    for (const [operation, publisher] of failing) {
      github.faults.add({ operation, failure: FAILURES.notPermitted });
      github.conversation.comments.length = 0;
      const client = clientFor(github, 'ghs_t');
      const result = await report({ client, check: checkFor(client) });
      expect(statuses(result)).toEqual({ ...ALL_DONE, [publisher]: 'failed' });
    }
    expect(log.lines.filter((line) => line.startsWith('warning: RB802'))).toHaveLength(3);
  });

  test('with a bug of ours is shown with its stack and does not stop the rest', async () => {
    const step = async () => {
      throw new TypeError('bug');
    };
    const steps = {
      artifact: step,
      release: null,
      summary: null,
      branch: null,
      check: null,
      comment: async () => null,
    };
    const result = await publish(steps, { log, clock: waitingClock() });
    expect(statuses(result)).toMatchObject({ artifact: 'failed', comment: 'done' });
    expect(log.lines.join('\n')).toContain('TypeError: bug');
  });

  test('no pull request is no failure', async () => {
    github.conversation.pulls.length = 0;
    const client = clientFor(github, 'ghs_t');
    const result = await report({ client, check: checkFor(client) });
    expect(statuses(result)).toEqual(ALL_DONE);
    expect(result.published.comment).toBeNull();
  });

  test('the summary: not set, not writable, already full', async () => {
    const full = join(folder, 'full.md');
    writeFileSync(full, 'x'.repeat(1_040_000));
    for (const summaryPath of ['', join(folder, 'no', 'such', 'folder'), full]) {
      const client = clientFor(github, 'ghs_t');
      expect(statuses(await report({ client, check: checkFor(client), summaryPath }))).toEqual({
        ...ALL_DONE,
        summary: 'failed',
      });
    }
    expect(readFileSync(full, 'utf8')).toHaveLength(1_040_000);
    expect(log.lines.filter((line) => line.includes('RB830'))).toHaveLength(3);
  });
});

describe('least privilege', () => {
  const without = (changes: Permissions, ...names: (keyof Permissions)[]): Permissions =>
    Object.fromEntries(
      Object.entries({ ...EVERY_PERMISSION, ...changes }).filter(
        ([name]) => !names.some((gone) => gone === name),
      ),
    );

  test.each([
    ['contents', without({ contents: 'read' }), 'branch', 'contents: write'],
    ['contents at all', without({}, 'contents'), 'branch', 'contents: write'],
    ['checks', without({}, 'checks'), 'check', 'checks: write'],
    [
      'writing to conversations',
      without({ 'pull-requests': 'read' }, 'issues'),
      'comment',
      'pull-requests: write',
    ],
    ['pull requests', without({}, 'pull-requests'), 'comment', 'pull-requests: read'],
  ] as const)(
    'without %s only one publisher fails and names the permission',
    async (_name, held, publisher, permission) => {
      github.token('ghs_weak', held);
      const client = clientFor(github, 'ghs_weak');
      const result = await report({ client, check: checkFor(client) });
      expect(statuses(result)).toEqual({ ...ALL_DONE, [publisher]: 'failed' });
      const problem = result.outcomes.find((outcome) => outcome.publisher === publisher)?.problems[0];
      expect(problem).toMatchObject({ code: 'RB802', severity: 'warning' });
      expect(problem?.fix).toContain(permissionYaml(permission));
    },
  );

  test('exactly the documented permissions are enough', async () => {
    github.token('ghs_least', { contents: 'write', 'pull-requests': 'write', checks: 'write' });
    const client = clientFor(github, 'ghs_least');
    expect(statuses(await report({ client, check: checkFor(client) }))).toEqual(ALL_DONE);
  });
});

test('eight jobs at once: each record once, one comment with the newest, no failure', async () => {
  const runs = [5, 2, 8, 1, 7, 3, 6, 4];
  const results = await Promise.all(
    runs.map((run) => {
      const client = clientFor(github, 'ghs_t', { clock: fastClock(20) });
      return report({ client, run, check: checkFor(client) });
    }),
  );
  for (const result of results) expect(statuses(result)).toEqual(ALL_DONE);
  const path = historyPath('libero_spatial', 'main');
  const history = parseHistory(path, github.git.fileText('reports', path));
  expect(history.map(({ runId }) => runId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((run) => `gh${run}`));
  expect(github.conversation.comments).toHaveLength(1);
  expect(github.conversation.comments[0]?.body).toContain('run=8 ');
  execFileSync('git', ['fsck', '--strict'], { cwd: github.git.path, stdio: 'pipe' });
});
