import { afterAll, beforeAll, expect, it } from 'vitest';
import { pullRequestEvent, storedPull } from './events.ts';
import { Stage, tail } from './stage.ts';

const PULL = { number: 14, headSha: '4'.repeat(40), fork: false };

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  stage.github.conversation.pulls.push(storedPull(PULL));
});
afterAll(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

const evaluate = (
  runId: number,
  permissions: Parameters<Stage['run']>[0]['permissions'],
  more: Readonly<Record<string, string>> = {},
) =>
  stage.run({
    event: pullRequestEvent(PULL),
    runId,
    ...(permissions === undefined ? {} : { permissions }),
    inputs: {
      suite: 'libero_spatial',
      tasks: '0-2',
      'init-states': '0-1',
      'min-success-rate': '10%',
      workspace: stage.host.workspace,
      'policy-endpoint': stage.host.policyEndpoint,
      ...more,
    },
  });

const warnings = (commands: readonly { name: string; message: string }[]): string =>
  commands
    .filter(({ name }) => name === 'warning')
    .map(({ message }) => message)
    .join('\n');

it('decides the same without any permission, and names those that are missing', async () => {
  const { main } = await evaluate(701, {}, { check: 'rollout-bench' });
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(main.outputs['verdict']).toBe('PASS');
  const said = warnings(main.commands);
  for (const permission of ['contents: write', 'pull-requests: write', 'checks: write'])
    expect(said).toContain(permission);
  expect(main.outputs).toMatchObject({ 'comment-url': '', 'report-url': '' });
  expect(main.outputs['artifact-id']).toMatch(/^\d+$/);
  expect(main.summary).toContain('PASS');
  expect(stage.github.conversation.comments).toEqual([]);
});

it('still measures, decides, uploads and summarises without a token', async () => {
  const before = stage.apiRequests().length;
  const { main } = await evaluate(702, null, { check: 'rollout-bench' });
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(warnings(main.commands)).toMatch(/RB817.*check run rollout-bench[\s\S]*checks: write/);
  expect(main.outputs['verdict']).toBe('PASS');
  expect(main.outputs['artifact-id']).toMatch(/^\d+$/);
  expect(main.summary).toContain('PASS');
  expect(stage.apiRequests()).toHaveLength(before);
});

it('mode run asks GitHub nothing, even with a token that may do everything', async () => {
  const before = stage.apiRequests().length;
  const { main } = await evaluate(703, undefined, { mode: 'run' });
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(stage.apiRequests()).toHaveLength(before);
});

it('works without an artifact service', async () => {
  const { main } = await stage.run({
    event: pullRequestEvent(PULL),
    runId: 704,
    inputs: {
      suite: 'libero_spatial',
      tasks: '0-2',
      'init-states': '0',
      workspace: stage.host.workspace,
      'policy-endpoint': stage.host.policyEndpoint,
      check: 'rollout-bench',
    },
    env: { ACTIONS_RESULTS_URL: '', ACTIONS_RUNTIME_TOKEN: '' },
  });
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(main.outputs['artifact-id']).toBe('');
  expect(main.output).toContain('The bundle is kept in');
  expect(stage.github.conversation.comments).toHaveLength(1);
  expect(stage.github.checks.checks).toHaveLength(1);
});
