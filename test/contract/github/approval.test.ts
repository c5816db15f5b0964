import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Approvers, NO_EXCEPTIONS } from '../../../src/approval/approvers.ts';
import {
  type ApprovalPlace,
  environmentApproval,
  type Reading,
} from '../../../src/github/approval-sources.ts';
import { labelApproval, labelContradiction } from '../../../src/github/label-approval.ts';
import {
  type PlanFileRequest,
  planFileApproval,
  planFileContradiction,
} from '../../../src/github/plan-file-approval.ts';
import { observed } from '../../../src/model/pins.ts';
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
const refusal = (reading: Reading): string =>
  'refused' in reading ? reading.refused : 'excluded' in reading ? reading.excluded : 'approved';
/** Nobody is known to have a part in it but those whom GitHub names. */
const APPROVERS: Approvers = { involved: { authors: [], starters: [] }, exceptions: NO_EXCEPTIONS };
const PLAN = planOf(7);
const DIGEST = planDigest(PLAN);
const ADA = { login: 'ada', id: 7 };

describe('an environment', () => {
  const ask = (environment: string | null = null, approvers = APPROVERS) =>
    environmentApproval(place({ actions: 'read' }), {
      ...{ runId: 42, attempt: 1, environment, planDigest: DIGEST, approvers },
    });
  const started = (by: { actor?: string; again?: string; event?: string; attempt?: number } = {}) => {
    github.service.runs.length = 0;
    github.service.runs.push({ id: 42, headSha: 'b'.repeat(40), event: 'push', headRepoId: 1, ...by });
  };
  beforeEach(() => started());
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

  it.each([
    ['started the run', { actor: 'ADA' }],
    ['started it again', { actor: 'bob', again: 'ada', attempt: 2 }],
    ['started a schedule again', { actor: 'bob', again: 'ada', attempt: 2, event: 'schedule' }],
  ])('does not when the reviewer %s', async (_, by) => {
    review();
    started(by);
    expect(await ask()).toEqual({ excluded: expect.stringContaining('approved by ada started this run') });
    // The operator's word, by name and for this reason only.
    const bot = { ...APPROVERS, exceptions: { ...NO_EXCEPTIONS, author: ['ada'], bot: ['ada'] } };
    expect(refusal(await ask(null, bot))).toContain('started this run');
    const allowed = { ...APPROVERS, exceptions: { ...NO_EXCEPTIONS, starter: ['Ada'] } };
    expect(await ask(null, allowed)).toMatchObject({ evidence: { actor: 'ada', excepted: ['starter'] } });
  });

  it('does when the reviewer only edited the schedule that started it', async () => {
    review();
    started({ actor: 'ada', event: 'schedule' });
    expect(refusal(await ask())).toBe('approved');
  });

  it('does not when the reviewer opened the pull request, or is no person', async () => {
    review();
    const approvers = { ...APPROVERS, involved: { authors: ['ada'], starters: [] } };
    expect(refusal(await ask(null, approvers))).toContain('ada made this change');
    github.approvals.reviews.length = 0;
    review({ user: { login: 'release-app[bot]', id: 9, type: 'Bot' } });
    expect(refusal(await ask())).toContain('release-app[bot] is no person');
  });

  it('takes the review of somebody who may beside one of somebody who may not', async () => {
    review({ user: { login: 'grace', id: 12 } });
    review();
    started({ actor: 'ada' });
    expect(await ask()).toMatchObject({ evidence: { actor: 'grace', reference: { ordinal: 1 } } });
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
  const pull = (change: { headSha?: string; labels?: string[]; headRepo?: string; author?: string } = {}) =>
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
  const push = (timestamp: string, after = HEAD, actor = { login: 'pusher', id: 11 }) =>
    github.approvals.activity.unshift({
      actor,
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
      approvers: APPROVERS,
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

  it('set by whoever opened the pull request, or pushed to it last, does not count', async () => {
    pull({ author: 'Ada' });
    push('2026-11-29T11:00:00Z');
    label();
    expect(await ask()).toEqual({ excluded: expect.stringContaining('set by ada made this change') });
    github.conversation.pulls.length = 0;
    pull();
    // A colleague's pull request with a commit of hers on top.
    push('2026-11-29T11:30:00Z', HEAD, ADA);
    expect(refusal(await ask())).toContain('set by ada made this change');
    const exceptions = { ...NO_EXCEPTIONS, author: ['ada'] };
    const request = { pullRequest: 12, label: 'rollout-bench-approved', headCommit: HEAD };
    expect(
      await labelApproval(place(), { ...request, approvers: { ...APPROVERS, exceptions } }),
    ).toMatchObject({
      evidence: { actor: 'ada', excepted: ['author'] },
    });
    const reference = { source: 'label', pullRequest: 12, eventId: 900, label: request.label } as const;
    const measured = { headCommit: HEAD, approvers: APPROVERS };
    expect(await labelContradiction(place(), reference, measured)).toContain('made this change');
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
    const request = {
      pullRequest: 12,
      label: 'rollout-bench-approved',
      headCommit: HEAD,
      approvers: APPROVERS,
    };
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
    const measured = { headCommit: HEAD, approvers: APPROVERS };
    expect(await labelContradiction(place(), reference, measured)).toBeNull();
    expect(await labelContradiction(place(), { ...reference, eventId: 1 }, measured)).toContain(
      'does not show',
    );
    github.approvals.roles.set('ada', 'read');
    expect(await labelContradiction(place(), reference, measured)).toContain('no write access');
  });

  it('is seen again for the commit on which it was set, and for no other', async () => {
    pull();
    push('2026-11-29T10:00:00Z', 'a'.repeat(40));
    push('2026-11-29T11:00:00Z');
    push('2026-11-29T13:00:00Z', 'f'.repeat(40));
    label();
    const reference = { source: 'label', pullRequest: 12, eventId: 900, label: 'x' } as const;
    const again = (headCommit: string | null) =>
      labelContradiction(
        place(),
        { ...reference, label: 'rollout-bench-approved' },
        { headCommit, approvers: APPROVERS },
      );
    expect(await again(HEAD)).toBeNull();
    for (const other of ['a'.repeat(40), 'f'.repeat(40), null])
      expect(await again(other)).toContain('does not show that the label');
    push(LABELLED);
    expect(await again(HEAD)).toContain('does not show that the label');
  });
});

describe('a plan on the base branch', () => {
  const merged = (after: string, before: string | null, actor: { login: string; id: number }) =>
    github.approvals.activity.unshift({
      ...{ repo: 'acme/robots', ref: 'refs/heads/main', after, timestamp: '2026-11-29T11:00:00Z' },
      ...{ before: before ?? '0'.repeat(40), type: 'pr_merge', actor },
    });
  const commitPlan = (content: string, mode = '100644', by = ADA) => {
    const { git } = github;
    const parent = git.readRef('main');
    const blob = git.writeBlob(Buffer.from(content));
    const tree = git.writeTree(null, [{ path: 'benchmark/plan.json', mode, sha: blob }]) ?? '';
    const commit = git.writeCommit(tree, parent === null ? [] : [parent], 'plan') ?? '';
    expect(git.swapRef('main', commit, parent)).toBe(true);
    merged(commit, parent, by);
    return { blob, commit };
  };
  const ask = (
    plan = PLAN,
    path = 'benchmark/plan.json',
    approvers = APPROVERS,
    { observed = [], accepted = [] }: Partial<PlanFileRequest> = {},
  ) => {
    const request = { path, branch: 'main', plan, observed, accepted, approvers };
    return planFileApproval(place({ contents: 'read' }), request);
  };

  it('approves itself, field by field', async () => {
    const { blob, commit } = commitPlan(planFileText([{ plan: PLAN, pins: [] }]));
    expect(await ask()).toMatchObject({
      evidence: { actor: 'ada', reference: { source: 'plan-file', branch: 'main', blob, commit } },
    });
  });

  describe('by who brought it there', () => {
    const EVE = { login: 'eve', id: 8 };
    const involving = (login: string) => ({ ...APPROVERS, involved: { authors: [], starters: [login] } });
    /** The branch moves on, and the plan stays. */
    const moveOn = (name: string, by: { login: string; id: number; type?: 'Bot' }) => {
      const { git } = github;
      const parent = git.readRef('main') ?? '';
      const tree = git.readCommit(parent)?.tree ?? null;
      const blob = git.writeBlob(Buffer.from(name));
      const next = git.writeTree(tree, [{ path: name, mode: '100644', sha: blob }]) ?? '';
      const commit = git.writeCommit(next, [parent], name) ?? '';
      expect(git.swapRef('main', commit, parent)).toBe(true);
      merged(commit, parent, by);
    };

    it('is the push that brought it, however often others pushed before and since', async () => {
      commitPlan('an older one', '100644', EVE);
      commitPlan(JSON.stringify(PLAN));
      for (let n = 0; n < 130; n += 1) moveOn(`file-${n}`, EVE);
      github.seen.length = 0;
      expect(await ask(PLAN, 'benchmark/plan.json', involving('eve'))).toMatchObject({
        evidence: { actor: 'ada' },
      });
      expect(github.count('repos/compare-commits')).toBeLessThan(10);
      expect(refusal(await ask(PLAN, 'benchmark/plan.json', involving('ada')))).toContain(
        'brought to main by ada started this run',
      );
    });

    it('is whoever brought it back, not whoever brought it first', async () => {
      commitPlan(JSON.stringify(PLAN));
      commitPlan('{}', '100644', EVE);
      commitPlan(JSON.stringify(PLAN), '100644', EVE);
      expect(refusal(await ask(PLAN, 'benchmark/plan.json', involving('eve')))).toContain('by eve');
    });

    it('is whoever set the branch anew', async () => {
      commitPlan(JSON.stringify(PLAN));
      moveOn('more', EVE);
      const [last] = github.approvals.activity;
      if (last !== undefined) github.approvals.activity[0] = { ...last, type: 'force_push' };
      expect(refusal(await ask(PLAN, 'benchmark/plan.json', involving('eve')))).toContain('by eve');
    });

    it('is no program, and nobody whom the record does not name', async () => {
      commitPlan(JSON.stringify(PLAN), '100644', { ...EVE, login: 'merger[bot]' });
      expect(refusal(await ask())).toContain('merger[bot] is no person');
      github.approvals.activity.length = 0;
      expect(refusal(await ask())).toContain('does not tell who brought');
      moveOn('more', ADA);
      expect(refusal(await ask())).toContain('does not tell who brought');
    });
  });

  it('gives one right, however its path is written', async () => {
    commitPlan(planFileText([{ plan: PLAN, pins: [] }]));
    for (const path of ['./benchmark/plan.json', 'benchmark//plan.json', 'benchmark/./plan.json/'])
      expect(await ask(PLAN, path)).toMatchObject({
        evidence: { reference: { path: 'benchmark/plan.json' } },
      });
  });

  it('approves no other plan, and says what differs', async () => {
    commitPlan(JSON.stringify(PLAN));
    const eased = { ...PLAN, thresholds: { ...PLAN.thresholds, minSuccessRate: 0.1 } };
    expect(refusal(await ask(eased))).toContain('min-success-rate was not set, now 0.1');
    expect(refusal(await ask({ ...PLAN, suite: 'libero_goal' }))).toContain('no plan of libero_goal');
  });

  it('approves no run on another host than it was made with, unless that is accepted by name', async () => {
    const pins = [observed('target contract sha256', 'a'.repeat(64)), observed('simulator', 'sim 1')];
    commitPlan(planFileText([{ plan: PLAN, pins }]));
    const now = [observed('target contract sha256', 'b'.repeat(64)), observed('simulator', 'sim 1')];
    const on = (more: Partial<PlanFileRequest>) => ask(PLAN, 'benchmark/plan.json', APPROVERS, more);
    expect(refusal(await on({ observed: pins }))).toBe('approved');
    expect(refusal(await on({ observed: now }))).toContain(
      'target contract sha256 was aaaaaaaaaaaa, now bbbbbbbbbbbb',
    );
    expect(refusal(await on({ observed: now, accepted: ['simulator'] }))).toContain('contract');
    expect(refusal(await on({ observed: now, accepted: ['contract'] }))).toBe('approved');
    expect(
      refusal(await on({ observed: [now[0] ?? observed('x', null)], accepted: ['contract'] })),
    ).toContain('simulator was "sim 1", now unknown');
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
    const measured = { digest: DIGEST, branches: ['main'], approvers: APPROVERS };
    expect(await planFileContradiction(place(), reference, measured)).toBeNull();
    const eased = { ...measured, digest: '0'.repeat(64) };
    expect(await planFileContradiction(place(), reference, eased)).toContain('another plan');
    const other = { ...reference, blob: 'a'.repeat(40) };
    expect(await planFileContradiction(place(), other, measured)).toContain('another file');
    const own = { ...APPROVERS, involved: { authors: ['ada'], starters: [] } };
    expect(await planFileContradiction(place(), reference, { ...measured, approvers: own })).toContain(
      'brought to main by ada made this change',
    );
    // A branch that nothing is merged into is anybody's.
    const elsewhere = await planFileContradiction(place(), reference, { ...measured, branches: ['release'] });
    expect(elsewhere).toContain('only one on release counts');
  });
});
