import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endLeftProgress, withProgress } from '../../../src/app/report/progress-comment.ts';
import type { VerbContext } from '../../../src/app/verb.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { fastClock, KeptLog, REPOSITORY } from '../github/loopback/client-for.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';

const HEAD = 'a'.repeat(40);
const PAYLOAD = {
  pull_request: {
    number: 7,
    state: 'open',
    head: { sha: HEAD, ref: 'feature', repo: { id: 1 } },
    base: { sha: 'b'.repeat(40), ref: 'main', repo: { id: 1 } },
  },
};

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
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_RUN_ID: '42',
    'INPUT_GITHUB-TOKEN': 't',
  };
}

function step(raw: Record<string, string>): VerbContext {
  return {
    args: [],
    options: new Map(),
    inputs: readInputs({ workspace: '.', 'github-token': 't', suite: 'libero_spatial', ...raw }),
    json: false,
    log,
    clock: fastClock(),
    signal: cancelled.signal,
    env: environment(),
    stdout: () => undefined,
    action: { setOutput: () => undefined, saveState: (name, value) => state.set(name, value) },
  };
}

const bodies = () => github.conversation.comments.map(({ body }) => body);

describe('the comment while a benchmark goes on', () => {
  it('says running, and interrupted when the job is cancelled', async () => {
    await withProgress(step({ progress: 'true' }), PAYLOAD, async () => {
      expect(bodies()).toHaveLength(1);
      expect(bodies()[0]).toMatch(/state=running[\s\S]*is running/);
      cancelled.abort();
    });
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toMatch(/state=interrupted/);
    expect(state.get('progress')).toBe('');
  });

  it('says interrupted when the work throws', async () => {
    const work = withProgress(step({ progress: 'true' }), PAYLOAD, () => Promise.reject(new Error('gone')));
    await expect(work).rejects.toThrow('gone');
    expect(bodies()[0]).toMatch(/state=interrupted/);
  });

  it('is ended by the post step when main was killed', async () => {
    await withProgress(step({ progress: 'true' }), PAYLOAD, async () => {
      const job = { state: Object.fromEntries(state), log, clock: fastClock(), signal: cancelled.signal };
      await endLeftProgress({ ...job, env: environment() });
      expect(bodies()[0]).toMatch(/state=interrupted/);
    });
  });

  it('is not written unless it is wanted', async () => {
    await withProgress(step({}), PAYLOAD, async () => undefined);
    await withProgress(step({ progress: 'true', comment: 'false' }), PAYLOAD, async () => undefined);
    expect(github.seen).toHaveLength(0);
  });

  it('that may not be written is a warning, and the work goes on', async () => {
    github.token('weak', { contents: 'read' });
    const raw = { progress: 'true', 'github-token': 'weak' };
    expect(await withProgress(step(raw), PAYLOAD, async () => 'done')).toBe('done');
    expect(log.lines.join('\n')).toContain('pull-requests: write');
  });
});
