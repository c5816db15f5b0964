import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { LoopbackStep } from './loopback-step.ts';

let host: Host;
let github: LoopbackGitHub;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  host = await startHost({ policies: [{ mode: { kind: 'good' } }], watchdog: { pollMs: 10 } });
});
afterEach(async () => {
  await host.stop();
  await github.stop();
  expect(github.violations).toEqual([]);
});

/** A whole job on main; what it said, and its exit code. */
async function job(runId: number, more: Record<string, string> = {}) {
  const step = new LoopbackStep(github, {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_RUN_ID: String(runId),
    GITHUB_SHA: String(runId % 10).repeat(40),
  });
  const main = step.main({
    workspace: host.workspace,
    suite: 'libero_spatial',
    tasks: '0',
    'init-states': '0',
    'policy-endpoint': host.policyEndpoint,
    'min-success-rate': '1%',
    ...more,
  });
  const exitCode = await run({ ...main, clock: systemClock });
  return { exitCode, lines: step.log.lines };
}

describe('the accepted baseline of the branch', () => {
  it('is looked at before anything is queued: another protocol is said then, and only then', async () => {
    const first = await job(1);
    expect(first.exitCode).toBe(0);
    expect(first.lines.join('\n')).not.toContain('RB450');
    const other = await job(2, { 'max-steps': '33' });
    // What was said early is what the verdict says in the end.
    expect(other.exitCode).toBe(4);
    const warned = other.lines.findIndex((line) => line.includes('RB450'));
    expect(other.lines[warned]).toMatch(/accepted baseline of libero_spatial: .*max_steps/);
    expect(warned).toBeLessThan(other.lines.findIndex((line) => line.includes('INVALID')));
    const same = await job(3);
    expect(same.exitCode).toBe(0);
    expect(same.lines.join('\n')).not.toContain('RB450');
  }, 240_000);

  it('is not asked for where nothing is compared with it', async () => {
    await job(1);
    const before = github.seen.length;
    const none = await job(2, { 'max-steps': '33', baseline: 'none', 'report-branch': 'none' });
    expect(none.lines.join('\n')).not.toContain('RB450');
    expect(github.seen.slice(before).some(({ path }) => path.includes('/git/'))).toBe(false);
  }, 240_000);
});
