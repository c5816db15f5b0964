import { afterAll, beforeAll, expect, it } from 'vitest';
import { scheduleEvent } from './events.ts';
import { jsonLines, Stage, tail } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open([{}, {}]);
});
afterAll(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

const COMMIT = '5'.repeat(40);
const EVENT = scheduleEvent(COMMIT);

/** A job of the matrix: it may do nothing on GitHub. */
const measure = (shard: number, runId: number) => {
  const host = stage.hosts[shard - 1];
  return stage.run({
    event: EVENT,
    runId,
    job: 'measure',
    permissions: {},
    inputs: {
      mode: 'run',
      shard: `${shard}/2`,
      suite: 'libero_spatial',
      tasks: '0-3',
      'init-states': '0-2',
      workspace: host?.workspace ?? '',
      'policy-endpoint': host?.policyEndpoint ?? '',
      // Bad enough that no rate passes: what is measured must not decide this step.
      'min-success-rate': '100%',
    },
  });
};

const report = (runId: number) =>
  stage.run({
    event: EVENT,
    runId,
    job: 'report',
    inputs: { mode: 'report' },
    env: { RUNNER_ENVIRONMENT: 'github-hosted' },
  });

it('measures the two halves of a plan on two hosts without one request to the API', async () => {
  const [first, second] = await Promise.all([measure(1, 401), measure(2, 401)]);
  for (const { main } of [first, second]) {
    expect(main.exitCode, tail(main.output)).toBe(0);
    expect(main.outputs['planned']).toBe('6');
  }
  expect(first.main.outputs['plan-digest']).toBe(second.main.outputs['plan-digest']);
  expect(first.main.outputs['run-id']).not.toBe(second.main.outputs['run-id']);
  expect(stage.apiRequests()).toEqual([]);
  const names = stage.github.service.artifacts.map(({ name }) => name);
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(2);
});

it('puts them together in a job on another machine, which decides', async () => {
  const { main } = await report(401);
  expect(main.outputs['verdict'], tail(main.output)).toBe('FAIL');
  expect(main.exitCode).toBe(1);
  expect(main.outputs).toMatchObject({ planned: '12', valid: '12' });
  const clone = await stage.clone('rollout-bench');
  const history = await jsonLines(clone, 'history/libero_spatial/main.jsonl');
  expect(history).toHaveLength(1);
  expect(history[0]).toMatchObject({ commit: COMMIT, planned: 12, valid: 12, verdict: 'FAIL' });
});

it('does not pass a matrix of which one host is missing', async () => {
  const { main: measured } = await measure(1, 402);
  expect(measured.exitCode, tail(measured.output)).toBe(0);
  const { main } = await report(402);
  expect(main.outputs['verdict'], tail(main.output)).toBe('INVALID');
  expect(main.exitCode).toBe(4);
  expect(main.outputs).toMatchObject({ planned: '12', valid: '6' });
});

it('says what to do when there is nothing to report on', async () => {
  const { main } = await report(403);
  expect(main.exitCode, tail(main.output)).toBe(4);
  expect(main.output).toContain('RB709');
});

it('takes an artifact service that fails for what it is, not for a bug', async () => {
  const failure = { kind: 'answer', status: 403, body: { msg: 'not today' } } as const;
  stage.github.faults.add({ operation: 'twirp/ListArtifacts', failure });
  const { main } = await report(401);
  expect(main.exitCode, tail(main.output)).toBe(4);
  expect(main.output).toContain('RB822');
});
