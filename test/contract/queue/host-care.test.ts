import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { takeLane } from '../../../src/lane/lane.ts';
import { readHolder } from '../../../src/lane/lane-holder.ts';
import { foldLedger, readLedger } from '../../../src/lane/ledger.ts';
import { cellTargetConfig } from '../../../src/plan/cell-config.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { LOG_ARCHIVE } from '../../../src/queue/archive-log.ts';
import { cleanHost } from '../../../src/queue/clean.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import { hostStatus } from '../../../src/queue/host-status.ts';
import { runPrimer } from '../../../src/queue/primer.ts';
import { removeSessions } from '../../../src/workspace/session-edits.ts';
import { leftOversIn, runInput, sessionsIn, silentLog, smallPlan } from './bench-run.ts';
import { buildChild, startChild } from './child-process.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

const laneRequest = (workspace: string, waitMs: number, log = silentLog) => {
  return { workspace, runId: 'run-b', waitMs, clock: systemClock, log };
};

describe('the lane', () => {
  it('is held by one run at a time, and says who holds it', async () => {
    const workspace = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-lane-'));
    const lane = await takeLane({ ...laneRequest(workspace, 0), runId: 'run-a' });
    const before = await fs.readdir(hostFolder(workspace).root);
    const refusal = await takeLane(laneRequest(workspace, 200)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RbError);
    expect(refusal).toMatchObject({ exitCode: 75 });
    expect(String(refusal)).toContain('run-a');
    expect(await fs.readdir(hostFolder(workspace).root)).toEqual(before);
    await lane.release();
    expect(await readHolder(workspace)).toBeNull();
    const next = await takeLane(laneRequest(workspace, 0));
    expect(next).toMatchObject({ waitedFor: null });
    await next.release();
    await fs.rm(workspace, { recursive: true });
  });

  it('does not call the host busy when the wait is interrupted', async () => {
    const workspace = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-lane-'));
    const stop = new AbortController();
    stop.abort(new Error('interrupted by SIGTERM'));
    const refusal = takeLane({ ...laneRequest(workspace, 10_000), signal: stop.signal });
    await expect(refusal).rejects.toThrow('interrupted by SIGTERM');
    await fs.rm(workspace, { recursive: true });
  });

  it('is handed over while somebody waits, and the waiting is reported', async () => {
    const workspace = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-lane-'));
    const lane = await takeLane({ ...laneRequest(workspace, 0), runId: 'run-a' });
    const said: string[] = [];
    const info = (text: string): unknown => said.push(text);
    const waiting = takeLane(laneRequest(workspace, 10_000, { ...silentLog, info }));
    while (said.length === 0) await delay(20);
    await lane.release();
    const next = await waiting;
    expect(next.waitedMs).toBeGreaterThan(0);
    expect(next.waitedFor?.runId).toBe('run-a');
    expect(said.join()).toContain('run-a');
    await next.release();
    await fs.rm(workspace, { recursive: true });
  });
});

describe('cleanHost', () => {
  it('takes out what a killed run left, saves evidence, and leaves foreign entries that look like ours', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    await killedRun(host, { tasks: [0], initStates: [0, 1] }, 2);
    await host.watchdog.runOnce();
    await settled(workspace, 1);
    // A foreign entry with a name like ours is not ours: the ledger does not know it.
    const lookalike = 'rb-test-run-t09-i009-r0-candidate-a0';
    await copyFirstEntry(workspace, lookalike);

    const status = await hostStatus(workspace, Date.now());
    expect(status.lane).toMatchObject({ held: false, holder: { runId: 'test-run' } });
    expect(status.ours.sessions).toHaveLength(2);

    const result = await cleanHost({
      workspace,
      log: false,
      patienceMs: 30_000,
      lockMs: 5_000,
      clock: systemClock,
    });
    expect(result.removed).toHaveLength(2);
    expect(result.cellTargetsLeft).toEqual([]);
    expect(await leftOversIn(workspace)).toEqual([lookalike]);
    const saved = await fs.readdir(path.join(hostFolder(workspace).swept, 'test-run/raw'));
    // Cells that are held out may be among them.
    expect((await fs.stat(hostFolder(workspace).swept)).mode & 0o777).toBe(0o700);
    expect(saved).toHaveLength(1);

    // The next attempt of that run counts the saved session instead of running its cell again.
    host.startWatchdog();
    const plan = smallPlan({ tasks: [0], initStates: [0, 1] });
    const bundleDir = path.join(workspace, 'artifacts/rollout-bench/test-run/attempt-1');
    const input = await runInput({ ...host, plan, attempt: 2, resume: [{ attempt: 1, bundleDir }] });
    const end = await executePlan(input);
    expect(end.end).toBe('complete');
    const ran = (await fs.readdir(path.join(workspace, 'artifacts/runtime'))).filter((id) =>
      id.startsWith('rb-'),
    );
    expect(ran).toHaveLength(2);
  });

  it('keeps the target of an entry that somebody took out, while a watchdog may hold the older document', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    await killedRun(host, { tasks: [0], initStates: [0] }, 1);
    const file = path.join(workspace, 'SESSIONS.md');
    const [session] = await sessionsIn(workspace);
    const { text } = removeSessions(await fs.readFile(file, 'utf8'), [session?.id ?? '']);
    await fs.writeFile(file, text);
    expect(await sessionsIn(workspace)).toEqual([]);
    const request = { workspace, log: false, patienceMs: 0, lockMs: 5_000 };

    const early = await cleanHost({ ...request, clock: systemClock });
    expect(early).toMatchObject({ cellTargetsRemoved: [], cellTargetsLeft: [expect.any(String)] });
    const later = { ...systemClock, now: () => systemClock.now() + 60_000 };
    const late = await cleanHost({ ...request, clock: later });
    expect(late).toMatchObject({ cellTargetsRemoved: early.cellTargetsLeft, cellTargetsLeft: [] });
  });

  it('moves our LOG.md entries to an archive, and only with an idle queue', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { workspace } = host;
    await executePlan(await runInput({ ...host, plan: smallPlan({ tasks: [0], initStates: [0, 1] }) }));
    const request = { workspace, log: true, patienceMs: 0, lockMs: 5_000, clock: systemClock };
    const result = await cleanHost(request);
    expect(result.log).toMatchObject({ kind: 'moved', entries: 2 });
    expect(await fs.readFile(path.join(workspace, 'LOG.md'), 'utf8')).toContain('sessions: {}');
    expect(await fs.readFile(path.join(workspace, LOG_ARCHIVE), 'utf8')).toContain('rb-test-run-t00');
    expect((await cleanHost(request)).log).toEqual({ kind: 'nothing' });
    // The runtime goes on with the shortened file.
    const plan = smallPlan({ tasks: [1], initStates: [0] });
    const end = await executePlan(await runInput({ ...host, plan, runId: 'second' }));
    expect(end.end).toBe('complete');
  });
});

