import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { workspaceIdentity } from '../../../src/lane/workspace-identity.ts';
import { leftOversIn } from '../queue/bench-run.ts';
import { ApprovalStage, codesOf, type Given, measure } from './approval-stage.ts';

let stage: ApprovalStage;
let folder: string;
const others: Host[] = [];
beforeEach(async () => {
  stage = await ApprovalStage.open();
  folder = mkdtempSync(join(tmpdir(), 'rb-once-'));
});
afterEach(async () => {
  for (const host of others.splice(0)) await host.stop();
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Steps go on in a second workspace, with a simulation host of its own. */
async function elsewhere(): Promise<void> {
  const host = await startHost({ watchdog: { pollMs: 10 } });
  others.push(host);
  stage.workspace = host.workspace;
}

/** Another policy endpoint would be another measurement. */
const onRunner = (more: Given = {}): Given => ({ ...more, env: { RUNNER_TOOL_CACHE: folder, ...more.env } });
const all = (suite: string): Given => ({ inputs: { mode: 'all', suite, 'min-success-rate': '1%' } });

describe('one review', () => {
  it('is not read for another suite once it was read for one, used or not', async () => {
    stage.reviewed();
    expect(await stage.approve()).toBe('exit 0');
    for (const suite of ['libero_object', 'libero_object,libero_spatial']) {
      const said = await stage.run(all(suite));
      expect(said).toContain('RB387');
      expect(said).toContain('read for the suites libero_spatial before');
    }
    expect(await leftOversIn(stage.workspace)).toEqual([]);
    expect(await stage.run()).toBe('exit 0');
    expect(await stage.run(all('libero_object'))).toContain('RB387');
  });

  it('is for all suites of its job, in their order', async () => {
    stage.reviewed();
    expect(await stage.run(all('libero_spatial,libero_object'))).toBe('exit 0');
    const ran = readdirSync(join(stage.workspace, 'artifacts/rollout-bench')).filter((name) =>
      name.startsWith('gh'),
    );
    expect(ran).toEqual(['gh42-gate-libero_object', 'gh42-gate-libero_spatial']);
    for (const suites of ['libero_object', 'libero_object,libero_spatial', 'libero_spatial,libero_object'])
      expect(await stage.run({ githubRun: 42, ...all(suites), attempt: 2 })).toMatch(/RB387|RB379/);
  });

  it('is not used again in a second workspace of the runner', async () => {
    stage.reviewed();
    expect(await stage.approve(onRunner())).toBe('exit 0');
    expect(await stage.run(onRunner())).toBe('exit 0');
    await elsewhere();
    expect(await stage.approve(onRunner())).toBe('exit 0');
    const said = await stage.run(onRunner());
    expect(said).toContain('RB389');
    expect(said).toContain('one in another workspace');
    expect(await leftOversIn(stage.workspace)).toEqual([]);
    stage.reviewed();
    expect(await stage.approve(onRunner())).toBe('exit 0');
    expect(await stage.run(onRunner())).toBe('exit 0');
  });

  it('is not used in a copy of the workspace, before or after its use', async () => {
    stage.reviewed();
    expect(await stage.approve()).toBe('exit 0');
    const { workspace } = stage;
    cpSync(workspace, join(folder, 'copy'), { recursive: true });
    stage.workspace = join(folder, 'copy');
    const said = await stage.run();
    expect(said).toContain('RB378');
    expect(said).toContain('read for another workspace');
    stage.workspace = workspace;
    expect(await stage.run()).toBe('exit 0');
  });

  it('is not used in a copy that shares its files by hard links', async () => {
    stage.reviewed();
    // The workspace has its identity, and no ledger yet.
    await workspaceIdentity(hostFolder(stage.workspace));
    const copy = `${stage.workspace}-copy`;
    try {
      execFileSync('cp', ['-al', stage.workspace, copy]);
      expect(await stage.approve(onRunner())).toBe('exit 0');
      expect(await stage.run(onRunner())).toBe('exit 0');
      stage.workspace = copy;
      expect(await stage.approve(onRunner())).toBe('exit 0');
      expect(await stage.run(onRunner())).toContain('RB389');
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });

  it('goes on being one where the runner has no folder that can be written', async () => {
    stage.reviewed();
    writeFileSync(join(folder, 'rollout-bench'), 'in the way');
    const step = stage.step(onRunner());
    expect(await stage.approve()).toBe('exit 0');
    expect(await codesOf(measure(step.main(stage.inputs({ mode: 'run' }))))).toBe('exit 0');
    expect(step.log.lines.join('\n')).toContain('another workspace of this runner');
  });

  it('is used when GitHub shows that the job had it at an earlier start, on whatever host', async () => {
    stage.reviewed();
    const job = (attempt: number, runner: string | null, status: 'completed' | 'in_progress') =>
      stage.github.service.jobs.push({ runId: 42, attempt, name: 'Gate (1)', runner, status });
    job(1, 'host-a', 'completed');
    job(2, 'host-b', 'in_progress');
    const second: Given = { attempt: 2, env: { RUNNER_NAME: 'host-b' } };
    const said = await stage.approve(second);
    expect(said).toContain('RB388');
    expect(said).toContain('started once before in workflow run 42');
    expect(await stage.run({ ...second, ...all('libero_spatial') })).toContain('RB388');
    // A reviewer said yes again.
    stage.reviewed();
    expect(await stage.approve(second)).toBe('exit 0');
    expect(await stage.run(second)).toBe('exit 0');
  });

  it('is not used by a job that no runner took, by other jobs, or where this workspace knows better', async () => {
    stage.reviewed();
    expect(await stage.approve()).toBe('exit 0');
    const jobs = stage.github.service.jobs;
    jobs.push({ runId: 42, attempt: 1, name: 'gate', runner: 'host-a', status: 'completed' });
    jobs.push({ runId: 42, attempt: 2, name: 'gate', runner: 'host-a', status: 'in_progress' });
    const second: Given = { attempt: 2, env: { RUNNER_NAME: 'host-a' } };
    expect(await stage.approve(second)).toBe('exit 0');
    expect(await stage.run(second)).toBe('exit 0');
    await elsewhere();
    jobs.length = 0;
    jobs.push({ runId: 42, attempt: 1, name: 'gate', runner: null, status: 'completed' });
    jobs.push({ runId: 42, attempt: 1, name: 'lint', runner: 'host-a', status: 'completed' });
    jobs.push({ runId: 42, attempt: 2, name: 'gate', runner: 'host-a', status: 'in_progress' });
    expect(await stage.approve(second)).toBe('exit 0');
  });
});

describe('an approval that an earlier version read', () => {
  const ledger = () => join(stage.workspace, 'artifacts/rollout-bench/.host/approvals.jsonl');
  /** As that version wrote it. */
  const older = () => {
    const lines = readFileSync(ledger(), 'utf8')
      .replaceAll(/,"(?:expectPolicy|workspace)":(?:null|"[^"]*")/g, '')
      .replaceAll(/,"endpoints":\{[^}]*\}/g, '')
      .replaceAll(/,"suites":\[[^\]]*\]/g, '')
      .replaceAll(/,"policies":\{[^}]*\}/g, '')
      .replaceAll(/,"attempt":\d+/g, '');
    writeFileSync(ledger(), lines);
  };

  it('begins no new run', async () => {
    stage.reviewed();
    expect(await stage.approve()).toBe('exit 0');
    older();
    const said = await stage.run();
    expect(said).toContain('RB378');
    expect(said).toContain('read by an earlier version');
    // It is read again, with what it is bound to now.
    expect(await stage.approve()).toBe('exit 0');
    expect(await stage.run()).toBe('exit 0');
  });

  it('lets its own run go on', async () => {
    stage.reviewed();
    const more = { inputs: { 'init-states': '0-9' } };
    expect(await stage.approve(more)).toBe('exit 0');
    const cancelled = stage.step({});
    const verb = cancelled.main(stage.inputs({ mode: 'run', ...more.inputs }));
    const log = Object.create(verb.log, { progress: { value: () => cancelled.cancelled.abort() } });
    expect(await codesOf(measure({ ...verb, log }))).toBe('exit 4');
    older();
    expect(await stage.run({ githubRun: 43, ...more })).toContain('RB379');
    expect(await stage.run({ attempt: 2, ...more })).toBe('exit 0');
    // Nor does it serve another suite since.
    expect(await stage.run({ attempt: 3, ...all('libero_object') })).toMatch(/RB379|RB387/);
  });
});

describe('what was approved', () => {
  it('does not run with a policy at another address', async () => {
    stage.reviewed();
    expect(await stage.approve()).toBe('exit 0');
    const moved = stage.host.policyEndpoint.replace('127.0.0.1', 'localhost');
    const said = await stage.run({ inputs: { 'policy-endpoint': moved } });
    expect(said).toContain('RB378');
    expect(said).toContain('the endpoint of the candidate is another one');
    expect(said).not.toContain('localhost');
    expect(await leftOversIn(stage.workspace)).toEqual([]);
  });
});
