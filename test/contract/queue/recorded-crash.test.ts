import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { buildRecords, judgeSession, sessionsOf } from '../../../src/outcome/build-records.ts';
import { proofOf } from '../../../src/outcome/policy-proof.ts';
import { readArchivedEvidenceNow, readRecordingNow } from '../../../src/outcome/read-archive.ts';
import { leftOversIn, sessionsIn, smallPlan } from './bench-run.ts';
import { buildChild, startChild, untilJournal } from './child-process.ts';

const PLAN = { tasks: [0, 1], initStates: [0, 1, 2] };
const KILLS = 3;

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

/** Waits until a session of the attempt has asked its policy, and gives its id. */
async function someoneAsking(rawDir: string): Promise<string> {
  for (;;) {
    const names = await fs.readdir(rawDir).catch(() => [] as string[]);
    for (const name of names.filter((each) => each.endsWith('.partial'))) {
      const file = path.join(rawDir, name, 'policy.json');
      if ((await fs.stat(file).catch(() => null)) !== null) return name.slice(1, -'.partial'.length);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a run that records its policies and is killed while a session asks', () => {
  it('takes back what waits for a dead relay, measures what it lost anew, and proves every cell once', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 4 });
    const { workspace, policyEndpoint } = host;
    const root = path.join(workspace, 'artifacts/rollout-bench/test-run');
    const resume: { attempt: number; bundleDir: string }[] = [];
    const lost: string[] = [];
    let output: string | null = null;
    for (let attempt = 1; output === null; attempt += 1) {
      const bundleDir = path.join(root, `attempt-${attempt}`);
      const wishes = { workspace, policyEndpoint, plan: PLAN, attempt, resume: [...resume], records: true };
      const running = startChild(child.file, wishes);
      if (attempt === 2) {
        await untilJournal(bundleDir, running, (events) => events.some(({ type }) => type === 'cancelled'));
        host.resumeWatchdog();
      }
      if (attempt <= KILLS) {
        lost.push(await someoneAsking(path.join(bundleDir, 'raw')));
        // The first time nobody may run what waits before the next attempt has seen it.
        if (attempt === 1) host.pauseWatchdog();
        running.process.kill('SIGKILL');
      }
      output = await running.ended;
      resume.push({ attempt, bundleDir });
    }
    expect(JSON.parse(output)).toEqual({ end: 'complete', reason: null });
    expect(await leftOversIn(workspace)).toEqual([]);
    expect(await sessionsIn(workspace)).toEqual([]);

    const last = resume.at(-1)?.bundleDir ?? '';
    const { records: journal } = await readJournal(last);
    const plan = smallPlan(PLAN);
    const judged = sessionsOf(journal).map((session) => {
      const evidence =
        session.closed === 'collected'
          ? readArchivedEvidenceNow(last, session.sessionId, session.omitted)
          : null;
      const found = judgeSession(plan, session, evidence);
      return { ...found, proof: proofOf(found.found, readRecordingNow(last, session.sessionId)) };
    });
    const records = buildRecords(plan, judged);
    // Nothing is retried after an error of the host, so what our own end broke must not count as one.
    expect(
      records.map(({ outcome }) => outcome).filter((each) => each !== 'success' && each !== 'failure'),
    ).toEqual([]);
    expect(records.map(({ policyProof }) => policyProof?.state)).toEqual(records.map(() => 'proven'));
    // A session that was asking when its relay died is lost, or its recording was whole.
    const outcomes = new Map(judged.map(({ session, found }) => [session.sessionId, found.outcome]));
    for (const id of lost) expect(['lost', 'success', 'failure']).toContain(outcomes.get(id));
    expect([...outcomes.values()]).toContain('lost');
  }, 180_000);
});
