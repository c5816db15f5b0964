import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pullRequestEvent, storedPull } from './events.ts';
import { jsonLines, Stage, tail } from './stage.ts';

/** What a workflow of the README writes, on fewer episodes. */
const EVALUATION = { suite: 'libero_spatial', tasks: '0-2', 'init-states': '0-2', 'min-success-rate': '10%' };
const PULL = { number: 7, headSha: 'a'.repeat(40), fork: false };

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  stage.github.conversation.pulls.push(storedPull(PULL));
});
afterAll(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

const evaluate = (runId: number, headSha = PULL.headSha) =>
  stage.run({
    event: pullRequestEvent({ ...PULL, headSha }),
    runId,
    inputs: {
      ...EVALUATION,
      workspace: stage.host.workspace,
      'policy-endpoint': stage.host.policyEndpoint,
    },
  });

it('publishes the first run of a pull request everywhere', async () => {
  const { main, post } = await evaluate(101);
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(post?.exitCode).toBe(0);

  const { outputs } = main;
  expect(outputs).toMatchObject({
    verdict: 'PASS',
    planned: '9',
    valid: '9',
    errors: '0',
    'run-id': 'gh101-benchmark-libero_spatial',
    attempt: '1',
  });
  expect(Number(outputs['successes']) / 9).toBeCloseTo(Number(outputs['success-rate']));
  expect(Number(outputs['success-rate-low'])).toBeLessThan(Number(outputs['success-rate']));
  expect(outputs['plan-digest']).toMatch(/^[0-9a-f]{64}$/);
  expect(outputs['bundle-sha256']).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.parse(await readFile(outputs['results-path'] ?? '', 'utf8'))).toMatchObject({
    suite: 'libero_spatial',
  });
  expect(await readFile(outputs['report-path'] ?? '', 'utf8')).toContain('PASS');

  // The evidence, and the page that a click opens.
  expect(stage.github.service.artifacts.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^rollout-bench-/),
    expect.stringMatching(/^benchmark-page-.*\.html$/),
  ]);
  expect(stage.github.service.artifacts[0]).toMatchObject({
    id: Number(outputs['artifact-id']),
    runId: '101',
    finished: true,
  });

  expect(main.summary).toContain('PASS');
  expect(main.summary).toContain('libero_spatial');

  const [comment, ...others] = stage.github.conversation.comments;
  expect(others).toEqual([]);
  expect(comment).toMatchObject({ issue: 7, login: 'github-actions[bot]', edits: 0 });
  expect(outputs['comment-url']).toContain(`issuecomment-${comment?.id}`);
  expect(comment?.body).toContain('PASS');
  expect(comment?.body).toContain(`/actions/runs/101/artifacts/${outputs['artifact-id']}`);
  expect(stage.apiRequests().length).toBeLessThanOrEqual(15);
});

it('keeps history, page and report on a branch that anybody can clone', async () => {
  const clone = await stage.clone('rollout-bench');
  const history = await jsonLines(clone, 'history/libero_spatial/pull~2f7.jsonl');
  expect(history).toHaveLength(1);
  expect(history[0]).toMatchObject({ commit: PULL.headSha, pullRequest: 7, verdict: 'PASS', planned: 9 });
  const latest = await readFile(join(clone, 'latest.json'), 'utf8');
  expect(latest).toContain('gh101-benchmark-libero_spatial');
  expect(await readFile(join(clone, 'index.html'), 'utf8')).toContain('libero_spatial');
  const folder = join(clone, 'reports/libero_spatial/pull~2f7');
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toContain('PASS');
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('<!doctype html>');
});

it('updates the same comment and adds to the history when the pull request is pushed to', async () => {
  const next = 'b'.repeat(40);
  stage.github.conversation.pulls.splice(0, 1, storedPull({ ...PULL, headSha: next }));
  const { main } = await evaluate(102, next);
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(stage.github.conversation.comments).toHaveLength(1);
  expect(stage.github.conversation.comments[0]?.edits).toBe(1);
  expect(stage.github.conversation.comments[0]?.body).toContain('/actions/runs/102');
  const clone = await stage.clone('rollout-bench');
  const history = await jsonLines(clone, 'history/libero_spatial/pull~2f7.jsonl');
  expect(history.map(({ commit }) => commit)).toEqual([PULL.headSha, next]);
});

it('leaves nothing on the host but artifacts and the report', async () => {
  const sessions = await readFile(join(stage.host.workspace, 'SESSIONS.md'), 'utf8');
  expect(sessions).not.toContain('rb-');
  expect(await readFile(join(stage.host.workspace, 'TARGETS.md'), 'utf8')).not.toContain('--rb-');
});
