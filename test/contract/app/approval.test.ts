import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approve } from '../../../src/app/approve.ts';
import { run } from '../../../src/app/run.ts';
import { attemptFolder } from '../../../src/bundle/layout.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import type { VerbContext } from '../../../src/job/verb.ts';
import { approvalSchema, reservationSchema } from '../../../src/model/approval.ts';
import { runFactsSchema } from '../../../src/model/run-facts.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { LoopbackStep } from './loopback-step.ts';
import { called } from './verb-context.ts';

const HEAD = 'b'.repeat(40);

let github: LoopbackGitHub;
let host: Host;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t', { actions: 'read', contents: 'read', 'pull-requests': 'read' });
  host = await startHost({ watchdog: { pollMs: 10 } });
});
afterEach(async () => {
  await host.stop();
  await github.stop();
  expect(github.violations).toEqual([]);
});

interface Given {
  readonly githubRun?: number;
  readonly head?: string;
  readonly attempt?: number;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** A step on a push, or on a pull request of the repository with this id. */
function step({ githubRun = 42, head = HEAD, attempt = 1 }: Given, pull: number | null = null): LoopbackStep {
  const event = join(host.workspace, 'event.json');
  const repository = { id: 1, full_name: 'acme/robots', default_branch: 'main', private: true };
  const side = { ref: 'main', sha: 'c'.repeat(40), repo: repository };
  const pullRequest = {
    number: 12,
    state: 'open',
    head: { ref: 'faster', sha: head, repo: { ...repository, id: pull } },
    base: side,
  };
  writeFileSync(
    event,
    JSON.stringify({ repository, ...(pull === null ? {} : { pull_request: pullRequest }) }),
  );
  return new LoopbackStep(github, {
    GITHUB_EVENT_NAME: pull === null ? 'push' : 'pull_request',
    GITHUB_EVENT_PATH: event,
    GITHUB_SHA: head,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_RUN_ID: String(githubRun),
    GITHUB_RUN_ATTEMPT: String(attempt),
    GITHUB_JOB: 'gate',
    RUNNER_ENVIRONMENT: 'self-hosted',
  });
}

const inputsOf = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  workspace: host.workspace,
  suite: 'libero_spatial',
  tasks: '0',
  'init-states': '0-1',
  'policy-endpoint': host.policyEndpoint,
  'policy-wait': '1',
  comment: 'false',
  'report-branch': 'none',
  approval: 'environment',
  ...more,
});

async function codesOf(work: Promise<number>): Promise<string> {
  try {
    return `exit ${await work}`;
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    expect(error.exitCode).toBe(3);
    return error.message;
  }
}

/** With a clock that runs as the host's does. */
const measure = (verb: VerbContext) => run({ ...verb, clock: systemClock });
const approveStep = (given: Given = {}) =>
  codesOf(approve(step(given).main(inputsOf({ mode: 'approve', ...given.inputs }))));
const runStep = (given: Given = {}) =>
  codesOf(measure(step(given).main(inputsOf({ mode: 'run', ...given.inputs }))));
const reviewed = (runId = 42) =>
  github.approvals.reviews.push({
    runId,
    environment: 'release',
    state: 'approved',
    user: { login: 'ada', id: 7 },
    comment: '',
  });
