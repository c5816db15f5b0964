import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptFolder } from '../../../src/bundle/layout.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { approvalSchema } from '../../../src/model/approval.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { ApprovalStage, type Given, HEAD } from './approval-stage.ts';

let stage: ApprovalStage;
beforeEach(async () => {
  stage = await ApprovalStage.open();
});
afterEach(async () => {
  await stage.close();
});

const startedBy = (actor: string, again = actor) => ({
  env: { GITHUB_ACTOR: actor, GITHUB_TRIGGERING_ACTOR: again },
});
const rules = (text: string) => {
  const folder = join(stage.workspace, 'artifacts/rollout-bench/.host');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'approval.yml'), text);
};

describe('whoever starts a run', () => {
  it('does not review it, whatever the environment of the job says of who that was', async () => {
    stage.started(42, { actor: 'ada' });
    stage.reviewed();
    const said = await stage.approve(startedBy('grace'));
    expect(said).toContain('RB385');
    expect(said).toContain('approved by ada started this run');
    expect(await stage.run()).toContain('RB377');
    expect(await leftOversIn(stage.workspace)).toEqual([]);
  });

  it('does not use what they approved for the run of somebody else', async () => {
    stage.reviewed();
    expect(await stage.approve(startedBy('grace'))).toBe('exit 0');
    for (const by of [startedBy('ada'), startedBy('grace', 'ADA')]) {
      const said = await stage.run({ githubRun: 43, ...by });
      expect(said).toContain('RB385');
      expect(said).toMatch(/given by ada started this run/i);
    }
    expect(await leftOversIn(stage.workspace)).toEqual([]);
    expect(await stage.run(startedBy('grace'))).toBe('exit 0');
  });

  it('may where the operator of the host names them, and the bundle says so', async () => {
    stage.started(42, { actor: 'ada' });
    stage.reviewed();
    rules('may-approve: { starter: [Ada] }\n');
    expect(await stage.approve(startedBy('ada'))).toBe('exit 0');
    expect(await stage.run(startedBy('ada'))).toBe('exit 0');
    const bundle = join(stage.workspace, attemptFolder('gh42-gate-libero_spatial', 1));
    const approval = approvalSchema.parse(JSON.parse(readFileSync(join(bundle, 'approval.json'), 'utf8')));
    expect(approval).toMatchObject({ actor: 'ada', excepted: ['starter'] });
    expect(await verifyBundle(bundle)).toEqual([]);
  });
});

describe('whoever opened a pull request', () => {
  beforeEach(() => {
    stage.github.conversation.pulls.push({
      ...{ number: 12, state: 'open', headSha: HEAD, headRef: 'faster', headRepoId: 1, author: 'ada' },
      ...{ headRepo: 'acme/robots', baseSha: 'c'.repeat(40), baseRef: 'main', baseRepoId: 1 },
      ...{ baseRepo: 'acme/robots', labels: [] },
    });
    stage.reviewed();
  });

  it('does not review it where the run names it by its number alone', async () => {
    const said = await stage.approve({ inputs: { 'pr-number': '12' }, ...startedBy('grace') });
    expect(said).toContain('RB385');
    expect(said).toContain('approved by ada made this change');
    stage.reviewed(42, 'bob');
    expect(await stage.approve({ inputs: { 'pr-number': '12' }, ...startedBy('grace') })).toBe('exit 0');
  });

  it('does not review it in a merge queue', async () => {
    const queue = `refs/heads/gh-readonly-queue/main/pr-12-${'d'.repeat(40)}`;
    const refs = { base_ref: 'refs/heads/main', head_ref: queue };
    const event = { merge_group: { ...refs, base_sha: 'c'.repeat(40), head_sha: HEAD } };
    const env = { GITHUB_EVENT_NAME: 'merge_group', GITHUB_REF: queue, ...startedBy('grace').env };
    expect(await stage.approve({ event, env })).toContain('approved by ada made this change');
    stage.reviewed(42, 'bob');
    expect(await stage.approve({ event, env })).toBe('exit 0');
  });
});

describe('a label', () => {
  const labelled = (by: string) => {
    stage.github.conversation.pulls.push({
      ...{ number: 12, state: 'open', headSha: HEAD, headRef: 'faster', headRepoId: 1 },
      ...{ headRepo: 'acme/robots', baseSha: 'c'.repeat(40), baseRef: 'main', baseRepoId: 1 },
      ...{ baseRepo: 'acme/robots', labels: ['rollout-bench-approved'] },
    });
    stage.github.approvals.roles.set(by, 'write');
    const at = { repo: 'acme/robots', ref: 'refs/heads/faster', after: HEAD };
    stage.github.approvals.activity.push({ ...at, timestamp: '2026-11-29T11:00:00Z' });
    stage.github.approvals.timeline.push({
      ...{ issue: 12, event: 'labeled', id: 900, label: 'rollout-bench-approved' },
      ...{ actor: { login: by, id: 7 }, createdAt: '2026-11-29T12:00:00Z' },
    });
  };
  const onPull = (more: Given) => stage.approve({ pull: 1, ...more, inputs: { approval: 'label' } });

  it('may itself start the run that it approves', async () => {
    labelled('ada');
    const event = { action: 'labeled', label: { name: 'Rollout-Bench-Approved' } };
    expect(await onPull({ event, ...startedBy('ada') })).toBe('exit 0');
  });

  it('that starts a run lets nobody approve it by another source', async () => {
    stage.reviewed();
    const event = { action: 'labeled', label: { name: 'rollout-bench-approved' } };
    const by = { pull: 1, event, ...startedBy('grace') };
    expect(await stage.approve(by)).toBe('exit 0');
    const said = await stage.run({ ...by, ...startedBy('ada') });
    expect(said).toContain('RB385');
    expect(said).toContain('given by ada started this run');
  });

  it('does not count for a run that its setter started by anything else', async () => {
    labelled('ada');
    expect(await onPull({ event: { action: 'synchronize' }, ...startedBy('author', 'ada') })).toContain(
      'RB385',
    );
    const other = { action: 'labeled', label: { name: 'bug' } };
    expect(await onPull({ event: other, ...startedBy('ada') })).toContain('RB385');
    expect(await onPull({ event: { action: 'synchronize' }, ...startedBy('author') })).toBe('exit 0');
  });

  it('of the author counts only by the word of the operator', async () => {
    labelled('author');
    const said = await onPull(startedBy('grace'));
    expect(said).toContain('set by author made this change');
    // Another reason, or another name, is not theirs.
    rules('may-approve: { starter: [author], author: [ada] }\n');
    expect(await onPull(startedBy('grace'))).toContain('RB385');
    rules('may-approve: { author: [author] }\n');
    expect(await onPull(startedBy('grace'))).toBe('exit 0');
  });
});
