import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Host, type HostOptions, startHost } from '../../../src/host/host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import type { JournalEvent } from '../../../src/model/journal-events.ts';
import { artifactBytes } from '../../../src/queue/artifact-size.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import { leftOversIn, type PlanWishes, runInput, smallPlan } from './bench-run.ts';
import { buildChild, startChild, untilJournal } from './child-process.ts';

let child: Awaited<ReturnType<typeof buildChild>>;
const hosts: Host[] = [];
beforeAll(async () => {
  child = await buildChild();
});
afterAll(() => child.remove());
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((each) => each.stop()));
});

async function newHost(options: HostOptions = {}): Promise<Host> {
  const host = await startHost({ rule: { kind: 'stub' }, watchdog: { pollMs: 10 }, ...options });
  hosts.push(host);
  return host;
}

const BROKEN: HostOptions = { policies: [{ mode: { kind: 'broken', how: 'text' } }] };

async function eventsOf(bundleDir: string): Promise<readonly JournalEvent[]> {
  return (await readJournal(bundleDir)).records.map(({ event }) => event);
}

const ofType = <T extends JournalEvent['type']>(events: readonly JournalEvent[], type: T) =>
  events.filter((event): event is Extract<JournalEvent, { type: T }> => event.type === type);

async function ranSessions(workspace: string): Promise<string[]> {
  return (await fs.readdir(path.join(workspace, 'artifacts/runtime'))).filter((name) =>
    name.startsWith('rb-'),
  );
}

async function input(host: Host, plan: PlanWishes, more: Partial<Parameters<typeof runInput>[0]> = {}) {
  const { workspace, policyEndpoint } = host;
  return runInput({ workspace, policyEndpoint, plan: smallPlan(plan), ...more });
}