const queued = () => github.seen.filter(({ operation }) => !/^(?:twirp|blob)\//.test(operation));

describe('mode approve, then mode run', () => {
  it('runs once, asks nobody while it runs, and keeps the approval in the bundle', async () => {
    reviewed();
    expect(await approveStep()).toBe('exit 0');
    expect(await leftOversIn(host.workspace)).toEqual([]);
    github.seen.length = 0;
    expect(await runStep()).toBe('exit 0');
    expect(queued()).toEqual([]);
    const bundle = join(host.workspace, attemptFolder('gh42-gate-libero_spatial', 1));
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
    const where = ['--workspace', host.workspace, '--suite', 'libero_spatial', '--tasks', '0'];
    const { verb, log } = await called(['approve', ...where, '--purpose', 'release']);
    expect(await approve(verb)).toBe(0);
    expect(log.lines.join('\n')).toMatch(/no approval is needed, .*command line.*asks for one/);
  });

  it('refuses before anything is queued when nothing was approved', async () => {
    expect(await approveStep()).toContain('RB840');
    const refused = await runStep();
    expect(refused).toContain('RB377');
    expect(refused).toContain('the input approval asks for one');
    expect(await leftOversIn(host.workspace)).toEqual([]);
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
    expect(await leftOversIn(host.workspace)).toEqual([]);
    expect(await runStep({ inputs: { 'policy-ref': 'v1' } })).toBe('exit 0');
  });

  it('lets an interrupted run go on, and nobody else', async () => {
    reviewed();
    expect(await approveStep({ inputs: { 'init-states': '0-9' } })).toBe('exit 0');
    const cancelled = step({});
    const verb = cancelled.main(inputsOf({ mode: 'run', 'init-states': '0-9' }));
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
    const ledger = join(host.workspace, 'artifacts/rollout-bench/.host/approvals.jsonl');
    const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n');
    expect(lines.at(-1)).toContain('settled');
    writeFileSync(ledger, `${lines.slice(0, -1).join('\n')}\n`);
    expect(await runStep({ attempt: 2 })).toContain('RB382');
  });
});

describe('mode all', () => {
  it('reads the approval itself', async () => {
    reviewed();
    const all = step({});
    const said = await codesOf(measure(all.main(inputsOf({ mode: 'all', 'min-success-rate': '1%' }))));
    expect(said, all.log.lines.join('\n')).toBe('exit 0');
    expect(github.count('actions/get-reviews-for-run')).toBe(1);
    expect(await runStep({ attempt: 2, inputs: { mode: 'all', 'min-success-rate': '1%' } })).toContain(
      'RB379',
    );
  });

  it('says why each source has none, with the permission to add', async () => {
    github.token('t', {});
    const said = await runStep({ inputs: { mode: 'all', approval: 'environment' } });
    expect(said).toContain('RB377');
    expect(said).toContain('RB843');
    expect(said).toContain('actions: read');
  });

  it('takes a label on the pull request that was set after the last push', async () => {
    github.conversation.pulls.push({
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
    github.approvals.roles.set('ada', 'admin');
    const at = { repo: 'acme/robots', ref: 'refs/heads/faster', after: HEAD };
    github.approvals.activity.push({ ...at, timestamp: '2026-11-29T11:00:00Z' });
    github.approvals.timeline.push({
      issue: 12,
      event: 'labeled',
      id: 900,
      label: 'rollout-bench-approved',
      actor: { login: 'ada', id: 7 },
      createdAt: '2026-11-29T12:00:00Z',
    });
    const inputs = { mode: 'all', approval: 'label', 'min-success-rate': '1%' };
    const onPull = (given: Given) => codesOf(measure(step(given, 1).main(inputsOf(inputs))));
    // The event of an older push must not use it.
    expect(await onPull({ head: 'a'.repeat(40) })).toContain('is now bbbb');
    expect(await onPull({})).toBe('exit 0');
  });
});

describe('the operator of the host', () => {
  const rules = (text: string) => {
    mkdirSync(join(host.workspace, 'artifacts/rollout-bench/.host'), { recursive: true });
    writeFileSync(join(host.workspace, 'artifacts/rollout-bench/.host/approval.yml'), text);
  };

  it('can demand an approval whatever the workflow says, on the command line too', async () => {
    rules('sessions-above: 1\nsources: [label]\n');
    expect(await runStep({ inputs: { approval: 'none' } })).toContain(
      'the operator of the host demands one above 1',
    );
    expect(await runStep({ inputs: { approval: 'environment' } })).toContain('RB381');
    const { verb } = await called([
      'run',
      ...Object.entries(inputsOf()).flatMap(([name, value]) =>
        HIDDEN.has(name) ? [] : [`--${name}`, value],
      ),
    ]);
    expect(await codesOf(run(verb))).toContain('RB377');
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('who allows forks has each commit of theirs approved, whatever the fork writes into its workflow', async () => {
    rules('');
    writeFileSync(join(host.workspace, 'artifacts/rollout-bench/.host/allow-forks'), '');
    const ofFork = (repository: number) =>
      codesOf(measure(step({}, repository).main(inputsOf({ mode: 'run', approval: 'none' }))));
    expect(await ofFork(2)).toContain(
      "RB377 run of libero_spatial: it needs an approval (it runs the code of a fork's",
    );
    expect(await leftOversIn(host.workspace)).toEqual([]);
    expect(await ofFork(1)).toBe('exit 0');
  });

  it('whose file cannot be read stops every run', async () => {
    rules('purposes: [everything]\n');
    expect(await runStep({ inputs: { approval: 'none' } })).toContain('RB376');
    rmSync(join(host.workspace, 'artifacts/rollout-bench/.host/approval.yml'));
    expect(await runStep({ inputs: { approval: 'none' } })).toBe('exit 0');
  });
});

/** Inputs that the command line does not have. */
const HIDDEN = new Set(['comment', 'report-branch', 'approval']);
