import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scheduleEvent } from './events.ts';
import { Stage, tail } from './stage.ts';

/** Product promise: what an interrupted step does after SIGINT takes no longer. */
const END_WITHIN_MS = 5_000;

let stage: Stage;
let running: AbortController;
let finished = 0;
beforeEach(async () => {
  running = new AbortController();
  finished = 0;
  stage = await Stage.open([
    {
      policies: [{ mode: { kind: 'slow', delayMs: 150 } }],
      onTransition: (sessionId, status) => {
        if (!sessionId.startsWith('rb-')) return;
        if (status === 'succeeded' || status === 'failed') finished += 1;
        // In the middle: something is finished, the next one runs.
        if (status === 'running' && finished >= 2) running.abort();
      },
    },
  ]);
});
afterEach(async () => {
  await stage.close();
  expect(stage.github.violations).toEqual([]);
});

const run = (runAttempt: number, more: Partial<Parameters<Stage['run']>[0]> = {}) =>
  stage.run({
    event: scheduleEvent('6'.repeat(40)),
    runId: 601,
    runAttempt,
    inputs: {
      suite: 'libero_spatial',
      tasks: '0-1',
      'init-states': '0-3',
      'min-success-rate': '10%',
      workspace: stage.host.workspace,
      'policy-endpoint': stage.host.policyEndpoint,
    },
    ...more,
  });

const document = (name: string) => readFile(join(stage.host.workspace, name), 'utf8');

async function untilNothingRuns(): Promise<void> {
  for (let wait = 0; wait < 600; wait += 1) {
    if (!/status: (?:claimed|preflight_checking|running)/.test(await document('SESSIONS.md'))) return;
    await delay(50);
  }
  throw new Error('the running session did not end');
}

it('ends within five seconds of a cancellation and leaves the host clean once the running session has ended', async () => {
  const { main, post } = await run(1, { cancel: running.signal, betweenSteps: untilNothingRuns });
  expect(main.killedBy, tail(main.output)).toBeNull();
  expect(main.exitCode, tail(main.output)).toBe(130);
  expect(main.endedAfterMs).toBeLessThan(END_WITHIN_MS);
  // On a runner that is the same job, run again.
  expect(main.output).toContain('libero_spatial: INTERRUPTED');
  expect(main.output).toContain('(to go on: gh run rerun 601 --repo acme/robots)');
  expect(post?.exitCode, post?.output).toBe(0);
  expect(await document('SESSIONS.md')).not.toContain('rb-');
  expect(await document('TARGETS.md')).not.toContain('--rb-');
});

it('goes on where it was when the job is run again, and that run cleans up', async () => {
  const cancelled = await run(1, { cancel: running.signal });
  expect(cancelled.main.exitCode, tail(cancelled.main.output)).toBe(130);
  expect(cancelled.post?.exitCode, cancelled.post?.output).toBe(0);
  // The post step waits for nothing: whatever the watchdog is at stays, everything else of ours is gone.
  expect(await document('SESSIONS.md')).not.toMatch(/status: pending/);

  stage.host.policies[0]?.setMode({ kind: 'good' });
  const again = await run(2);
  expect(again.main.exitCode, tail(again.main.output)).toBe(0);
  expect(again.main.outputs).toMatchObject({ verdict: 'PASS', attempt: '2', planned: '8', valid: '8' });
  expect(again.main.output).toContain('Continuing attempt 1; finished episodes are kept.');
  expect(await document('SESSIONS.md')).not.toContain('rb-');
  expect(await document('TARGETS.md')).not.toContain('--rb-');
});
