import { afterEach, describe, expect, it } from 'vitest';
import { describeTarget } from '../../../src/describe/client.ts';
import { startPolicyServer } from '../../../src/host/policy-server.ts';
import { startTargetServer } from '../../../src/host/target-server.ts';
import { probePolicy } from '../../../src/policy/probe.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** The servers of the embedded host are held to the captures, so they stand for the real ones here. */
describe('our clients and the embedded servers', () => {
  it('describe a target', async () => {
    const server = await startTargetServer({ rule: { kind: 'stub' } });
    stops.push(() => server.kill());
    const description = await describeTarget(server.endpoint, {
      connectTimeoutMs: 5000,
      answerTimeoutMs: 5000,
    });
    expect(description).toMatchObject({
      suite: expect.stringContaining('libero'),
      actionDim: 7,
      maxChunkSize: 50,
    });
    expect(description.tasks.length).toBeGreaterThan(0);
    expect(server.requests).toEqual(['target.describe']);
    for (const task of description.tasks) expect(task.language).not.toBe('');
  });

  it('know a policy by its metadata', async () => {
    const server = await startPolicyServer({ metadata: { name: 'p', checkpoint_digest: 'c' } });
    stops.push(() => server.kill());
    const first = await probePolicy(server.endpoint, { timeoutMs: 30_000 });
    server.setMetadata({ name: 'p', checkpoint_digest: 'other' });
    const second = await probePolicy(server.endpoint, { timeoutMs: 30_000 });
    expect(first.metadata).toMatchObject({ name: 'p', action_dim: 7 });
    expect(first.digest).not.toBe(second.digest);
    expect(server.prompts).toEqual([]);
  });
});
