import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ApprovalPlace,
  environmentApproval,
  type Reading,
} from '../../../src/github/approval-sources.ts';
import { labelApproval, labelContradiction } from '../../../src/github/label-approval.ts';
import { planFileApproval, planFileContradiction } from '../../../src/github/plan-file-approval.ts';
import { planDigest } from '../../../src/plan/make-plan.ts';
import { planFileText } from '../../../src/plan/plan-file.ts';
import { planOf } from '../bundle/bundle-builder.ts';
import { clientFor, REPOSITORY } from './loopback/client-for.ts';
import type { Permissions } from './loopback/exchange.ts';
import { LoopbackGitHub } from './loopback/loopback-github.ts';

let github: LoopbackGitHub;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

const place = (permissions?: Permissions): ApprovalPlace => ({
  client: clientFor(github, github.token('t', permissions)),
  repository: REPOSITORY,
  serverUrl: 'https://github.com',
});
const refusal = (reading: Reading): string => ('refused' in reading ? reading.refused : 'approved');
const PLAN = planOf(7);
const DIGEST = planDigest(PLAN);
const ADA = { login: 'ada', id: 7 };

describe('an environment', () => {
  const ask = (environment: string | null = null) =>
    environmentApproval(place({ actions: 'read' }), { runId: 42, environment, planDigest: DIGEST });
  const review = (change: Partial<(typeof github.approvals.reviews)[number]> = {}) =>
    github.approvals.reviews.push({
      runId: 42,
      environment: 'release',
      state: 'approved',
      user: ADA,
      comment: '',
      ...change,
    });

  it('approves when a reviewer of this run did', async () => {
    review({ comment: 'looks good' });
    expect(await ask()).toMatchObject({
      evidence: {
        actor: 'ada',
        comment: 'looks good',
        reference: { source: 'environment', runId: 42, environment: 'release', ordinal: 1 },
      },
    });
  });

  it('does not when nobody did, another run was approved, or it was rejected', async () => {
    expect(refusal(await ask())).toContain('no required reviewer');
    review({ runId: 41 });
    review({ state: 'rejected' });
    expect(refusal(await ask())).toContain('no required reviewer');
  });

  it('counts the approvals of a run that is started again', async () => {
    review();
    review();
    expect(await ask('release')).toMatchObject({ evidence: { reference: { ordinal: 2 } } });
  });

  it('of a plan is no approval of another one that was approved before', async () => {
    review({ comment: `plan ${DIGEST}` });
    review({ comment: `plan ${'0'.repeat(12)}` });
    // The second yes is for another plan, so there is one right for this plan, not two.
    expect(await ask()).toMatchObject({ evidence: { reference: { ordinal: 1 } } });
  });

  it('must be named where a run has several', async () => {
    review();
    review({ environment: 'staging' });
    expect(refusal(await ask())).toContain('release, staging');
    expect(await ask('staging')).toMatchObject({ evidence: { reference: { environment: 'staging' } } });
    expect(refusal(await ask('production'))).toContain('production');
  });

  it.each([
    ['this plan', `plan ${DIGEST.slice(0, 12)} is fine`, 'approved'],
    ['this plan among others', `plan ${'0'.repeat(12)}, plan ${DIGEST}`, 'approved'],
    ['a commit only', `checked ${'d'.repeat(40)}`, 'approved'],
    ['another plan', `Plan digest: \`${'0'.repeat(12)}\``, 'the reviewer approved plan 000000000000'],
    ['another whole digest', '0'.repeat(64), 'the reviewer approved plan 0000'],
  ])('whose comment names %s', async (_, comment, expected) => {
    review({ comment });
    expect(refusal(await ask())).toContain(expected);
  });
});