describe('runPrimer', () => {
  it('makes the server take over another suite and leaves nothing behind', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { workspace } = host;
    const plan = smallPlan({ suite: 'libero_object' });
    const { base } = await runInput({ ...host, plan });
    const before = await fs.readFile(path.join(workspace, 'TARGETS.md'), 'utf8');
    const cell = plan.cells[0];
    if (cell === undefined) throw new Error('no cell');
    const request = {
      workspace,
      runId: 'test-run',
      base,
      skillruntime: plan.skillruntime,
      limits: plan.limits,
      config: cellTargetConfig({}, plan, cell),
      targetEndpoint: null,
      timeoutMs: 20_000,
      clock: systemClock,
      log: silentLog,
      signal: new AbortController().signal,
    };
    const result = await runPrimer(request);
    expect(['failed', 'succeeded']).toContain(result.status);
    expect(host.target.runtime.config.benchmark_name).toBe('libero_object');
    expect(await leftOversIn(workspace)).toEqual([]);
    expect(await fs.readFile(path.join(workspace, 'TARGETS.md'), 'utf8')).toBe(before);
    const holdings = foldLedger(await readLedger(hostFolder(workspace).ledger));
    expect(holdings.sessions.size + holdings.cellTargets.size).toBe(0);

    await host.crashWatchdog();
    const still = await runPrimer({ ...request, timeoutMs: 300 }).catch((error: unknown) => error);
    expect(String(still)).toContain('is the watchdog running?');
    expect(await leftOversIn(workspace)).toEqual([]);
    host.startWatchdog();

    await host.killTarget();
    await expect(runPrimer(request)).rejects.toMatchObject({ problems: [{ code: 'RB407' }] });
    expect(await leftOversIn(workspace)).toEqual([]);
  });
});

describe('half-written files of a killed run', () => {
  it('go with the next sweep, and no other file does', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const { contracts } = hostFolder(workspace);
    await fs.mkdir(contracts, { recursive: true });
    const stray = [
      path.join(workspace, '.SESSIONS.md.rb-0123456789ab.tmp'),
      path.join(workspace, '.TARGETS.md.rb-0123456789ab.tmp'),
      path.join(contracts, '.x--rb-01234567.runtime.yaml.rb-0123456789ab.tmp'),
    ];
    const theirs = [
      path.join(workspace, '.SESSIONS.md.k3j2h1.tmp'),
      path.join(workspace, '.TARGETS.md.swp'),
      path.join(workspace, 'SESSIONS.md.rb-0123456789ab.tmp'),
    ];
    for (const file of [...stray, ...theirs]) await fs.writeFile(file, 'half');
    await cleanHost({ workspace, log: false, patienceMs: 0, lockMs: 2_000, clock: systemClock });
    const left = (files: readonly string[]) =>
      Promise.all(
        files.map((file) =>
          fs.access(file).then(
            () => true,
            () => false,
          ),
        ),
      );
    expect(await left(stray)).toEqual([false, false, false]);
    expect(await left(theirs)).toEqual([true, true, true]);
  });
});

/** A run that is killed once it has queued so many sessions. */
async function killedRun(on: Host, plan: Parameters<typeof smallPlan>[0], queued: number): Promise<void> {
  const { workspace, policyEndpoint } = on;
  const child = await buildChild();
  const running = startChild(child.file, { workspace, policyEndpoint, plan, attempt: 1, resume: [] });
  while ((await sessionsIn(workspace)).length < queued) await delay(20);
  running.process.kill('SIGKILL');
  await running.ended;
  await child.remove();
}

/** Appends the first entry of SESSIONS.md once more, under another name. */
async function copyFirstEntry(workspace: string, id: string): Promise<void> {
  const file = path.join(workspace, 'SESSIONS.md');
  const text = await fs.readFile(file, 'utf8');
  const slice = /- session_id: .*?(?=\n- session_id|\n```)/s.exec(text)?.[0] ?? '';
  const copy = slice.replace(/session_id: \S+/, `session_id: ${id}`);
  await fs.writeFile(file, text.replace(/\n```\s*$/, `\n${copy.trimEnd()}\n\`\`\`\n`));
}

async function settled(workspace: string, count: number): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const done = (await sessionsIn(workspace)).filter(
      ({ status }) => status === 'succeeded' || status === 'failed',
    );
    if (done.length >= count) return;
    await delay(25);
  }
  throw new Error('the session never ended');
}