describe('max-sessions', () => {
  it('counts sessions that are tried again, ends incomplete, and says what is kept', async () => {
    const host = await newHost(BROKEN);
    const run = await input(host, { caps: { maxSessions: 5 } }, { settings: { maxConsecutiveErrors: 99 } });
    const end = await executePlan(run);
    expect(end).toMatchObject({
      end: 'incomplete',
      reason:
        'capped: sessions is 5 sessions (5 sessions used, none beyond it); 0 of 4 episodes have a result, 2 ended in errors; all of it is kept',
    });
    expect(end.cure).toContain('nothing left to use');
    const events = await eventsOf(run.bundleDir);
    expect(ofType(events, 'intent')).toHaveLength(5);
    expect(ofType(events, 'cap_reached')).toEqual([
      { type: 'cap_reached', name: 'max-sessions', limit: 5, observed: 5, overshoot: 0 },
    ]);
    expect(ofType(events, 'usage').at(-1)).toMatchObject({ sessions: 5, artifactBytes: null });
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('leaves a run alone that needs no more', async () => {
    const host = await newHost();
    const run = await input(host, { caps: { maxSessions: 4, maxWallTimeS: 600, maxArtifactBytes: 1e9 } });
    expect(await executePlan(run)).toMatchObject({ end: 'complete', reason: null });
    const events = await eventsOf(run.bundleDir);
    expect(ofType(events, 'cap_reached')).toEqual([]);
    expect(ofType(events, 'usage').at(-1)).toMatchObject({ sessions: 4 });
  });

  it('writes nothing new into a journal without caps', async () => {
    const host = await newHost();
    const run = await input(host, {});
    await executePlan(run);
    const text = await fs.readFile(path.join(run.bundleDir, 'journal.jsonl'), 'utf8');
    expect(text).not.toMatch(/usage|cap_reached|artifactBytes/);
  });

  it('is not counted anew by any number of crashes', async () => {
    const { workspace, policyEndpoint } = await newHost({ ...BROKEN, stepMs: 1, buildMs: 150 });
    const plan = { tasks: [0, 1, 2, 3, 4], initStates: [0, 1], caps: { maxSessions: 13 } };
    const settings = { maxConsecutiveErrors: 99 };
    const resume: { attempt: number; bundleDir: string }[] = [];
    let output: string | null = null;
    for (let attempt = 1; output === null; attempt += 1) {
      const wishes = { workspace, policyEndpoint, plan, attempt, resume: [...resume], settings };
      const running = startChild(child.file, wishes);
      const bundleDir = path.join(workspace, 'artifacts/rollout-bench/test-run', `attempt-${attempt}`);
      if (attempt <= 3) {
        // Three sessions or little more of each of them are used: the cap leaves some for the last.
        await untilJournal(bundleDir, running, (events) => ofType(events, 'intent').length > 2);
        running.process.kill('SIGKILL');
      }
      output = await running.ended;
      resume.push({ attempt, bundleDir });
    }
    expect(resume).toHaveLength(4);
    expect(JSON.parse(output).reason).toContain('13 sessions used, none beyond it');
    expect(new Set(await ranSessions(workspace)).size).toBeLessThanOrEqual(13);
    expect(await leftOversIn(workspace)).toEqual([]);
  });
});

describe('max-wall-time', () => {
  it('takes back every session that the watchdog has not claimed', async () => {
    const host = await newHost({ startWatchdog: false });
    const run = await input(host, { caps: { maxWallTimeS: 0.3 } });
    const end = await executePlan(run);
    expect(end.reason).toMatch(/^capped: wall-time .*; 0 of 4 episodes have a result; all of it is kept$/);
    const events = await eventsOf(run.bundleDir);
    expect(ofType(events, 'cancelled').map(({ reason }) => reason)).toEqual([
      'the cap wall-time is reached',
      'the cap wall-time is reached',
    ]);
    // What never ran was not used up.
    expect(ofType(events, 'usage').at(-1)).toMatchObject({ sessions: 0 });
  });

  it('takes the pending session back and lets the running one end', async () => {
    const host = await newHost({ stepMs: 10 });
    const run = await input(host, {
      tasks: [0, 1, 2, 3],
      initStates: [0, 1, 2],
      caps: { maxWallTimeS: 0.5 },
    });
    const end = await executePlan(run);
    expect(end).toMatchObject({ end: 'incomplete', leftRunning: [] });
    expect(end.reason).toContain('capped: wall-time');
    const events = await eventsOf(run.bundleDir);
    const reached = events.findIndex(({ type }) => type === 'cap_reached');
    const after = events.slice(reached);
    expect(ofType(after, 'intent')).toEqual([]);
    expect(ofType(after, 'running').length).toBeLessThanOrEqual(1);
    const last = ofType(events, 'cap_reached').at(-1);
    expect(last?.overshoot).toBeCloseTo((last?.observed ?? 0) - 0.5);
    expect(await leftOversIn(host.workspace)).toEqual([]);

    // The time of the first attempt counts: the next one may not begin anything.
    const earlier = [{ attempt: 1, bundleDir: run.bundleDir }];
    const again = await input(
      host,
      { tasks: [0, 1, 2, 3], initStates: [0, 1, 2], caps: { maxWallTimeS: 0.5 } },
      {
        attempt: 2,
        resume: earlier,
      },
    );
    expect((await executePlan(again)).reason).toContain('capped: wall-time');
    expect(ofType(await eventsOf(again.bundleDir), 'intent')).toEqual([]);
  });
});

describe('max-artifact-size', () => {
  it('queues one session at a time and stops after the one that went beyond', async () => {
    const host = await newHost();
    const run = await input(host, { caps: { maxArtifactBytes: 1 } });
    const end = await executePlan(run);
    expect(end.reason).toMatch(/^capped: artifact-size is 1 byte \(.* used, .* beyond it\); 1 of 4 /);
    const [only, ...others] = await ranSessions(host.workspace);
    expect(others).toEqual([]);
    const events = await eventsOf(run.bundleDir);
    const kept = ofType(events, 'collected').flatMap(({ files }) => files.map(({ bytes }) => bytes));
    const expected =
      ((await artifactBytes(host.workspace, only ?? '')) ?? 0) + kept.reduce((sum, bytes) => sum + bytes, 0);
    expect(ofType(events, 'cap_reached').at(-1)).toMatchObject({
      observed: expected,
      overshoot: expected - 1,
    });
  });

  it('measures folders in folders and follows no link', async () => {
    const host = await newHost({ startWatchdog: false });
    const folder = path.join(host.workspace, 'artifacts/runtime/rb-x');
    await fs.mkdir(path.join(folder, 'deep'), { recursive: true });
    await fs.writeFile(path.join(folder, 'a'), 'x'.repeat(10));
    await fs.writeFile(path.join(folder, 'deep/b'), 'x'.repeat(32));
    expect(await artifactBytes(host.workspace, 'rb-x')).toBe(42);
    expect(await artifactBytes(host.workspace, 'rb-absent')).toBe(0);
    await fs.symlink(folder, path.join(host.workspace, 'artifacts/runtime/rb-link'));
    expect(await artifactBytes(host.workspace, 'rb-link')).toBe(null);
  });
});
