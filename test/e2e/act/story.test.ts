import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPolicy, processesWith } from '../../contract/policy-process/commands.ts';
import {
  type JobEvent,
  mergeGroupEvent,
  pullRequestEvent,
  scheduleEvent,
  storedPull,
  tagEvent,
} from '../scenarios/events.ts';
import { jsonLines, Stage } from '../scenarios/stage.ts';
import { ACT, messages, runInAct, type WorkflowEnd } from './act.ts';
import { resultsOf } from './results-of.ts';
import { branchOff, GH, sharedConfig, UV } from './story-repository.ts';

const why = ACT === null ? ' (skipped: ACT names no act binary, see .ci/run)' : '';
/** Sixty pairs that agree rule a drop of the file's ten points out, and take less time than its hundred. */
const FEWER_STATES = '0-5';
const SKILL = { good: 0.95, worse: 0.4 };

let stage: Stage;
let policy: Awaited<ReturnType<typeof buildPolicy>>;
let path = '';
let site = '';

const server = (skill: number) => ({ 'scripts/serve_policy.py': policy.command({ skill }) });
const results = (end: WorkflowEnd) => Object.fromEntries(end.jobs.map(({ job, result }) => [job, result]));
const last = (end: WorkflowEnd) => messages(end.log).split('\n').slice(-60).join('\n');

/** Runs an example as it stands, in the one repository and on the one host of the story. */
const run = (example: string, event: JobEvent, runId: number): Promise<WorkflowEnd> =>
  runInAct({
    example,
    event,
    runId,
    env: {
      PATH: path,
      STAND_IN_REPOSITORY: stage.github.git.path,
      STAND_IN_SITE: site,
      GITHUB_REF: event.env['GITHUB_REF'] ?? '',
      // act's own name for it.
      SHA_REF: event.env['GITHUB_SHA'] ?? '',
    },
    repository: stage.github.git.path,
    action: stage.action,
    token: stage.github.token('ghs_act'),
    serviceUrl: stage.github.url,
    vars: {
      BENCHMARK_WORKSPACE: stage.host.workspace,
      POLICY_ENDPOINT: stage.host.policyEndpoint,
      CHECKPOINT: join(stage.action, 'action.yml'),
    },
  });

const main = () => stage.github.git.readRef('main') ?? '';
const history = async () =>
  jsonLines(await stage.clone('rollout-bench'), 'history/libero_spatial/main.jsonl');
const night = (number: number) => run('nightly-pages.yml', scheduleEvent(main()), 2000 + number);

/** A pull request whose policy has this skill; its branch is there to be checked out. */
const pullRequest = async (number: number, skill: number) => {
  const branch = { name: `pull-${number}`, files: server(skill) };
  const pull = { number, headSha: branchOff(stage.github.git, 'main', branch), baseSha: main(), fork: false };
  stage.github.conversation.pulls.push(storedPull(pull));
  const end = await run('pull-request.yml', pullRequestEvent(pull), 2100 + number);
  return { end, pull, comment: stage.github.conversation.comments.at(-1)?.body ?? '' };
};

const release = (runId: number, tag: string) => {
  stage.github.releases.releases.push({ id: runId, tag, draft: true, immutable: true, assets: [] });
  stage.github.service.runs.push({ id: runId, headSha: main(), event: 'push', headRepoId: 1 });
  return run('release-gate.yml', tagEvent(tag, main()), runId);
};

