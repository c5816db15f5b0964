import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import type { JournalEvent } from '../../../src/model/journal-events.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import { leftOversIn, runInput, smallPlan } from './bench-run.ts';
import { buildChild, startChild } from './child-process.ts';

/** Seven of ten episodes succeed by the host's rule, so a floor of 90 % is out of reach soon. */
const PLAN = { tasks: [0, 1, 2, 3, 4, 5], initStates: [0, 1, 2, 3, 4, 5, 6, 7], stopAtFloor: 0.9 };
const CELLS = PLAN.tasks.length * PLAN.initStates.length;

let child: Awaited<ReturnType<typeof buildChild>>;
const hosts: Host[] = [];
beforeAll(async () => {
  child = await buildChild();
});
afterAll(() => child.remove());
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((each) => each.stop()));
});

async function newHost(): Promise<Host> {
  const host = await startHost({ rule: { kind: 'stub' }, stepMs: 0.5, watchdog: { pollMs: 10 } });
  hosts.push(host);
  return host;
}

async function eventsOf(bundleDir: string): Promise<JournalEvent[]> {
  return (await readJournal(bundleDir)).records.map(({ event }) => event);
}

const stopsOf = (events: readonly JournalEvent[]) => events.filter(({ type }) => type === 'early_stop');
const sessionsOf = (events: readonly JournalEvent[]) =>
  events.filter(({ type }) => type === 'intent' || type === 'adopted').length;

describe('a run that may stop early and is killed', () => {
  it('goes on with the same process and ends where it would have ended', async () => {
    const undisturbed = await newHost();
    const input = await runInput({
      workspace: undisturbed.workspace,
      policyEndpoint: undisturbed.policyEndpoint,
      plan: smallPlan(PLAN),
    });
    expect(await executePlan(input)).toMatchObject({ end: 'complete', leftRunning: [] });
    const expected = await eventsOf(input.bundleDir);
    expect(stopsOf(expected)).toHaveLength(1);
    // The window of two: beyond the prefix at most one session was at work and one pending.
    const [stop] = stopsOf(expected);
    if (stop?.type !== 'early_stop') throw new Error('no stop');
    expect(stop.prefix).toBeLessThan(CELLS / 2);
    expect(sessionsOf(expected)).toBeLessThanOrEqual(stop.prefix + 2);
    expect(await leftOversIn(undisturbed.workspace)).toEqual([]);

    const { workspace, policyEndpoint } = await newHost();
    const resume: { attempt: number; bundleDir: string }[] = [];
    let output: string | null = null;
    for (let attempt = 1; output === null; attempt += 1) {
      const wishes = { workspace, policyEndpoint, plan: PLAN, attempt, resume: [...resume] };
      const running = startChild(child.file, wishes);
      if (attempt <= 3) {
        await delay(500 + attempt * 150);
        running.process.kill('SIGKILL');
      }
      output = await running.ended;
      resume.push({
        attempt,
        bundleDir: path.join(workspace, 'artifacts/rollout-bench/test-run', `attempt-${attempt}`),
      });
    }
    expect(resume.length).toBeGreaterThan(1);
    expect(JSON.parse(output)).toEqual({ end: 'complete', reason: null });
    expect(stopsOf(await eventsOf(resume.at(-1)?.bundleDir ?? ''))).toEqual([stop]);
    expect(await leftOversIn(workspace)).toEqual([]);
  });
});
