import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../src/host/service/events.ts';
import { startTargetServer, type TargetServer } from '../../../../src/host/target-server.ts';
import { OwnWatchdog } from '../../../../src/queue/own-watchdog.ts';
import { Served } from './served.ts';

let served: Served;
const more: TargetServer[] = [];

afterEach(async () => {
  await served.end();
  await Promise.all(more.splice(0).map((server) => server.kill()));
});

async function servers(count: number, stepMs: number, config = {}): Promise<string[]> {
  for (let made = 0; made < count; made += 1) {
    const rule = { kind: 'seeded', seed: 7 } as const;
    const same = { benchmark_name: 'libero_spatial', camera_height: 32, camera_width: 32, ...config };
    more.push(await startTargetServer({ rule, stepMs, config: same }));
  }
  return more.map(({ endpoint }) => endpoint);
}

const many = (count: number) => Array.from({ length: count }, (_, index) => served.entry(`s${index}`));
const usedBy = () => served.events().flatMap((each) => (each.event === 'session' ? [each.simulator] : []));

/** Most sessions that were on their way at one moment: those that were taken and had not ended. */
function atOnce(events: readonly ServiceEvent[]): number {
  let now = 0;
  let most = 0;
  for (const { event } of events) {
    if (event === 'taken') now += 1;
    if (event === 'session') now -= 1;
    most = Math.max(most, now);
  }
  return most;
}

describe('several simulators of one target', () => {
  it('run a session each, with the results that one of them would give', async () => {
    served = await Served.start({ stepMs: 8 });
    served.queue(...many(8));
    await served.once();
    expect(atOnce(served.events())).toBe(1);
    const evidence = (id: string) =>
      JSON.parse(served.read(`artifacts/runtime/${id}/episode.json`)).benchmark;
    const before = many(8).map((_, index) => evidence(`s${index}`));
    const endpoints = [served.host.targetEndpoint, ...(await servers(3, 8))];
    served.queue(...many(8));
    await served.once('--target-endpoints', endpoints.join(','));
    expect(atOnce(served.events())).toBe(4);
    expect(new Set(usedBy())).toEqual(new Set(endpoints));
    expect(served.sessions().map(({ status }) => status)).toEqual(new Array(8).fill('succeeded'));
    expect(many(8).map((_, index) => evidence(`s${index}`))).toEqual(before);
  });

  it('are named by the config of the target, told to who asks, and never to a simulator', async () => {
    served = await Served.start();
    const [second = ''] = await servers(1, 0);
    const targets = served.read('TARGETS.md');
    const config = `max_steps: 220\n      target-endpoints: ["${second}"]`;
    served.put('TARGETS.md', targets.replace('max_steps: 220', config));
    await served.serve();
    const window = () => new OwnWatchdog(served.workspace).window(served.host.targetEndpoint, Date.now());
    const until = Date.now() + 30_000;
    while ((await window()) !== 4 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await window()).toBe(4);
    served.queue(...many(4));
    for (let at = 0; at < 4; at += 1) await served.reaches(`s${at}`, 'succeeded');
    expect(new Set(usedBy())).toEqual(new Set([served.host.targetEndpoint, second]));
    await served.stop();
    expect(await window()).toBeNull();
  });

  it('that are of another version or silent are left out by name', async () => {
    served = await Served.start();
    const [other = ''] = await servers(1, 0, { action_dim: 4, camera_height: 64 });
    more[0]?.faults.errors.set('target.describe', { pythonName: 'RuntimeError', message: 'no GPU' });
    const silent = 'targetws://127.0.0.1:1';
    served.queue(...many(3));
    await served.once('--target-endpoints', [served.host.targetEndpoint, other, silent].join(','));
    expect(new Set(usedBy())).toEqual(new Set([served.host.targetEndpoint]));
    const refused = served.events().flatMap((each) => (each.event === 'simulator' ? [each.endpoint] : []));
    expect(new Set(refused)).toEqual(new Set([other, silent]));
  });

  it('wrong lists are refused before anything is done', async () => {
    served = await Served.start();
    await served.serve('--target-endpoints', 'http://x,targetws://a', '--rpc-timeout', 'soon', '--mode', 'x');
    await expect(served.done).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB112' }, { code: 'RB112' }, { code: 'RB112' }],
    });
    await served.serve('--target-endpoints', 'targetws://127.0.0.1:1');
    await expect(served.done).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB963' }] });
  });
});
