import { afterAll, beforeAll, expect, it } from 'vitest';
import { scheduleEvent, tagEvent } from './events.ts';
import { Stage, tail } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
  // Evidence that cannot be attached to its release fails the step.
  stage.github.releases.releases.push({ id: 1, tag: 'v1.2.0', draft: true, assets: [] });
  await qualify(200, { 'min-success-rate': '30%' });
  // No call to GitHub: a step of it works with `permissions: {}`.
  expect(stage.apiRequests()).toEqual([]);
});
afterAll(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

const COMMIT = 'e'.repeat(40);

/** Of the repository, in its config file. */
type Settings = Readonly<Record<string, string>>;
const NO_ANCHOR: Settings = { anchor: 'none' };

/** The job of a release, let into its environment by a reviewer. */
const gate = (
  runId: number,
  inputs: Readonly<Record<string, string>>,
  event = tagEvent('v1.2.0', COMMIT),
  settings: Settings = {},
) => {
  stage.github.approvals.approveRun(runId);
  stage.github.service.runs.push({ id: runId, headSha: COMMIT, event: event.name, headRepoId: 1 });
  return job(runId, inputs, event, settings);
};

/** What is shown of the benchmark holds for the floors that it was shown with. */
const qualify = async (runId: number, floors: Readonly<Record<string, string>>): Promise<void> => {
  const { main } = await gate(runId, { mode: 'qualify', 'policy-endpoint': '', ...floors });
  expect(main.exitCode, tail(main.output)).toBe(0);
};

const job = (
  runId: number,
  inputs: Readonly<Record<string, string>>,
  event = tagEvent('v1.2.0', COMMIT),
  settings: Settings = {},
) =>
  stage.run({
    event,
    runId,
    settings,
    inputs: {
      suite: 'libero_spatial',
      tasks: '0-2',
      'init-states': '0-2',
      workspace: stage.host.workspace,
      'policy-endpoint': stage.host.policyEndpoint,
      ...inputs,
    },
  });

const errors = (commands: readonly { name: string; message: string }[]): string =>
  commands
    .filter(({ name }) => name === 'error')
    .map(({ message }) => message)
    .join('\n');

it('lets a release through whose rate reaches the floor', async () => {
  const { main } = await gate(201, { 'min-success-rate': '30%' });
  expect(main.exitCode, tail(main.output)).toBe(0);
  expect(main.outputs['verdict']).toBe('PASS');
  expect(main.outputs['evidence-grade']).toBe('qualified');
  expect(main.summary).toContain('PASS');
});

it('begins no release that nobody approved, and none twice', async () => {
  const { main } = await job(209, { 'min-success-rate': '30%' });
  expect(main.exitCode, tail(main.output)).toBe(3);
  // Another run of the same plan and commit was approved, and has its right.
  expect(main.output).toContain('RB379');
  expect(main.output).toContain('RB840');
  const again = await job(201, { 'min-success-rate': '30%' });
  expect(again.main.exitCode, tail(again.main.output)).toBe(3);
  expect(again.main.output).toContain('RB379');
});

it('begins none whose floor is another than the one that the benchmark was qualified for', async () => {
  const { main } = await gate(208, { 'min-success-rate': '10%' });
  expect(main.exitCode, tail(main.output)).toBe(3);
  expect(main.output).toContain('RB372');
  // A workflow command escapes the percent sign.
  expect(main.output).toContain('min-success-rate was 30 %25, now it is 10 %25');
});

it('fails the step of a release below the floor, and still keeps report and bundle', async () => {
  await qualify(203, { 'min-success-rate': '90%' });
  stage.host.policies[0]?.setMode({ kind: 'bad', skill: 0.1 });
  const { main } = await gate(202, { 'min-success-rate': '90%' });
  expect(main.exitCode, tail(main.output)).toBe(1);
  expect(main.outputs['verdict']).toBe('FAIL');
  expect(JSON.parse(main.outputs['reasons'] ?? '[]')).not.toEqual([]);
  expect(JSON.parse(main.outputs['failed-tasks'] ?? '[]')).not.toEqual([]);
  expect(errors(main.commands)).not.toBe('');
  expect(main.summary).toContain('FAIL');
  expect(main.outputs['artifact-id']).toMatch(/^\d+$/);
  stage.host.policies[0]?.setMode({ kind: 'good' });
});

it('says that there is nothing to compare with yet when neither floor nor baseline is given', async () => {
  await qualify(204, {});
  const { main } = await gate(205, {}, undefined, NO_ANCHOR);
  expect(main.exitCode, tail(main.output)).toBe(4);
  expect(JSON.parse(main.outputs['reasons'] ?? '[]')).toEqual([expect.objectContaining({ code: 'no_gate' })]);
});

it('never accepts a release as the baseline of a branch', async () => {
  const commit = stage.github.git.readRef('rollout-bench') ?? '';
  const paths = (stage.github.git.listTree(commit, true) ?? []).map(({ path }) => path);
  expect(paths).toContain('history/libero_spatial/tags~2fv1.2.0.jsonl');
  expect(paths.filter((path) => path.startsWith('baselines'))).toEqual([]);
});

it('compares a release with what the default branch has accepted, and does not pass it on too little evidence', async () => {
  const night = await gate(206, {}, scheduleEvent('f'.repeat(40)), NO_ANCHOR);
  expect(night.main.exitCode, tail(night.main.output)).toBe(0);
  // Nine pairs cannot rule out a drop of five points.
  const { main } = await gate(207, {}, undefined, NO_ANCHOR);
  expect(main.outputs['verdict'], tail(main.output)).toBe('INCONCLUSIVE');
  expect(main.exitCode).toBe(4);
  expect(main.summary).toContain('INCONCLUSIVE');
  expect(JSON.parse(main.outputs['reasons'] ?? '[]')).toEqual([
    expect.objectContaining({
      code: 'cannot_tell',
      text: expect.stringContaining('against main at ffffffffff'),
    }),
  ]);
});

it('warns of too little evidence where that may pass', async () => {
  const { main } = await gate(208, { 'on-inconclusive': 'pass' });
  expect(main.outputs['verdict'], tail(main.output)).toBe('INCONCLUSIVE');
  expect(main.exitCode).toBe(0);
  expect(main.commands.filter(({ name }) => name === 'warning')).not.toEqual([]);
});
