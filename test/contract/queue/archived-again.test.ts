import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { JOURNAL_FILE, readJournal } from '../../../src/journal/journal.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import type { ExecutionInput } from '../../../src/queue/execution.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';
import { appendSessions } from '../../../src/workspace/session-edits.ts';
import { isMapping } from '../../../src/workspace/shape.ts';
import { leftOversIn, runInput, smallPlan } from './bench-run.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

const PLAN = smallPlan({ tasks: [0], initStates: [0] });

/** Runs one cell, then makes it look as if the process had died right after a journal event of the given type. */
async function crashedAfter(
  event: string,
  live: Host,
): Promise<{ input: ExecutionInput; entry: Record<string, unknown> }> {
  const input = await runInput({ ...live, plan: PLAN });
  const end = await executePlan(input);
  const file = path.join(input.bundleDir, JOURNAL_FILE);
  const lines = (await fs.readFile(file, 'utf8')).trimEnd().split('\n');
  const cut = lines.findIndex((line) => line.includes(`"type":"${event}"`));
  await fs.writeFile(file, `${lines.slice(0, cut + 1).join('\n')}\n`);
  const sessionFile = path.join(input.bundleDir, 'raw', end.sessions[0]?.sessionId ?? '', 'session.yaml');
  const value = loadYaml(await fs.readFile(sessionFile, 'utf8'));
  const entry: unknown = Array.isArray(value) ? value[0] : value;
  if (!isMapping(entry)) throw new Error('no archived entry');
  return { input, entry };
}

async function putBack(workspace: string, entry: Record<string, unknown>): Promise<void> {
  const file = path.join(workspace, 'SESSIONS.md');
  await fs.writeFile(file, appendSessions(await fs.readFile(file, 'utf8'), [entry]).text);
}

async function nextAttempt(
  live: Host,
  earlier: ExecutionInput,
): Promise<{ outcomes: unknown[]; ran: number; types: string[] }> {
  const resume = [{ attempt: 1, bundleDir: earlier.bundleDir }];
  const input = await runInput({ ...live, plan: PLAN, attempt: 2, resume });
  const end = await executePlan(input);
  expect(end.end).toBe('complete');
  const { records } = await readJournal(input.bundleDir);
  return {
    outcomes: end.sessions.map(({ judgement }) => judgement?.outcome),
    ran: (await fs.readdir(path.join(live.workspace, 'artifacts/runtime'))).length,
    types: records.map(({ event }) => event.type),
  };
}

describe('an archived session whose entry is there when the next attempt starts', () => {
  it('is taken out when it is what was archived', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { input, entry } = await crashedAfter('collected', host);
    await putBack(host.workspace, entry);
    const next = await nextAttempt(host, input);
    expect(next).toMatchObject({ outcomes: ['success'], ran: 1 });
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('is a conflict when it was changed: the archive is kept, the entry goes', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { input, entry } = await crashedAfter('collected', host);
    await putBack(host.workspace, { ...entry, status: 'failed' });
    const next = await nextAttempt(host, input);
    expect(next).toMatchObject({ outcomes: ['conflict'], ran: 1 });
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });

  it('is taken out before it can run again when it came back as pending', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { input, entry } = await crashedAfter('removed', host);
    await host.stopWatchdog();
    const { result: _result, ...rest } = entry;
    await putBack(host.workspace, { ...rest, status: 'pending' });
    const next = await nextAttempt(host, input);
    expect(next).toMatchObject({ outcomes: ['success'], ran: 1 });
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });
});

describe('a run after another one crashed', () => {
  it('sweeps what the other one left, by the ledger', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const stop = new AbortController();
    const first = executePlan(await runInput({ ...host, plan: PLAN, runId: 'first', signal: stop.signal }));
    while ((await leftOversIn(host.workspace)).length < 3)
      await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    await first;
    expect((await leftOversIn(host.workspace)).length).toBeGreaterThan(0);
    host.startWatchdog();
    const other = smallPlan({ tasks: [5], initStates: [0] });
    const end = await executePlan(await runInput({ ...host, plan: other, runId: 'second' }));
    expect(end.end).toBe('complete');
    const left = await leftOversIn(host.workspace);
    // The withdrawn session's target may still have to stay for its ten seconds; nothing else may.
    expect(left.filter((id) => !id.includes('--rb-'))).toEqual([]);
    expect(host.watchdogAlive()).toBe(true);
  });
});