describe.skipIf(ACT === null)(`the examples as one story${why}`, () => {
  beforeAll(async () => {
    policy = await buildPolicy();
    // The floor of a release asks for more than the embedded policy does by itself.
    const served = { mode: { kind: 'bad', skill: 1 }, metadata: { checkpoint: 'main' } } as const;
    stage = await Stage.open([{ policies: [served] }]);
    site = await stage.folder('site');
    const programs = await stage.folder('programs');
    for (const [name, text] of Object.entries({ uv: UV, gh: GH }))
      await writeFile(join(programs, name), text, { mode: 0o755 });
    path = `${programs}:${process.env['PATH'] ?? ''}`;
    const config = (await sharedConfig()).replace('init-states: 0-9', `init-states: ${FEWER_STATES}`);
    stage.github.git.commitFiles('main', { '.github/rollout-bench.yml': config, ...server(SKILL.good) });
  });
  afterAll(async () => {
    await stage.close();
    await policy.remove();
    expect(stage.github.violations).toEqual([]);
  });

  it('three nights: each qualifies and measures, and the first one that is whole becomes the baseline', async () => {
    for (const number of [1, 2, 3]) {
      const end = await night(number);
      expect(results(end), last(end)).toEqual({ measure: 'success', site: 'success' });
    }
    expect((await history()).map(({ verdict, valid }) => [verdict, valid])).toEqual([
      ['PASS', 60],
      ['PASS', 60],
      ['PASS', 60],
    ]);
    const clone = await stage.clone('rollout-bench');
    const [header] = await jsonLines(clone, 'baselines/libero_spatial/main/episodes.jsonl');
    expect(header).toMatchObject({ acceptedBy: 'schedule' });
    expect(await readdir(site)).toEqual(expect.arrayContaining(['index.html', 'latest.json', 'history']));
  });

  it('a good pull request passes, and is merged', async () => {
    const { end, pull, comment } = await pullRequest(7, SKILL.good);
    expect(results(end), last(end)).toEqual({ evaluate: 'success' });
    expect(comment).toContain('PASS');
    const uploaded = stage.github.service.artifacts.filter(({ runId }) => runId === '2107');
    // The evidence, and the film strips of what failed.
    expect(uploaded.filter(({ name }) => name.startsWith('rollout-bench-'))).toMatchObject([
      { finished: true, name: expect.stringMatching(/-evaluate$/) },
      { finished: true, name: expect.stringMatching(/-videos$/) },
    ]);
    const { run: facts, arms } = await resultsOf(stage.host.workspace);
    expect(arms.map(({ arm, valid }) => [arm, valid])).toEqual([
      ['candidate', 60],
      ['baseline', 60],
    ]);
    const commits = (facts.pins ?? [])
      .filter(({ name }) => /^(?:candidate|baseline) commit$/.test(name))
      .map(({ value }) => value);
    expect(commits).toEqual([pull.headSha, pull.baseSha]);
    expect(await processesWith(policy.file)).toEqual([]);
    expect(stage.github.git.swapRef('main', pull.headSha, pull.baseSha)).toBe(true);
  });

  it('a bad pull request fails, and its comment says where', async () => {
    const { end, comment } = await pullRequest(8, SKILL.worse);
    expect(results(end), last(end)).toEqual({ evaluate: 'failure' });
    expect(comment).toContain('FAIL');
    expect(comment).toMatch(/rollout-bench run .*--tasks \d+ --init-states \d+/);
  });

  it('the merge queue measures what it would merge, and leaves nothing on the report branch', async () => {
    const before = stage.github.git.readRef('rollout-bench');
    const queue = { name: 'gh-readonly-queue/main/pr-9', files: server(SKILL.good) };
    const head = branchOff(stage.github.git, 'main', queue);
    const end = await run('pull-request.yml', mergeGroupEvent(head, main()), 2200);
    expect(results(end), last(end)).toEqual({ evaluate: 'success' });
    expect(stage.github.git.readRef('rollout-bench')).toBe(before);
  });

  it('a release waits for a person, and is published with its evidence when it passes', async () => {
    const alone = await release(2300, 'v1.0.0');
    expect(results(alone), last(alone)).toMatchObject({ draft: 'success', gate: 'failure' });
    expect(messages(alone.log)).toContain('RB377');
    stage.github.approvals.approveRun(2301);
    const passed = await release(2301, 'v1.0.1');
    expect(results(passed), last(passed)).toEqual({ draft: 'success', gate: 'success', release: 'success' });
    expect(messages(passed.log)).toContain('gh release edit v1.0.1');
    const assets = stage.github.releases.releases.at(-1)?.assets.map(({ name }) => name);
    expect(assets, last(passed)).toEqual([expect.stringMatching(/libero_spatial.*\.tar\.gz$/)]);
  });

  it('a decline that stays raises the alarm, fails the night, and stops a release', async () => {
    stage.host.policies[0]?.setMode({ kind: 'bad', skill: SKILL.worse });
    for (const number of [4, 5]) {
      const end = await night(number);
      // A night that went wrong belongs on the page too.
      expect(results(end), last(end)).toEqual({ measure: 'failure', site: 'success' });
    }
    const [latest] = (await history()).slice(-1);
    expect(latest).toMatchObject({ verdict: 'FAIL' });
    expect(await readdir(site)).toContain('index.html');
    stage.github.approvals.approveRun(2302);
    const stopped = await release(2302, 'v1.0.2');
    expect(results(stopped)['gate'], last(stopped)).toBe('failure');
    expect(messages(stopped.log)).not.toContain('gh release edit v1.0.2');
  });
});