describe('a label', () => {
  const HEAD = 'b'.repeat(40);
  const LABELLED = '2026-11-29T12:00:00Z';
  const pull = (change: { headSha?: string; labels?: string[]; headRepo?: string } = {}) =>
    github.conversation.pulls.push({
      number: 12,
      state: 'open',
      headSha: HEAD,
      headRef: 'faster',
      headRepoId: 2,
      headRepo: 'stranger/robots',
      baseSha: 'c'.repeat(40),
      baseRef: 'main',
      baseRepoId: 1,
      baseRepo: 'acme/robots',
      labels: ['bug', 'Rollout-Bench-Approved'],
      ...change,
    });
  const label = (
    change: { actor?: { login: string; id: number; type?: 'Bot' }; event?: 'unlabeled'; id?: number } = {},
  ) =>
    github.approvals.timeline.push({
      issue: 12,
      event: 'labeled',
      id: 900,
      label: 'rollout-bench-approved',
      actor: ADA,
      createdAt: LABELLED,
      ...change,
    });
  const commit = (date: string) =>
    github.approvals.timeline.push({ issue: 12, event: 'committed', sha: HEAD, date });
  const push = (timestamp: string, after = HEAD) =>
    github.approvals.activity.unshift({
      repo: 'stranger/robots',
      ref: 'refs/heads/faster',
      after,
      timestamp,
    });
  const ask = (headCommit: string | null = HEAD) =>
    labelApproval(place({ 'pull-requests': 'read', contents: 'read' }), {
      pullRequest: 12,
      label: 'rollout-bench-approved',
      headCommit,
    });
  beforeEach(() => {
    github.approvals.roles.set('ada', 'write').set('eve', 'read');
  });

  it('approves the commit that a person with write access set it on', async () => {
    pull();
    commit('2026-11-29T11:00:00Z');
    push('2026-11-29T11:00:01Z');
    label();
    expect(await ask()).toMatchObject({
      evidence: {
        actor: 'ada',
        permission: 'write',
        at: LABELLED,
        reference: { source: 'label', pullRequest: 12, eventId: 900 },
      },
    });
  });

  it('is too old when something was pushed since, however old the commit says it is', async () => {
    pull();
    // A commit whose author dated it back is listed before the label.
    commit('2020-01-01T00:00:00Z');
    label();
    push('2026-11-29T12:00:01Z');
    expect(refusal(await ask())).toContain('older than the last push');
  });

  it('counts when the commit says that it comes from the future', async () => {
    pull();
    push('2026-11-29T11:00:00Z');
    label();
    commit('2030-01-01T00:00:00Z');
    expect(refusal(await ask())).toBe('approved');
  });

  it('is too old when it was pushed in the same second, or by force', async () => {
    pull();
    push(LABELLED);
    label();
    expect(refusal(await ask())).toContain('older than the last push');
    github.approvals.activity.length = 0;
    push('2026-11-29T11:00:00Z');
    github.approvals.timeline.push({
      issue: 12,
      event: 'head_ref_force_pushed',
      id: 901,
      actor: { login: 'eve', id: 8 },
      createdAt: '2026-11-29T12:30:00Z',
    });
    expect(refusal(await ask())).toContain('older than the last push');
  });

  it('cannot be placed when GitHub does not show the last push', async () => {
    pull();
    label();
    expect(refusal(await ask())).toContain('does not show yet');
    push('2026-11-29T11:00:00Z', 'a'.repeat(40));
    expect(refusal(await ask())).toContain('does not show yet');
  });

  it('is for the head that is measured and no other', async () => {
    pull({ headSha: 'f'.repeat(40) });
    push('2026-11-29T11:00:00Z', 'f'.repeat(40));
    label();
    expect(refusal(await ask())).toContain('is now ffff');
    expect(refusal(await ask(null))).toContain('no known commit');
  });

  it('must be there still', async () => {
    pull({ labels: [] });
    push('2026-11-29T11:00:00Z');
    label();
    expect(refusal(await ask())).toContain('does not have the label');
    github.conversation.pulls.length = 0;
    pull();
    label({ event: 'unlabeled', id: 901 });
    expect(refusal(await ask())).toContain('does not show who set');
  });

  it.each([
    ['a person without write access', { login: 'eve', id: 8 }, 'no write access (read)'],
    ['a program', { login: 'github-actions[bot]', id: 9, type: 'Bot' as const }, 'no person'],
  ])('set by %s does not count', async (_, actor, expected) => {
    pull();
    push('2026-11-29T11:00:00Z');
    label({ actor });
    expect(refusal(await ask())).toContain(expected);
  });

  it('is found behind a hundred other events', async () => {
    pull();
    for (let n = 0; n < 130; n += 1) commit('2026-11-29T10:00:00Z');
    push('2026-11-29T11:00:00Z');
    label();
    expect(refusal(await ask())).toBe('approved');
  });

  it('names the permission that is missing', async () => {
    pull();
    label();
    const request = { pullRequest: 12, label: 'rollout-bench-approved', headCommit: HEAD };
    await expect(labelApproval(place({ 'pull-requests': 'read' }), request)).rejects.toMatchObject({
      kind: 'permission',
      purpose: { permissions: ['contents: read'] },
    });
  });

  it('is seen again after it is gone, and an invented one is not', async () => {
    pull({ labels: [] });
    label();
    const reference = {
      source: 'label',
      pullRequest: 12,
      eventId: 900,
      label: 'rollout-bench-approved',
    } as const;
    push('2026-11-29T11:00:00Z');
    expect(await labelContradiction(place(), reference, HEAD)).toBeNull();
    expect(await labelContradiction(place(), { ...reference, eventId: 1 }, HEAD)).toContain('does not show');
    github.approvals.roles.set('ada', 'read');
    expect(await labelContradiction(place(), reference, HEAD)).toContain('no write access');
  });

  it('is seen again for the commit on which it was set, and for no other', async () => {
    pull();
    push('2026-11-29T10:00:00Z', 'a'.repeat(40));
    push('2026-11-29T11:00:00Z');
    push('2026-11-29T13:00:00Z', 'f'.repeat(40));
    label();
    const reference = { source: 'label', pullRequest: 12, eventId: 900, label: 'x' } as const;
    const again = (headCommit: string | null) =>
      labelContradiction(place(), { ...reference, label: 'rollout-bench-approved' }, headCommit);
    expect(await again(HEAD)).toBeNull();
    for (const other of ['a'.repeat(40), 'f'.repeat(40), null])
      expect(await again(other)).toContain('does not show that the label');
    push(LABELLED);
    expect(await again(HEAD)).toContain('does not show that the label');
  });
});

