import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import type { EventFacts } from '../../../src/job/judge/ref-standing.ts';
import { withGitHub } from '../../../src/job/judge/workflow-run-facts.ts';
import { clientFor, KeptLog, REPOSITORY } from '../github/loopback/client-for.ts';
import type { StoredPull } from '../github/loopback/conversation-routes.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { LoopbackStep } from './loopback-step.ts';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);

let github: LoopbackGitHub;
let folder: string;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  folder = mkdtempSync(join(tmpdir(), 'rb-event-'));
});
afterEach(async () => {
  await github.stop();
  rmSync(folder, { recursive: true, force: true });
  expect(github.violations).toEqual([]);
});

describe('an event about a pull request whose payload is cut', () => {
  const repo = { id: 1 };
  const step = (payload: object): LoopbackStep => {
    const file = join(folder, 'event.json');
    writeFileSync(file, JSON.stringify(payload));
    return new LoopbackStep(github, {
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: file,
      RUNNER_ENVIRONMENT: 'github-hosted',
    });
  };
  const cut = { pull_request: { number: 7, head: { sha: HEAD, repo }, base: { sha: BASE, repo } } };

  it('is refused before anything is measured, naming what it lacks', async () => {
    const verb = step(cut).main({ workspace: folder, suite: 'libero_spatial' });
    await expect(run(verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB523', message: expect.stringMatching(/state.*head\.ref.*base\.ref/) }],
    });
    expect(github.seen).toEqual([]);
  });

  it.each([
    ['when the job only measures', { mode: 'run' }],
    ['when pr-number names it', { 'pr-number': '7', comment: 'off' }],
  ])('is no obstacle %s', async (_what, inputs) => {
    const verb = step(cut).main({ workspace: folder, suite: 'libero_spatial', ...inputs });
    // It goes on to the workspace, which is none here.
    await expect(run(verb)).rejects.not.toMatchObject({ problems: [{ code: 'RB523' }] });
  });
});

describe('the base of a pull request that a workflow_run reports on', () => {
  const facts: EventFacts = {
    measuringRunId: 5,
    headCommit: HEAD,
    event: 'pull_request',
    unauthenticated: false,
    branch: null,
    onBranch: false,
    baseBranch: 'main',
    pull: { kind: 'workflow-run', claimedNumber: 7, headSha: HEAD, headRepositoryId: 1, repositoryId: 1 },
  };
  const ask = (log = new KeptLog()) =>
    withGitHub(facts, { client: clientFor(github, 't'), repository: REPOSITORY }, log);

  const pull = (headSha: string): StoredPull => ({
    number: 7,
    state: 'open',
    headSha,
    headRef: 'faster',
    headRepoId: 1,
    headRepo: 'acme/robots',
    baseSha: BASE,
    baseRef: 'release-2',
    baseRepoId: 1,
    baseRepo: 'acme/robots',
  });
  beforeEach(() => {
    github.conversation.pulls.push(pull(HEAD));
  });

  it('is the branch it goes to, and the pull request is not looked up again', async () => {
    expect(await ask()).toMatchObject({
      branch: 'pull/7',
      baseBranch: 'release-2',
      pull: { kind: 'event', pull: { number: 7 } },
    });
    expect(github.seen).toHaveLength(1);
  });

  it('is the default branch when GitHub does not confirm the pull request, and the log says so', async () => {
    github.conversation.pulls.splice(0, 1, pull('d'.repeat(40)));
    const log = new KeptLog();
    expect(await ask(log)).toEqual(facts);
    expect(log.lines.join('\n')).toMatch(/compared with main: .*head commit/);
  });

  it('is not asked for without a token', async () => {
    expect(await withGitHub(facts, null, new KeptLog())).toEqual(facts);
    expect(github.seen).toEqual([]);
  });
});

describe('the ref of a run that a workflow_run reports on', () => {
  const facts: EventFacts = {
    measuringRunId: 5,
    headCommit: HEAD,
    event: 'push',
    unauthenticated: false,
    branch: 'v1',
    onBranch: true,
    baseBranch: 'v1',
    maybeTag: { name: 'v1', otherwise: 'main' },
    pull: null,
  };
  const ask = (log = new KeptLog()) =>
    withGitHub(facts, { client: clientFor(github, 't'), repository: REPOSITORY }, log);

  it('is a branch when GitHub knows one of that name', async () => {
    const tree = github.git.writeTree(null, []) ?? '';
    github.git.swapRef('v1', github.git.writeCommit(tree, [], 'first') ?? '', null);
    expect(await ask()).toMatchObject({ branch: 'v1', onBranch: true, baseBranch: 'v1' });
  });

  it('is no branch otherwise, and compared with the default branch', async () => {
    const log = new KeptLog();
    expect(await ask(log)).toMatchObject({ branch: null, onBranch: false, baseBranch: 'main' });
    expect(log.lines.join('\n')).toContain('there is no branch v1');
  });
});
