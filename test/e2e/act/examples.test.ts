import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  dispatchEvent,
  type JobEvent,
  labeledEvent,
  pullRequestEvent,
  storedPull,
  workflowRunEvent,
} from '../scenarios/events.ts';
import { jsonLines, Stage } from '../scenarios/stage.ts';
import { ACT, messages, runInAct, type WorkflowEnd } from './act.ts';

const COMMIT = 'e'.repeat(40);
const why = ACT === null ? ' (skipped: ACT names no act binary, see .ci/run)' : '';

let stage: Stage;
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
      SIM_A_WORKSPACE: stage.host.workspace,
      SIM_A_POLICY: stage.host.policyEndpoint,
      SIM_B_WORKSPACE: stage.hosts.at(-1)?.workspace ?? '',
      SIM_B_POLICY: stage.hosts.at(-1)?.policyEndpoint ?? '',
    },
  });

const results = (end: WorkflowEnd) => Object.fromEntries(end.jobs.map(({ job, result }) => [job, result]));
const last = (end: WorkflowEnd) => messages(end.log).split('\n').slice(-60).join('\n');

/** Those of pull requests, nights and releases are told as one story in story.test.ts. */
describe.skipIf(ACT === null)(`docs/examples in act${why}`, () => {
  it('pull-request.yml does not even start for a fork', async () => {
    await open();
    const pull = { number: 8, headSha: COMMIT, fork: true };
    stage.github.conversation.pulls.push(storedPull(pull));
    const end = await run('pull-request.yml', pullRequestEvent(pull), 1002);
    expect(messages(end.log)).not.toContain('rollout-bench@v1');
    expect(stage.github.seen).toEqual([]);
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
