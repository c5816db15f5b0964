import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeLeftCheck, withCheck } from '../../../src/job/publish/measured-check.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { LoopbackStep } from './loopback-step.ts';

const HEAD = 'a'.repeat(40);

let github: LoopbackGitHub;
let step: LoopbackStep;

beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  step = new LoopbackStep(github, {
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: HEAD,
  });
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

const only = () => github.checks.checks[0];

describe('the check run of a job', () => {
  it('is in progress while the work goes on, and red with the reason when the work throws', async () => {
    const work = withCheck(step.main({ mode: 'report', check: 'bench' }), undefined, async () => {
      expect(only()).toMatchObject({ status: 'in_progress', name: 'bench', headSha: HEAD });
      expect(step.state.get('checkId')).not.toBe('');
      throw new Error('the simulator is gone\nsecret detail');
    });
    await expect(work).rejects.toThrow('the simulator is gone');
    expect(only()).toMatchObject({ status: 'completed', conclusion: 'failure' });
    expect(JSON.stringify(only())).toContain('the simulator is gone');
    expect(JSON.stringify(only())).not.toContain('secret detail');
    expect(step.state.get('checkId')).toBe('');
  });

  it('is cancelled with the job', async () => {
    await withCheck(step.main({ mode: 'report', check: 'bench' }), undefined, async () =>
      step.cancelled.abort(),
    );
    expect(only()).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
  });

  it('is closed by the post step when main was killed', async () => {
    await withCheck(step.main({ mode: 'report', check: 'bench' }), undefined, async () => {
      await closeLeftCheck(step.post());
      expect(only()).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    });
  });

  it('does not exist unless it is wanted, and never in mode run', async () => {
    await withCheck(step.main({ mode: 'report' }), undefined, async (check) => expect(check).toBeNull());
    await withCheck(step.main({ mode: 'run', check: 'bench', workspace: '.' }), undefined, async (check) =>
      expect(check).toBeNull(),
    );
    expect(github.seen).toHaveLength(0);
  });

  it('that may not be written is a warning, and the work goes on', async () => {
    github.token('weak', { contents: 'read' });
    const raw = { check: 'bench', 'github-token': 'weak' };
    expect(await withCheck(step.main({ mode: 'report', ...raw }), undefined, async () => 'done')).toBe(
      'done',
    );
    expect(step.log.lines.join('\n')).toContain('checks: write');
  });
});
