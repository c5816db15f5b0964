import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endLeftProgress, withProgress } from '../../../src/job/publish/progress-comment.ts';
import { LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { LoopbackStep } from './loopback-step.ts';

const HEAD = 'a'.repeat(40);
const PAYLOAD = {
  pull_request: {
    number: 7,
    state: 'open',
    head: { sha: HEAD, ref: 'feature', repo: { id: 1 } },
    base: { sha: 'b'.repeat(40), ref: 'main', repo: { id: 1 } },
  },
};

const RUN = { workspace: '.', suite: 'libero_spatial' };

let github: LoopbackGitHub;
let step: LoopbackStep;

beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
  step = new LoopbackStep(github, { GITHUB_EVENT_NAME: 'pull_request', GITHUB_RUN_ID: '42' });
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

const bodies = () => github.conversation.comments.map(({ body }) => body);

describe('the comment while a benchmark goes on', () => {
  it('says running, and interrupted when the job is cancelled', async () => {
    await withProgress(step.main({ ...RUN, progress: 'true' }), PAYLOAD, async () => {
      expect(bodies()).toHaveLength(1);
      expect(bodies()[0]).toMatch(/state=running[\s\S]*is running/);
      step.cancelled.abort();
    });
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toMatch(/state=interrupted/);
    expect(step.state.get('progress')).toBe('');
  });

  it('says interrupted when the work throws', async () => {
    const work = withProgress(step.main({ ...RUN, progress: 'true' }), PAYLOAD, () =>
      Promise.reject(new Error('gone')),
    );
    await expect(work).rejects.toThrow('gone');
    expect(bodies()[0]).toMatch(/state=interrupted/);
  });

  it('is ended by the post step when main was killed', async () => {
    await withProgress(step.main({ ...RUN, progress: 'true' }), PAYLOAD, async () => {
      await endLeftProgress(step.post());
      expect(bodies()[0]).toMatch(/state=interrupted/);
    });
  });

  it('is not written unless it is wanted', async () => {
    await withProgress(step.main({ ...RUN }), PAYLOAD, async () => undefined);
    await withProgress(
      step.main({ ...RUN, progress: 'true', comment: 'off' }),
      PAYLOAD,
      async () => undefined,
    );
    expect(github.seen).toHaveLength(0);
  });

  it('that may not be written is a warning, and the work goes on', async () => {
    github.token('weak', { contents: 'read' });
    const raw = { progress: 'true', 'github-token': 'weak' };
    expect(await withProgress(step.main({ ...RUN, ...raw }), PAYLOAD, async () => 'done')).toBe('done');
    expect(step.log.lines.join('\n')).toContain('pull-requests: write');
  });
});
