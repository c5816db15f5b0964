import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { outcomeOf } from '../../../src/host/simulator.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import { leftOversIn, runInput, sessionsIn, smallPlan } from './bench-run.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

describe('executePlan', () => {
  it('runs every planned cell once and leaves the host as it was', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const before = await fs.readFile(path.join(host.workspace, 'TARGETS.md'), 'utf8');
    const plan = smallPlan({ tasks: [0, 3], initStates: [0, 1, 2] });
    const input = await runInput({ ...host, plan });
    const end = await executePlan(input);
    expect(end).toMatchObject({ end: 'complete', reason: null, leftRunning: [], warnings: [] });
    expect(end.sessions).toHaveLength(6);
    for (const session of end.sessions) {
      const cell = plan.cells[session.position];
      const { success } = outcomeOf(
        {
          suite: plan.suite,
          taskId: cell?.taskId ?? -1,
          initStateId: cell?.initStateId ?? -1,
          skill: 1,
          run: 0,
        },
        { kind: 'stub' },
      );
      expect(session.judgement?.outcome).toBe(success ? 'success' : 'failure');
    }
    expect(await leftOversIn(host.workspace)).toEqual([]);
    expect(await fs.readFile(path.join(host.workspace, 'TARGETS.md'), 'utf8')).toBe(before);
    expect(await sessionsIn(host.workspace)).toEqual([]);
    expect(host.watchdogAlive()).toBe(true);
    const journal = await readJournal(input.bundleDir);
    expect(journal.records.at(-1)?.event).toMatchObject({ type: 'ended', end: 'complete' });
    for (const { sessionId } of end.sessions) {
      const files = await fs.readdir(path.join(input.bundleDir, 'raw', sessionId));
      expect(files.toSorted()).toEqual(['episode.json', 'log.yaml', 'session.yaml']);
    }
  });
});
