import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { replaceFile } from '../../../src/files/atomic-file.ts';
import { acquireLock } from '../../../src/files/lock.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { JOURNAL_FILE, readJournal } from '../../../src/journal/journal.ts';
import type { JournalEvent } from '../../../src/model/journal-events.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import type { Probe, Progress } from '../../../src/queue/execution.ts';
import { removeSessions } from '../../../src/workspace/session-edits.ts';
import { leftOversIn, runInput, sessionsIn, smallPlan, targetIdsIn } from './bench-run.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await condition()) return;
    await delay(25);
  }
  throw new Error(`never happened: ${what}`);
}

async function eventsIn(bundleDir: string): Promise<readonly JournalEvent[]> {
  return (await readJournal(bundleDir)).records.map(({ event }) => event);
}

const ours = (id: string): boolean => id.startsWith('rb-');

/** Changes SESSIONS.md the way a careful program does. */
async function editSessions(workspace: string, change: (text: string) => string): Promise<void> {
  const file = path.join(workspace, 'SESSIONS.md');
  const lock = await acquireLock(`${file}.lock`);
  await replaceFile(file, change(await fs.readFile(file, 'utf8')));
  lock.release();
}

describe('somebody else in the same workspace', () => {
  it('puts cell targets back when an older TARGETS.md is saved over them', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const targets = path.join(workspace, 'TARGETS.md');
    const older = await fs.readFile(targets, 'utf8');
    const input = await runInput({ ...host, plan: smallPlan() });
    const running = executePlan(input);
    await until(async () => (await sessionsIn(workspace)).length === 2, 'two queued sessions');
    await replaceFile(targets, older);
    await until(async () => (await targetIdsIn(workspace)).some((id) => id.includes('--rb-')), 'restored');
    host.startWatchdog();
    const end = await running;
    expect(end).toMatchObject({ end: 'complete' });
    expect(end.warnings).toHaveLength(1);
    expect(end.sessions.map(({ judgement }) => judgement?.outcome)).not.toContain('rejected');
    expect(await fs.readFile(targets, 'utf8')).toBe(older);
  });

  it('counts a session that was refused for want of its cell target as lost, and queues the cell again', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const targets = path.join(workspace, 'TARGETS.md');
    const older = await fs.readFile(targets, 'utf8');
    const input = await runInput({ ...host, plan: smallPlan({ tasks: [0], initStates: [0] }) });
    const running = executePlan(input);
    await until(async () => (await sessionsIn(workspace)).length === 1, 'a queued session');
    // The watchdog looks before we can put the target back.
    await fs.writeFile(targets, older);
    await host.watchdog.runOnce();
    host.startWatchdog();
    const end = await running;
    expect(end.end).toBe('complete');
    expect(end.sessions.map(({ judgement }) => judgement?.outcome)).toEqual(['lost', 'success']);
    expect(await leftOversIn(workspace)).toEqual([]);
  });

  it('takes a vanished pending entry as lost and gives the cell a new session id', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const input = await runInput({ ...host, plan: smallPlan({ tasks: [0], initStates: [0] }) });
    const running = executePlan(input);
    await until(async () => (await sessionsIn(workspace)).length === 1, 'a queued session');
    const [first] = await sessionsIn(workspace);
    await editSessions(workspace, (text) => removeSessions(text, [first?.id ?? '']).text);
    await until(async () => (await sessionsIn(workspace)).some(({ id }) => id.endsWith('-a1')), 'a new id');
    host.startWatchdog();
    const end = await running;
    expect(end.sessions.map(({ judgement }) => judgement?.outcome)).toEqual(['lost', 'success']);
    expect(await leftOversIn(workspace)).toEqual([]);
  });

  it('keeps the cell target for a while after somebody cancelled our pending entry', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const stop = new AbortController();
    const plan = smallPlan({ tasks: [0], initStates: [0] });
    const running = executePlan(await runInput({ ...host, plan, signal: stop.signal }));
    await until(async () => (await sessionsIn(workspace)).length === 1, 'a queued session');
    await editSessions(workspace, (text) => text.replace(/status: ["']?pending["']?/, 'status: cancelled'));
    await until(async () => (await sessionsIn(workspace)).length === 0, 'its entry taken out');
    // A pass of the watchdog that read the old document may still look for it.
    await delay(700);
    expect((await targetIdsIn(workspace)).filter((id) => id.includes('--rb-'))).toHaveLength(1);
    stop.abort();
    const end = await running;
    expect(end.sessions.map(({ judgement }) => judgement?.outcome)).toEqual(['cancelled']);
  });

  it('records a conflict when an entry was edited while it waited', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const plan = smallPlan({ tasks: [0], initStates: [0] });
    const input = await runInput({ ...host, plan });
    const running = executePlan(input);
    await until(async () => (await sessionsIn(workspace)).length === 1, 'a queued session');
    const prompt = plan.tasks[0]?.language ?? '';
    await editSessions(workspace, (text) => text.replace(prompt, 'do something else'));
    host.startWatchdog();
    const end = await running;
    expect(end.sessions.map(({ judgement }) => judgement?.outcome)).toEqual(['conflict']);
    expect(end.sessions[0]?.judgement?.errorMessage).toContain('task_description');
    expect(await leftOversIn(workspace)).toEqual([]);
  });

  it('takes back pending entries when interrupted, and finishes in the next attempt', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const plan = smallPlan({ tasks: [0], initStates: [0, 1, 2] });
    const stop = new AbortController();
    const input = await runInput({ ...host, plan, signal: stop.signal });
    const running = executePlan(input);
    await until(async () => (await sessionsIn(workspace)).length === 2, 'two queued sessions');
    const aborted = Date.now();
    stop.abort();
    const first = await running;
    expect(Date.now() - aborted).toBeLessThan(5_000);
    expect(first).toMatchObject({ end: 'interrupted', leftRunning: [] });
    expect((await sessionsIn(workspace)).filter(({ id }) => ours(id))).toEqual([]);
    expect((await eventsIn(input.bundleDir)).filter(({ type }) => type === 'interrupted')).toHaveLength(1);

    host.startWatchdog();
    const resume = [{ attempt: 1, bundleDir: input.bundleDir }];
    const second = await executePlan(await runInput({ ...host, plan, attempt: 2, resume }));
    expect(second.end).toBe('complete');
    expect(second.sessions.filter(({ judgement }) => judgement !== null)).toHaveLength(3);
    expect(await leftOversIn(workspace)).toEqual([]);
  });

  it('goes on from a journal whose last line was cut off', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const plan = smallPlan({ tasks: [0], initStates: [0, 1] });
    const input = await runInput({ ...host, plan });
    await executePlan(input);
    const file = path.join(input.bundleDir, JOURNAL_FILE);
    const text = await fs.readFile(file, 'utf8');
    const lines = text.trimEnd().split('\n');
    const cut = lines.findIndex((line) => line.includes('"type":"collected"'));
    await fs.writeFile(file, `${lines.slice(0, cut).join('\n')}\n${(lines[cut] ?? '').slice(0, 40)}`);
    const resume = [{ attempt: 1, bundleDir: input.bundleDir }];
    const again = await runInput({ ...host, plan, attempt: 2, resume });
    const end = await executePlan(again);
    expect(end.end).toBe('complete');
    const events = await eventsIn(again.bundleDir);
    expect(events.filter(({ type }) => type === 'torn')).toHaveLength(1);
    // The archived session counts although its note was lost; nothing runs twice.
    const collected = events.flatMap((event) => (event.type === 'collected' ? [event.sessionId] : []));
    expect(new Set(collected).size).toBe(2);
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it.each(['end', 'always'] as const)(
    'keeps the finished entries with keep-sessions: %s',
    async (keepSessions) => {
      host = await startHost({ rule: { kind: 'stub' } });
      const { workspace } = host;
      const plan = smallPlan();
      const end = await executePlan(await runInput({ ...host, plan, settings: { keepSessions } }));
      expect(end.end).toBe('complete');
      const kept = (await sessionsIn(workspace)).filter(({ id }) => ours(id));
      expect(kept).toHaveLength(4);
      expect((await targetIdsIn(workspace)).filter((id) => id.includes('--rb-'))).toEqual([]);
      expect(host.watchdogAlive()).toBe(true);
    },
  );

  it('pauses after errors in a row, probes, and ends incomplete when nothing answers', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { workspace } = host;
    await host.killTarget();
    let asked = 0;
    const probe: Probe = async () => {
      asked += 1;
      return { why: 'the target does not answer', changed: false };
    };
    const settings = { maxConsecutiveErrors: 2, hostWaitMs: 0 };
    const plan = smallPlan({ tasks: [0, 1, 2], initStates: [0, 1] });
    const end = await executePlan(await runInput({ ...host, plan, settings, probes: [probe] }));
    expect(end).toMatchObject({ end: 'incomplete', reason: 'the target does not answer' });
    expect(asked).toBeGreaterThan(0);
    expect(end.sessions.length).toBeLessThan(6);
    expect(await leftOversIn(workspace)).toEqual([]);
  });

  it('ends incomplete when nothing moves, and takes its entries back', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const settings = { stallTimeoutMs: 21_500 };
    const told: string[] = [];
    const onProgress = ({ notice, state }: Progress): void => {
      if (notice) told.push(state);
    };
    const input = await runInput({ ...host, plan: smallPlan(), settings, onProgress });
    const end = await executePlan({ ...input, diagnose: async () => 'the disk is full' });
    expect(told).toEqual([
      'nothing moves although sessions are pending; no watchdog has ever moved an entry here; the disk is full',
    ]);
    expect(end.end).toBe('incomplete');
    expect(end.reason).toContain('nothing has moved');
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });
});

