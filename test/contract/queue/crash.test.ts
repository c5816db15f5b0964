import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DUMMY_SKILL_ID, DUMMY_TARGET_ID, type Host, startHost } from '../../../src/host/host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { QueueDocuments } from '../../../src/queue/documents.ts';
import { sessionEntry } from '../../../src/queue/machine/session-entry.ts';
import { leftOversIn, sessionsIn, smallPlan } from './bench-run.ts';
import { buildChild, startChild } from './child-process.ts';

const PLAN = { tasks: [0, 1, 2, 3], initStates: [0, 1, 2, 3, 4, 5] };
const KILLS = 6;

let child: Awaited<ReturnType<typeof buildChild>>;
let host: Host | null = null;
beforeAll(async () => {
  child = await buildChild();
});
afterAll(() => child.remove());
afterEach(async () => {
  await host?.stop();
  host = null;
});

/** Appends the way a careful colleague does: under the lock, not during a preflight. */
async function queueForeign(workspace: string, id: string): Promise<void> {
  const documents = new QueueDocuments(workspace);
  const ours = sessionEntry({
    runId: 'colleague',
    sessionId: id,
    cellTarget: DUMMY_TARGET_ID,
    skillruntime: DUMMY_SKILL_ID,
    language: `work of somebody else, ${id}`,
    limits: { ...smallPlan().limits, maxPolicyCalls: 10 },
    policyEndpoint: 'dummy://local',
    targetEndpoint: null,
  });
  const entry = { ...ours, goal_id: 'theirs', priority: 'normal' };
  await documents.editSessions(
    { append: [entry], remove: [] },
    { timeoutMs: 20_000, slowestTransitionMs: 0, onWait: () => undefined },
  );
  documents.close();
}

interface Killed {
  /** What the attempt that was left to its end printed. */
  readonly output: string;
  readonly attempts: readonly Attempt[];
  /** Sessions of somebody else, one queued during each attempt. */
  readonly foreign: readonly string[];
}

interface Attempt {
  readonly attempt: number;
  readonly bundleDir: string;
}

/** Starts the run, and again with what was before it after each of the kills, which come at spread moments. */
async function runUnderKills({ workspace, policyEndpoint }: Host): Promise<Killed> {
  const root = path.join(workspace, 'artifacts/rollout-bench/test-run');
  const attempts: Attempt[] = [];
  const foreign: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const resume = [...attempts];
    const running = startChild(child.file, { workspace, policyEndpoint, plan: PLAN, attempt, resume });
    const id = `foreign_${attempt}`;
    foreign.push(id);
    await queueForeign(workspace, id);
    // After the kills an attempt may finish.
    if (attempt <= KILLS) {
      await delay(600 + attempt * 137);
      running.process.kill('SIGKILL');
    }
    const output = await running.ended;
    attempts.push({ attempt, bundleDir: path.join(root, `attempt-${attempt}`) });
    if (output !== null) return { output, attempts, foreign };
  }
}

/** How often each cell was collected, by its position; every one of them with a result. */
async function collectedByCell(bundleDir: string): Promise<ReadonlyMap<number, number>> {
  const { records } = await readJournal(bundleDir);
  const positionOf = new Map<string, number>();
  const valid = new Map<number, number>();
  for (const { event } of records) {
    if (event.type === 'intent' || event.type === 'adopted') positionOf.set(event.sessionId, event.position);
    if (event.type !== 'collected') continue;
    const position = positionOf.get(event.sessionId) ?? -1;
    expect(['success', 'failure']).toContain(event.outcome);
    valid.set(position, (valid.get(position) ?? 0) + 1);
  }
  return valid;
}

describe('a run that is killed again and again', () => {
  it('runs no finished cell twice, loses no foreign session and leaves nothing behind', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 0.2 });
    const { workspace } = host;
    const { output, attempts, foreign } = await runUnderKills(host);
    expect(JSON.parse(output)).toEqual({ end: 'complete', reason: null });
    expect(await leftOversIn(workspace)).toEqual([]);
    expect(host.watchdogAlive()).toBe(true);
    const entries = await sessionsIn(workspace);
    expect(entries.map(({ id }) => id).toSorted()).toEqual(foreign.toSorted());

    const valid = await collectedByCell(attempts.at(-1)?.bundleDir ?? '');
    const cells = PLAN.tasks.length * PLAN.initStates.length;
    expect(valid.size).toBe(cells);
    expect([...valid.values()].every((count) => count === 1)).toBe(true);
    // The runtime's own folders tell that no cell ran twice either.
    const ran = (await fs.readdir(path.join(workspace, 'artifacts/runtime'))).filter((name) =>
      name.startsWith('rb-'),
    );
    expect(ran).toHaveLength(cells);
  }, 180_000);
});