describe('a plan on the base branch', () => {
  const commitPlan = (content: string, mode = '100644') => {
    const { git } = github;
    const parent = git.readRef('main');
    const blob = git.writeBlob(Buffer.from(content));
    const tree = git.writeTree(null, [{ path: 'benchmark/plan.json', mode, sha: blob }]) ?? '';
    const commit = git.writeCommit(tree, parent === null ? [] : [parent], 'plan') ?? '';
    expect(git.swapRef('main', commit, parent)).toBe(true);
    return { blob, commit };
  };
  const ask = (plan = PLAN, path = 'benchmark/plan.json') =>
    planFileApproval(place({ contents: 'read' }), { path, branch: 'main', plan });

  it('approves itself, field by field', async () => {
    const { blob, commit } = commitPlan(planFileText([{ plan: PLAN, pins: [] }]));
    expect(await ask()).toMatchObject({
      evidence: { actor: null, reference: { source: 'plan-file', branch: 'main', blob, commit } },
    });
  });

  it('approves no other plan, and says what differs', async () => {
    commitPlan(JSON.stringify(PLAN));
    const eased = { ...PLAN, thresholds: { ...PLAN.thresholds, minSuccessRate: 0.1 } };
    expect(refusal(await ask(eased))).toContain('min-success-rate was not set, now 0.1');
    expect(refusal(await ask({ ...PLAN, suite: 'libero_goal' }))).toContain('no plan of libero_goal');
  });

  it.each([
    ['with a field approved', JSON.stringify({ ...PLAN, approved: true })],
    ['edited after its digest', planFileText([{ plan: PLAN, pins: [] }]).replace('"seed": 1', '"seed": 2')],
    ['that is no JSON', 'approved: true'],
  ])('is none %s', async (_, text) => {
    commitPlan(text);
    expect(refusal(await ask())).toMatch(/no plan: .*(approved|edited|JSON)/);
  });

  it('must be a plain file that is there', async () => {
    commitPlan(JSON.stringify(PLAN), '120000');
    expect(refusal(await ask())).toContain('is not on main');
    expect(refusal(await ask(PLAN, 'benchmark'))).toContain('is not on main');
    expect(refusal(await ask(PLAN, 'benchmark/plan.json/x'))).toContain('is not on main');
  });

  it('is seen again after the branch moved on, and an invented one is not', async () => {
    const first = commitPlan(JSON.stringify(PLAN));
    commitPlan('{}');
    const reference = {
      source: 'plan-file',
      path: 'benchmark/plan.json',
      branch: 'main',
      protected: false,
      ...first,
    } as const;
    expect(await planFileContradiction(place(), reference, DIGEST, ['main'])).toBeNull();
    expect(await planFileContradiction(place(), reference, '0'.repeat(64), ['main'])).toContain(
      'another plan',
    );
    const other = { ...reference, blob: 'a'.repeat(40) };
    expect(await planFileContradiction(place(), other, DIGEST, ['main'])).toContain('another file');
    // A branch that nothing is merged into is anybody's.
    const elsewhere = await planFileContradiction(place(), reference, DIGEST, ['release']);
    expect(elsewhere).toContain('only one on release counts');
  });
});