describe('a watchdog that dies', () => {
  it('ends the run when its session is not ended in time, with what is wrong with the documents', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 50 });
    // One second, after the grace of a minute.
    const settings = { sessionTimeoutMs: -59_000 };
    const input = await runInput({ ...host, plan: smallPlan({ tasks: [0], initStates: [0] }), settings });
    const diagnose = async () => 'the runtime refuses a document: RB205';
    const end = await executePlan({ ...input, diagnose });
    expect(end.end).toBe('incomplete');
    expect(end.reason).toMatch(/has been running for more than 1 s; the runtime refuses a document: RB205/);
    expect(end.leftRunning).toHaveLength(1);
  });

  it('gives the cell of its running session another one, once a new watchdog moves on', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 1 });
    const { workspace } = host;
    const input = await runInput({ ...host, plan: smallPlan() });
    const running = executePlan(input);
    await until(
      async () => (await sessionsIn(workspace)).some(({ status }) => status === 'running'),
      'a running session',
    );
    await host.crashWatchdog();
    host.startWatchdog();
    const end = await running;
    expect(end.end).toBe('complete');
    const outcomes = end.sessions.map(({ judgement }) => judgement?.outcome);
    expect(outcomes.filter((outcome) => outcome === 'error')).toHaveLength(1);
    expect(outcomes).toHaveLength(5);
    expect(await leftOversIn(workspace)).toEqual([]);
  });
});
