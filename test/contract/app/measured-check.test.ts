import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeLeftCheck, withCheck } from '../../../src/app/report/measured-check.ts';
import type { VerbContext } from '../../../src/app/verb.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { fastClock, KeptLog, REPOSITORY } from '../github/loopback/client-for.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';

const HEAD = 'a'.repeat(40);

let github: LoopbackGitHub;
let log: KeptLog;
let state: Map<string, string>;
let cancelled: AbortController;

beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  log = new KeptLog();
  state = new Map();
  cancelled = new AbortController();
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

function environment(): Record<string, string> {
  return {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: `${REPOSITORY.owner}/${REPOSITORY.repo}`,
    GITHUB_EVENT_NAME: 'push',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: HEAD,
    'INPUT_GITHUB-TOKEN': 't',
  };
}

function step(raw: Record<string, string>): VerbContext {
  return {
    args: [],
    options: new Map(),
    inputs: readInputs({ mode: 'report', 'github-token': 't', ...raw }),
    json: false,
    log,
    clock: fastClock(),
    signal: cancelled.signal,
    env: environment(),
    stdout: () => undefined,
    action: { setOutput: () => undefined, saveState: (name, value) => state.set(name, value) },
  };
}

const only = () => github.checks.checks[0];

describe('the check run of a job', () => {
  it('is in progress while the work goes on, and red with the reason when the work throws', async () => {
    const work = withCheck(step({ check: 'bench' }), undefined, async () => {
      expect(only()).toMatchObject({ status: 'in_progress', name: 'bench', headSha: HEAD });
      expect(state.get('checkId')).not.toBe('');
      throw new Error('the simulator is gone\nsecret detail');
    });
    await expect(work).rejects.toThrow('the simulator is gone');
    expect(only()).toMatchObject({ status: 'completed', conclusion: 'failure' });
    expect(JSON.stringify(only())).toContain('the simulator is gone');
    expect(JSON.stringify(only())).not.toContain('secret detail');
    expect(state.get('checkId')).toBe('');
  });

  it('is cancelled with the job', async () => {
    await withCheck(step({ check: 'bench' }), undefined, async () => cancelled.abort());
    expect(only()).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
  });

  it('is closed by the post step when main was killed', async () => {
    await withCheck(step({ check: 'bench' }), undefined, async () => {
      const job = { state: Object.fromEntries(state), log, clock: fastClock(), signal: cancelled.signal };
      await closeLeftCheck({ ...job, env: environment() });
      expect(only()).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
    });
  });

  it('does not exist unless it is wanted, and never in mode run', async () => {
    await withCheck(step({}), undefined, async (check) => expect(check).toBeNull());
    await withCheck(step({ mode: 'run', check: 'bench', workspace: '.' }), undefined, async (check) =>
      expect(check).toBeNull(),
    );
    expect(github.seen).toHaveLength(0);
  });

  it('that may not be written is a warning, and the work goes on', async () => {
    github.token('weak', { contents: 'read' });
    const raw = { check: 'bench', 'github-token': 'weak' };
    expect(await withCheck(step(raw), undefined, async () => 'done')).toBe('done');
    expect(log.lines.join('\n')).toContain('checks: write');
  });
});
