import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pullRequestEvent, storedPull, workflowRunEvent } from './events.ts';
import { Stage, tail } from './stage.ts';

const PULL = { number: 12, headSha: '7'.repeat(40), fork: true };

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  stage.github.conversation.pulls.push(storedPull(PULL));
});
afterAll(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

const measure = (runId: number, env: Readonly<Record<string, string>>) =>
  stage.run({
    event: pullRequestEvent(PULL),
    runId,
    permissions: {},
    inputs: {
      mode: 'run',
      suite: 'libero_spatial',
      tasks: '0-2',
      'init-states': '0-2',
      'min-success-rate': '30%',
      workspace: stage.host.workspace,
      'policy-endpoint': stage.host.policyEndpoint,
    },
    env,
  });

const publish = (
  runId: number,
  measuringRun: number,
  {
    pull = PULL,
    permissions,
  }: { pull?: typeof PULL; permissions?: Parameters<Stage['run']>[0]['permissions'] } = {},
) =>
  stage.run({
    ...(permissions === undefined ? {} : { permissions }),
    event: workflowRunEvent(measuringRun, pull),
    runId,
    job: 'report',
    inputs: { mode: 'report' },
    env: { RUNNER_ENVIRONMENT: 'github-hosted' },
  });

/** Every file of a folder with a hash of its content and the time of its last change. */
async function inventory(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const place = join(entry.parentPath, entry.name);
    const { mtimeMs } = await stat(place);
    if (!entry.isFile()) return `${place} ${mtimeMs}`;
    return `${place} ${mtimeMs} ${createHash('sha256')
      .update(await readFile(place))
      .digest('hex')}`;
  });
  return (await Promise.all(lines)).toSorted();
}

it('refuses the code of a fork on a self-hosted runner before anything is touched', async () => {
  const before = await inventory(stage.host.workspace);
  const { main, post } = await measure(501, {});
  expect(main.exitCode, tail(main.output)).toBe(3);
  expect(main.output).toContain('RB360');
  expect(main.output).toContain('github.event.pull_request.head.repo.id');
  expect(post).toMatchObject({ exitCode: 0, output: 'Nothing to clean up.\n' });
  expect(await inventory(stage.host.workspace)).toEqual(before);
  expect(stage.github.seen).toEqual([]);
  expect(main.outputs).toEqual({});
});

it('publishes what a fork measured elsewhere, labelled and outside of history and baselines', async () => {
  const measured = await measure(502, { RUNNER_ENVIRONMENT: 'github-hosted' });
  expect(measured.main.exitCode, tail(measured.main.output)).toBe(0);
  expect(stage.apiRequests()).toEqual([]);

  const { main } = await publish(503, 502);
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(main.outputs).toMatchObject({ verdict: 'PASS', valid: '9' });
  const [comment, ...others] = stage.github.conversation.comments;
  expect(others).toEqual([]);
  expect(comment?.issue).toBe(12);
  expect(comment?.body).toContain('not authenticated');
  expect(stage.github.git.readRef('rollout-bench')).toBeNull();
});

it('names the permission without which the bundle cannot be fetched', async () => {
  const { main } = await publish(506, 502, { permissions: { contents: 'read', 'pull-requests': 'write' } });
  expect(main.exitCode, tail(main.output)).toBe(4);
  expect(main.output).toContain('actions: read');
});

it('writes no comment when the pull request has moved on, and the verdict stays', async () => {
  stage.github.conversation.comments.length = 0;
  stage.github.conversation.pulls.splice(0, 1, storedPull({ ...PULL, headSha: '8'.repeat(40) }));
  const { main } = await publish(504, 502);
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(main.outputs['verdict']).toBe('PASS');
  expect(main.output).toContain('RB816');
  expect(stage.github.conversation.comments).toEqual([]);
  expect(main.outputs['comment-url']).toBe('');
});

it('writes no comment to a pull request of another repository than the one that was measured', async () => {
  stage.github.conversation.pulls.splice(0, 1, storedPull({ ...PULL, fork: false }));
  const { main } = await publish(505, 502);
  expect(main.output).toContain('RB816');
  expect(stage.github.conversation.comments).toEqual([]);
});
