import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildPolicy, processesWith } from '../../contract/policy-process/commands.ts';
import {
  dispatchEvent,
  type JobEvent,
  labeledEvent,
  pullRequestEvent,
  scheduleEvent,
  storedPull,
  tagEvent,
  workflowRunEvent,
} from '../scenarios/events.ts';
import { jsonLines, Stage } from '../scenarios/stage.ts';
import { ACT, messages, runInAct, type WorkflowEnd } from './act.ts';
import { policyRepository } from './policy-repository.ts';
import { resultsOf } from './results-of.ts';

const COMMIT = 'e'.repeat(40);
const why = ACT === null ? ' (skipped: ACT names no act binary, see .ci/run)' : '';

/** Only ends what hangs. */
const TWO_HUNDRED_EPISODES_MS = 1_200_000;

let stage: Stage;
let policy: Awaited<ReturnType<typeof buildPolicy>>;
beforeAll(async () => {
  policy = await buildPolicy();
});
afterAll(() => policy.remove());
const open = async (hosts?: Parameters<typeof Stage.open>[0]) => {
  stage = await Stage.open(hosts);
};
afterEach(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

const run = (example: string, event: JobEvent, runId: number, env: Readonly<Record<string, string>> = {}) =>
  runInAct({
    example,
    event,
    runId,
    env,
    action: stage.action,
    token: stage.github.token('ghs_act'),
    serviceUrl: stage.github.url,
    vars: {
      BENCHMARK_WORKSPACE: stage.host.workspace,
      POLICY_ENDPOINT: stage.host.policyEndpoint,
      CHECKPOINT: join(stage.action, 'action.yml'),
      SIM_A_WORKSPACE: stage.host.workspace,
      SIM_A_POLICY: stage.host.policyEndpoint,
      SIM_B_WORKSPACE: stage.hosts.at(-1)?.workspace ?? '',
      SIM_B_POLICY: stage.hosts.at(-1)?.policyEndpoint ?? '',
    },
  });

const results = (end: WorkflowEnd) => Object.fromEntries(end.jobs.map(({ job, result }) => [job, result]));
const last = (end: WorkflowEnd) => messages(end.log).split('\n').slice(-60).join('\n');

describe.skipIf(ACT === null)(`docs/examples in act${why}`, () => {
  it(
    'pull-request.yml starts head and base, comments, keeps the history and uploads the bundle',
    async () => {
      await open();
      // Its `serve_policy.py` is a shell line, and `uv` a program that runs it.
      const files = { 'scripts/serve_policy.py': policy.command() };
      const { folder, base, head } = await policyRepository(await stage.folder('policies'), files, {});
      const programs = await stage.folder('programs');
      await writeFile(join(programs, 'uv'), '#!/bin/sh\n[ "$1" = sync ] || exec sh "$3"\n', { mode: 0o755 });
      const pull = { number: 7, headSha: head, baseSha: base, fork: false };
      stage.github.conversation.pulls.push(storedPull(pull));
      const end = await run('pull-request.yml', pullRequestEvent(pull), 1001, {
        PATH: `${programs}:${process.env['PATH'] ?? ''}`,
        STAND_IN_REPOSITORY: folder,
      });
      expect(results(end), last(end)).toEqual({ evaluate: 'success' });
      expect(stage.github.conversation.comments).toHaveLength(1);
      expect(stage.github.conversation.comments[0]?.body).toContain('PASS');
      const clone = await stage.clone('rollout-bench');
      expect(await readdir(join(clone, 'history/libero_spatial'))).toHaveLength(1);
      const isEvidence = ({ name }: { readonly name: string }): boolean => name.startsWith('rollout-bench-');
      expect(stage.github.service.artifacts.filter(isEvidence)).toMatchObject([
        { runId: '1001', finished: true },
      ]);
      const { run: facts, arms } = await resultsOf(stage.host.workspace);
      expect(arms.map(({ arm, valid }) => [arm, valid])).toEqual([
        ['candidate', 100],
        ['baseline', 100],
      ]);
      const commits = (facts.pins ?? [])
        .filter(({ name }) => /^(?:candidate|baseline) commit$/.test(name))
        .map(({ value }) => value);
      expect(commits).toEqual([head, base]);
      expect(await processesWith(policy.file)).toEqual([]);
    },
    TWO_HUNDRED_EPISODES_MS,
  );

  it('pull-request.yml does not even start for a fork', async () => {
    await open();
    const pull = { number: 8, headSha: COMMIT, fork: true };
    stage.github.conversation.pulls.push(storedPull(pull));
    const end = await run('pull-request.yml', pullRequestEvent(pull), 1002);
    expect(messages(end.log)).not.toContain('rollout-bench@v1');
    expect(stage.github.seen).toEqual([]);
  });

  /** The release itself is made by a command-line program that this machine need not have. */
  const releaseIn = async (runId: number, tag: string) => {
    const programs = await stage.folder('programs');
    // The first attempt finds no release of the tag.
    const program = '#!/bin/sh\necho "gh $*"\n[ "$2" != view ]\n';
    await writeFile(join(programs, 'gh'), program, { mode: 0o755 });
    // What the program makes on GitHub.
    stage.github.releases.releases.push({ id: 1, tag, draft: true, immutable: true, assets: [] });
    const path = { PATH: `${programs}:${process.env['PATH'] ?? ''}` };
    stage.github.approvals.approveRun(runId);
    stage.github.service.runs.push({ id: runId, headSha: COMMIT, event: 'push', headRepoId: 1 });
    return run('release-gate.yml', tagEvent(tag, COMMIT), runId, path);
  };

  it('release-gate.yml releases what passes', async () => {
    await open();
    const passed = await releaseIn(1003, 'v1.0.0');
    expect(results(passed), last(passed)).toEqual({ draft: 'success', gate: 'success', release: 'success' });
    expect(messages(passed.log)).toContain('gh release create v1.0.0 --repo acme/robots --draft');
    expect(messages(passed.log)).toContain('gh release edit v1.0.0');
    const [release] = stage.github.releases.releases;
    expect(
      release?.assets.map(({ name }) => name),
      last(passed),
    ).toEqual([expect.stringMatching(/libero_spatial.*\.tar\.gz$/)]);
  });

  it('release-gate.yml stops what fails', async () => {
    await open();
    stage.host.policies[0]?.setMode({ kind: 'bad', skill: 0.6 });
    const failed = await releaseIn(1004, 'v1.0.1');
    expect(results(failed)['gate'], last(failed)).toBe('failure');
    expect(failed.exitCode).toBe(1);
    expect(messages(failed.log)).not.toContain('gh release edit v1.0.1');
  });

  it('nightly-pages.yml measures two suites and deploys what the branch shows', async () => {
    await open();
    const site = await stage.folder('site');
    const env = { STAND_IN_SITE: site, STAND_IN_REPOSITORY: stage.github.git.path };
    const end = await run('nightly-pages.yml', scheduleEvent(COMMIT), 1005, env);
    expect(results(end), last(end)).toEqual({ measure: 'success', site: 'success' });
    expect(await readdir(site)).toEqual(expect.arrayContaining(['index.html', 'latest.json', 'history']));
    expect(await jsonLines(site, 'history/libero_spatial/main.jsonl')).toHaveLength(1);
    expect(await jsonLines(site, 'history/libero_object/main.jsonl')).toHaveLength(1);
    const [baseline] = await jsonLines(site, 'baselines/libero_spatial/main/episodes.jsonl');
    expect(baseline).toMatchObject({ acceptedBy: 'schedule' });
  });

  it('matrix-of-hosts.yml puts the shards of two hosts together', async () => {
    await open([{}, {}]);
    const end = await run('matrix-of-hosts.yml', dispatchEvent(COMMIT), 1006);
    expect(end.exitCode, last(end)).toBe(0);
    const names = stage.github.service.artifacts.map(({ name }) => name);
    // The evidence of each host, and the page that a click opens.
    expect(new Set(names.filter((name) => name.startsWith('rollout-bench-'))).size).toBe(2);
    expect(names.filter((name) => name.startsWith('benchmark-page-'))).toHaveLength(1);
    const [record] = await jsonLines(await stage.clone('rollout-bench'), 'history/libero_spatial/main.jsonl');
    expect(record).toMatchObject({ planned: 100, valid: 100, verdict: 'PASS' });
  });

  it('fork-measure.yml and fork-publish.yml show the result of a fork, labelled', async () => {
    await open();
    const pull = { number: 9, headSha: COMMIT, fork: true };
    const label = 'rollout-bench-approved';
    const stored = { ...storedPull(pull), labels: [label] };
    stage.github.conversation.pulls.push(stored);
    stage.github.approvals.setLabel(stored, label);
    const refused = await run('fork-measure.yml', labeledEvent(pull, label), 1007);
    expect(results(refused), last(refused)).toEqual({ measure: 'failure' });
    expect(messages(refused.log)).toContain('RB360');

    // As the operator of a host that may be lost does.
    const operators = join(stage.host.workspace, 'artifacts/rollout-bench/.host');
    await mkdir(operators, { recursive: true });
    await writeFile(join(operators, 'allow-forks'), '');
    const measured = await run('fork-measure.yml', labeledEvent(pull, label), 1008);
    expect(results(measured), last(measured)).toEqual({ measure: 'success' });
    // Only the step that reads the approval asks anything.
    expect(stage.apiRequests()).toEqual([
      'pulls/get',
      'issues/list-events-for-timeline',
      'repos/list-activities',
      'repos/get-collaborator-permission-level',
    ]);

    const published = await run('fork-publish.yml', workflowRunEvent(1008, pull), 1009);
    expect(results(published), last(published)).toEqual({ publish: 'success' });
    expect(stage.github.conversation.comments[0]?.body).toContain('not authenticated');
    expect(stage.github.git.readRef('rollout-bench')).toBeNull();
  });
});
