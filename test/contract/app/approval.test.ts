import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approve } from '../../../src/app/approve.ts';
import { run } from '../../../src/app/run.ts';
import { attemptFolder } from '../../../src/bundle/layout.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { approvalSchema, reservationSchema } from '../../../src/model/approval.ts';
import { runFactsSchema } from '../../../src/model/run-facts.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { ApprovalStage, codesOf, type Given, HEAD, measure } from './approval-stage.ts';
import { called } from './verb-context.ts';

let stage: ApprovalStage;
beforeEach(async () => {
  stage = await ApprovalStage.open();
});
afterEach(async () => {
  await stage.close();
});

const approveStep = (given: Given = {}) => stage.approve(given);
const runStep = (given: Given = {}) => stage.run(given);
const reviewed = (runId = 42) => stage.reviewed(runId);
const queued = () => stage.github.seen.filter(({ operation }) => !/^(?:twirp|blob)\//.test(operation));

describe('mode approve, then mode run', () => {
  it('runs once, asks nobody while it runs, and keeps the approval in the bundle', async () => {
    reviewed();
    expect(await approveStep()).toBe('exit 0');
    expect(await leftOversIn(stage.workspace)).toEqual([]);
    stage.github.seen.length = 0;
    expect(await runStep()).toBe('exit 0');
    expect(queued()).toEqual([]);
    const bundle = join(stage.workspace, attemptFolder('gh42-gate-libero_spatial', 1));
    const json = (name: string): unknown => JSON.parse(readFileSync(join(bundle, name), 'utf8'));
    const approval = approvalSchema.parse(json('approval.json'));
    expect(approval).toMatchObject({ actor: 'ada', binding: { headCommit: HEAD } });
    expect(reservationSchema.parse(json('reservation.json'))).toMatchObject({
      approvalId: approval.id,
      runId: 'gh42-gate-libero_spatial',
      runUrl: expect.stringContaining('/actions/runs/42'),
    });
    expect(runFactsSchema.parse(json('run.json')).approval).toEqual({ state: 'approved', approval });
    expect(await verifyBundle(bundle)).toEqual([]);

    // Pressing re-run, and approving what was approved already, gives no new right.
    expect(await approveStep({ attempt: 2 })).toBe('exit 0');
    for (const again of [{ attempt: 2 }, { githubRun: 43 }]) {
      const refused = await runStep(again);
      expect(refused).toContain('RB379');
      expect(refused).toContain('actions/runs/42');
    }
    // A reviewer who is asked again, and says yes again, gives one.
    reviewed();
    expect(await approveStep({ attempt: 3 })).toBe('exit 0');
    expect(await runStep({ attempt: 3 })).toBe('exit 0');
  });

  it('says why none is needed, and what asks for one', async () => {
    const where = ['--workspace', stage.workspace, '--suite', 'libero_spatial', '--tasks', '0'];
    const { verb, log } = await called(['approve', ...where, '--purpose', 'release']);
    expect(await approve(verb)).toBe(0);
    expect(log.lines.join('\n')).toMatch(/no approval is needed, .*command line.*asks for one/);
  });

  it('refuses before anything is queued when nothing was approved', async () => {
    expect(await approveStep()).toContain('RB840');
    const refused = await runStep();
    expect(refused).toContain('RB377');
    expect(refused).toContain('the input approval asks for one');
    expect(await leftOversIn(stage.workspace)).toEqual([]);
  });

  it('refuses a plan, a commit or a pin that is not the approved one, and names it', async () => {
    reviewed();
    expect(await approveStep({ inputs: { 'policy-ref': 'v1' } })).toBe('exit 0');
    const changed = [
      [
        { inputs: { 'policy-ref': 'v1', 'min-success-rate': '10%' } },
        'min-success-rate was not set, now 0.1',
      ],
      [{ inputs: { 'policy-ref': 'v2' } }, 'policy-ref was v1, now it is v2'],
      [{ inputs: { 'policy-ref': 'v1' }, head: 'd'.repeat(40) }, `commit was ${HEAD}`],
    ] as const;
    for (const [given, expected] of changed) {
      const refused = await runStep(given);
      expect(refused).toContain('RB378');
      expect(refused).toContain(expected);
    }
    expect(await leftOversIn(stage.workspace)).toEqual([]);
    expect(await runStep({ inputs: { 'policy-ref': 'v1' } })).toBe('exit 0');
  });

  it('lets an interrupted run go on, and nobody else', async () => {
    reviewed();
    expect(await approveStep({ inputs: { 'init-states': '0-9' } })).toBe('exit 0');
    const cancelled = stage.step({});
    const verb = cancelled.main(stage.inputs({ mode: 'run', 'init-states': '0-9' }));
    const stopping = { ...verb.log, progress: () => cancelled.cancelled.abort() };
    for (const name of ['info', 'warning', 'error', 'group', 'endGroup'] as const)
      Object.assign(stopping, { [name]: verb.log[name].bind(verb.log) });
    expect(await codesOf(measure({ ...verb, log: stopping }))).toBe('exit 4');
    const other = await runStep({ githubRun: 43, inputs: { 'init-states': '0-9' } });
    expect(other).toContain('RB379');
    expect(other).toContain('resume: gh42-gate-libero_spatial');
    expect(await runStep({ attempt: 2, inputs: { 'init-states': '0-9' } })).toBe('exit 0');
    expect(await runStep({ attempt: 3, inputs: { 'init-states': '0-9' } })).toContain('RB379');
  });

  it('gives the right back when the run queued nothing', async () => {
    reviewed();
    expect(await approveStep()).toBe('exit 0');
    expect(await runStep({ inputs: { resume: 'gh41-gate-libero_spatial' } })).toContain('RB420');
    expect(await runStep({ githubRun: 44 })).toBe('exit 0');
  });

  it('does not run anew under an approval whose run cannot be continued', async () => {
    reviewed();
    expect(await approveStep()).toBe('exit 0');
    expect(await runStep()).toBe('exit 0');
    // The run was sealed, and the host died before it could say so.
    const ledger = join(stage.workspace, 'artifacts/rollout-bench/.host/approvals.jsonl');
    const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n');
    expect(lines.at(-1)).toContain('settled');
    writeFileSync(ledger, `${lines.slice(0, -1).join('\n')}\n`);
    expect(await runStep({ attempt: 2 })).toContain('RB382');
  });
});

describe('mode all', () => {
  it('reads the approval itself', async () => {
    reviewed();
    const all = stage.step({});
    const said = await codesOf(measure(all.main(stage.inputs({ mode: 'all', 'min-success-rate': '1%' }))));
    expect(said, all.log.lines.join('\n')).toBe('exit 0');
    expect(stage.github.count('actions/get-reviews-for-run')).toBe(1);
    expect(await runStep({ attempt: 2, inputs: { mode: 'all', 'min-success-rate': '1%' } })).toContain(
      'RB379',
    );
  });

  it('says why each source has none, with the permission to add', async () => {
    stage.github.token('t', {});
    const said = await runStep({ inputs: { mode: 'all', approval: 'environment' } });
    expect(said).toContain('RB377');
    expect(said).toContain('RB843');
    expect(said).toContain('actions: read');
  });

  it('takes a label on the pull request that was set after the last push', async () => {
    stage.github.conversation.pulls.push({
      number: 12,
      state: 'open',
      headSha: HEAD,
      headRef: 'faster',
      headRepoId: 1,
      headRepo: 'acme/robots',
      baseSha: 'c'.repeat(40),
      baseRef: 'main',
      baseRepoId: 1,
      baseRepo: 'acme/robots',
      labels: ['rollout-bench-approved'],
    });
    stage.github.approvals.roles.set('ada', 'admin');
    const at = { repo: 'acme/robots', ref: 'refs/heads/faster', after: HEAD };
    stage.github.approvals.activity.push({ ...at, timestamp: '2026-11-29T11:00:00Z' });
    stage.github.approvals.timeline.push({
      issue: 12,
      event: 'labeled',
      id: 900,
      label: 'rollout-bench-approved',
      actor: { login: 'ada', id: 7 },
      createdAt: '2026-11-29T12:00:00Z',
    });
    const inputs = { mode: 'all', approval: 'label', 'min-success-rate': '1%' };
    const onPull = (given: Given) =>
      codesOf(measure(stage.step({ ...given, pull: 1 }).main(stage.inputs(inputs))));
    // The event of an older push must not use it.
    expect(await onPull({ head: 'a'.repeat(40) })).toContain('is now bbbb');
    expect(await onPull({})).toBe('exit 0');
  });
});

describe('the operator of the host', () => {
  const rules = (text: string) => {
    mkdirSync(join(stage.workspace, 'artifacts/rollout-bench/.host'), { recursive: true });
    writeFileSync(join(stage.workspace, 'artifacts/rollout-bench/.host/approval.yml'), text);
  };

  it('can demand an approval whatever the workflow says, on the command line too', async () => {
    rules('sessions-above: 1\nsources: [label]\n');
    expect(await runStep({ inputs: { approval: 'none' } })).toContain(
      'the operator of the host demands one above 1',
    );
    expect(await runStep({ inputs: { approval: 'environment' } })).toContain('RB381');
    const { verb } = await called([
      'run',
      ...Object.entries(stage.inputs()).flatMap(([name, value]) =>
        HIDDEN.has(name) ? [] : [`--${name}`, value],
      ),
    ]);
    expect(await codesOf(run(verb))).toContain('RB377');
    expect(await leftOversIn(stage.workspace)).toEqual([]);
  });

  it('who allows forks has each commit of theirs approved, whatever the fork writes into its workflow', async () => {
    rules('');
    writeFileSync(join(stage.workspace, 'artifacts/rollout-bench/.host/allow-forks'), '');
    const ofFork = (repository: number) => stage.run({ pull: repository, inputs: { approval: 'none' } });
    expect(await ofFork(2)).toContain(
      "RB377 run of libero_spatial: it needs an approval (it runs the code of a fork's",
    );
    expect(await leftOversIn(stage.workspace)).toEqual([]);
    expect(await ofFork(1)).toBe('exit 0');
  });

  it('whose file cannot be read stops every run', async () => {
    rules('purposes: [everything]\n');
    expect(await runStep({ inputs: { approval: 'none' } })).toContain('RB376');
    rmSync(join(stage.workspace, 'artifacts/rollout-bench/.host/approval.yml'));
    expect(await runStep({ inputs: { approval: 'none' } })).toBe('exit 0');
  });
});

/** Inputs that the command line does not have. */
const HIDDEN = new Set(['comment', 'report-branch', 'approval']);
