import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { replaceFile } from '../../../src/files/atomic-file.ts';
import { acquireLock } from '../../../src/files/lock.ts';
import { DUMMY_SKILL_ID, DUMMY_TARGET_ID, type Host, startHost } from '../../../src/host/host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import type { ExecutionInput } from '../../../src/queue/execution.ts';
import { sessionEntry } from '../../../src/queue/machine/session-entry.ts';
import { appendSessions, removeSessions } from '../../../src/workspace/session-edits.ts';
import { leftOversIn, runInput, sessionsIn, smallPlan } from './bench-run.ts';

const PLAN = smallPlan({ tasks: [0], initStates: [0] });
const FOREIGN = 'theirs_in_preflight';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (await condition()) return;
    await delay(25);
  }
  throw new Error(`never happened: ${what}`);
}

async function editSessions(workspace: string, change: (text: string) => string): Promise<void> {
  const file = path.join(workspace, 'SESSIONS.md');
  const lock = await acquireLock(`${file}.lock`);
  await replaceFile(file, change(await fs.readFile(file, 'utf8')));
  lock.release();
}

/** While such an entry lives, nobody who knows the runtime writes SESSIONS.md. */
function inPreflight(): Record<string, unknown> {
  const entry = sessionEntry({
    runId: 'colleague',
    sessionId: FOREIGN,
    cellTarget: DUMMY_TARGET_ID,
    skillruntime: DUMMY_SKILL_ID,
    language: 'work of somebody else',
    limits: PLAN.limits,
    policyEndpoint: 'dummy://local',
    targetEndpoint: null,
  });
  // Ahead of every other stamp, so that no later move of another entry makes it a left-over.
  const stamp = new Date(Date.now() + 3_600_000).toISOString();
  return { ...entry, goal_id: 'theirs', status: 'preflight_checking', updated_at: stamp };
}

/** A run that ends after it has called its only session lost, and before it could take the entry out. */
async function endedOverALostEntry(live: Host): Promise<ExecutionInput> {
  const { workspace } = live;
  const targets = path.join(workspace, 'TARGETS.md');
  const older = await fs.readFile(targets, 'utf8');
  const stop = new AbortController();
  const input = await runInput({ ...live, plan: PLAN, signal: stop.signal });
  const running = executePlan(input);
  await until(async () => (await sessionsIn(workspace)).length === 1, 'a queued session');
  await editSessions(workspace, (text) => appendSessions(text, [inPreflight()]).text);
  await fs.writeFile(targets, older);
  await live.watchdog.runOnce();
  const isLost = async (): Promise<boolean> =>
    (await readJournal(input.bundleDir)).records.some(({ event }) => event.type === 'lost');
  await until(isLost, 'a lost session');
  stop.abort();
  await running;
  await editSessions(workspace, (text) => removeSessions(text, [FOREIGN]).text);
  return input;
}

describe('a lost session whose entry is still in the queue when its run ends', () => {
  it('stays ours: the next run takes it out', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    await endedOverALostEntry(host);
    expect((await sessionsIn(host.workspace)).map(({ status }) => status)).toEqual(['rejected']);
    host.startWatchdog();
    const other = await runInput({ ...host, plan: PLAN, runId: 'other-run' });
    expect((await executePlan(other)).end).toBe('complete');
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('is taken out by a resume, which measures the cell', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { bundleDir } = await endedOverALostEntry(host);
    host.startWatchdog();
    const resume = [{ attempt: 1, bundleDir }];
    const end = await executePlan(await runInput({ ...host, plan: PLAN, attempt: 2, resume }));
    const outcomes = end.sessions.map(({ judgement }) => judgement?.outcome);
    expect(outcomes[0]).toBe('lost');
    expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(1);
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });
});
