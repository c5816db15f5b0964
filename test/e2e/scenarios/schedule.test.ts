import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mergeGroupEvent, pullRequestEvent, scheduleEvent, storedPull } from './events.ts';
import { jsonLines, Stage, tail } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

/** Thirty pairs cannot rule out a drop of the default five points, however equal they are. */
const EVALUATION = {
  suite: 'libero_spatial',
  tasks: '0-9',
  'init-states': '0-2',
  'max-regression': '20%',
};
/** Of the repository, in its config file. */
const SETTINGS = { 'retry-errors': '0' };
const commitOf = (night: number): string => String(night).repeat(40);

const inputs = () => ({
  ...EVALUATION,
  workspace: stage.host.workspace,
  'policy-endpoint': stage.host.policyEndpoint,
});
const night = (number: number, more: Readonly<Record<string, string>> = {}) =>
  stage.run({
    event: scheduleEvent(commitOf(number)),
    runId: 300 + number,
    settings: SETTINGS,
    inputs: { ...inputs(), ...more },
  });

it('keeps the history of three nights, of which one went wrong', async () => {
  const first = await night(1);
  expect(first.main.exitCode, tail(first.main.output)).toBe(0);

  stage.host.policies[0]?.setMode({ kind: 'broken', how: 'noactions' });
  const second = await night(2, { tasks: '0-2', 'init-states': '0' });
  expect(second.main.outputs['verdict'], tail(second.main.output)).toBe('INVALID');
  expect(second.main.exitCode).toBe(4);
  expect(second.main.outputs['success-rate']).toBe('');

  stage.host.policies[0]?.setMode({ kind: 'good' });
  const third = await night(3);
  expect(third.main.exitCode, tail(third.main.output)).toBe(0);

  const clone = await stage.clone('rollout-bench');
  const history = await jsonLines(clone, 'history/libero_spatial/main.jsonl');
  expect(history.map(({ commit, verdict, valid }) => ({ commit, verdict, valid }))).toEqual([
    { commit: commitOf(1), verdict: 'INCONCLUSIVE', valid: 30 },
    { commit: commitOf(2), verdict: 'INVALID', valid: 0 },
    { commit: commitOf(3), verdict: 'PASS', valid: 30 },
  ]);
  expect(await readFile(join(clone, 'index.html'), 'utf8')).toContain('gh302');
});

it('accepts the nights that were measured whole as the baseline, and no other', async () => {
  const clone = await stage.clone('rollout-bench');
  const [header, ...cells] = await jsonLines(clone, 'baselines/libero_spatial/main/episodes.jsonl');
  expect(header).toMatchObject({ commit: commitOf(3), acceptedBy: 'schedule' });
  expect(cells).toHaveLength(30);
});

it('finds the regression of a pull request against it, and names the episodes', async () => {
  const pull = { number: 9, headSha: 'f'.repeat(40), fork: false };
  stage.github.conversation.pulls.push(storedPull(pull));
  stage.host.policies[0]?.setMode({ kind: 'bad', skill: 0.3 });
  const { main } = await stage.run({
    event: pullRequestEvent(pull),
    runId: 310,
    settings: SETTINGS,
    inputs: inputs(),
  });
  expect(main.outputs['verdict'], tail(main.output)).toBe('FAIL');
  expect(main.exitCode).toBe(1);
  const regressed = Number(main.outputs['regressed']);
  expect(regressed).toBeGreaterThan(5);
  const body = stage.github.conversation.comments[0]?.body ?? '';
  expect(body).toContain('FAIL');
  // Written so that GitHub makes no link of it.
  expect(body).toContain('main at 333333<!-- -->3333');
  // Each episode with the command that runs it again.
  const commands = [...body.matchAll(/rollout-bench run .*--tasks (\d+) --init-states (\d+)/g)];
  expect(commands.length).toBeGreaterThanOrEqual(Math.min(10, regressed));
  expect(main.summary).toContain('FAIL');
});

it('finds the same fall in a merge queue, by a check that is red, and keeps nothing of it', async () => {
  const before = stage.github.git.readRef('rollout-bench');
  const commit = 'e'.repeat(40);
  const { main } = await stage.run({
    event: mergeGroupEvent(commit),
    runId: 312,
    settings: SETTINGS,
    inputs: { ...inputs(), check: 'evaluation', comment: 'short' },
  });
  expect(main.outputs['verdict'], tail(main.output)).toBe('FAIL');
  expect(main.exitCode).toBe(1);
  expect(main.summary).toContain('main at');
  expect(stage.github.checks.checks.at(-1)).toMatchObject({ headSha: commit, conclusion: 'failure' });
  expect(main.output).toContain('nothing of it enters history, badge or page');
  expect(stage.github.git.readRef('rollout-bench')).toBe(before);
  // The queue's commit is the head of no pull request, so none is asked for.
  expect(stage.apiRequests().filter((operation) => operation.startsWith('pulls/'))).toEqual([]);
});

it('passes a pull request that changes nothing that counts', async () => {
  const pull = { number: 10, headSha: '9'.repeat(40), fork: false };
  stage.github.conversation.pulls.push(storedPull(pull));
  stage.host.policies[0]?.setMode({ kind: 'good' });
  const { main } = await stage.run({
    event: pullRequestEvent(pull),
    runId: 311,
    settings: SETTINGS,
    inputs: inputs(),
  });
  expect(main.outputs['verdict'], tail(main.output)).toBe('PASS');
  expect(main.outputs).toMatchObject({ regressed: '0', fixed: '0' });
  // All pairs agree in outcome and steps, which two checkpoints hardly ever do.
  expect(main.output).toContain('same policy');
});
