import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clean } from '../../../src/app/clean.ts';
import { doctor } from '../../../src/app/doctor.ts';
import { fence } from '../../../src/app/fence.ts';
import { qualify } from '../../../src/app/qualify.ts';
import { run } from '../../../src/app/run.ts';
import { statusText } from '../../../src/app/status.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { takeHost } from '../../../src/job/measure/take-host.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { readFence } from '../../../src/lane/fence.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Clock } from '../../../src/platform/ports.ts';
import { cleanHost } from '../../../src/queue/clean.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import { hostStatus } from '../../../src/queue/host-status.ts';
import type { ExecutionEnd } from '../../../src/queue/machine/job.ts';
import { called } from '../app/verb-context.ts';
import { KeptLog } from '../github/loopback/client-for.ts';
import { leftOversIn, runInput, sessionsIn, smallPlan, targetIdsIn } from './bench-run.ts';
import { buildChild, startChild } from './child-process.ts';

const LIMIT_S = 60;
/** Beyond limit and grace. */
const LATER_MS = (LIMIT_S + 70) * 1000;
const FOREIGN = 'theirs_1';
const PLAN = { tasks: [0], initStates: [0, 1], sessionTimeoutS: LIMIT_S };

let child: Awaited<ReturnType<typeof buildChild>>;
let host: Host;
beforeAll(async () => {
  child = await buildChild();
});
afterAll(() => child.remove());
afterEach(() => host.stop());

/** A clock that can be put forward, and tells how often it was looked at. */
class Ahead implements Clock {
  aheadMs = 0;
  looks = 0;
  readonly sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms, signal);
  now(): number {
    this.looks += 1;
    return systemClock.now() + this.aheadMs;
  }
}

let freezes = true;

/** A host whose watchdog stands still as soon as a session of ours runs, as long as `freezes`. */
async function hostThatFreezes(): Promise<void> {
  freezes = true;
  host = await startHost({
    rule: { kind: 'stub' },
    onTransition: (_id, status) => {
      if (freezes && status === 'running') host.pauseWatchdog();
    },
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}

const running = async (): Promise<boolean> =>
  (await sessionsIn(host.workspace)).some(({ status }) => status === 'running');

/** A finished session of somebody else. */
async function addForeign(): Promise<void> {
  const file = path.join(host.workspace, 'SESSIONS.md');
  const entry = [
    `  - session_id: ${FOREIGN}`,
    '    goal_id: theirs',
    `    target_ref: simulation://${LIBERO_TARGET_ID}`,
    '    skillruntime_ref: skillruntime://policy/openpi_vla_remote',
    '    task_description: somebody else did this',
    '    status: succeeded',
  ].join('\n');
  const text = await fs.readFile(file, 'utf8');
  await fs.writeFile(file, text.replace(/sessions: \[\]/, `sessions:\n${entry}`));
  expect((await sessionsIn(host.workspace)).map(({ id }) => id)).toEqual([FOREIGN]);
}

async function runIntoSilence(clock: Ahead): Promise<{ end: ExecutionEnd; bundleDir: string }> {
  const states: string[] = [];
  const input = await runInput({
    ...host,
    plan: smallPlan(PLAN),
    settings: { sessionTimeoutMs: LIMIT_S * 1000 },
    onProgress: ({ state }) => states.push(state),
  });
  const ending = executePlan({ ...input, clock });
  await until(running);
  // Our own look must have come before the time jumps: its clock begins with what it saw.
  await until(async () =>
    (await readJournal(input.bundleDir)).records.some(({ event }) => event.type === 'running'),
  );
  // Most of the grace is left when the progress says so.
  clock.aheadMs = (LIMIT_S + 5) * 1000;
  await until(async () => states.some((state) => state.includes('its time limit is over')));
  expect(await readFence(host.workspace)).toEqual({ kind: 'none' });
  clock.aheadMs = LATER_MS;
  return { end: await ending, bundleDir: input.bundleDir };
}

const RUN_ARGS = (workspace: string, policyEndpoint: string): string[] => [
  'run',
  ...['--workspace', workspace],
  ...['--target', LIBERO_TARGET_ID],
  ...['--suite', 'libero_spatial'],
  ...['--tasks', '0'],
  ...['--init-states', '0'],
  ...['--policy-endpoint', policyEndpoint],
];

async function everyFile(folder: string): Promise<string[]> {
  const names = (await fs.readdir(folder, { recursive: true })).toSorted();
  const stats = await Promise.all(names.map((name) => fs.stat(path.join(folder, name))));
  return names.map((name, index) => `${name} ${stats[index]?.isFile() ? stats[index].mtimeMs : ''}`);
}

async function fenceVerb(...argv: readonly string[]): Promise<{ exit: number; printed: string }> {
  const call = await called(['fence', '--workspace', host.workspace, ...argv]);
  return { exit: await fence(call.verb), printed: call.printed() };
}

describe('a session of ours that runs on under a silent watchdog', () => {
  it('fences the host until a person clears it; then the run goes on', async () => {
    await hostThatFreezes();
    const { workspace } = host;
    await addForeign();
    const clock = new Ahead();
    const { end, bundleDir } = await runIntoSilence(clock);

    expect(end.end).toBe('incomplete');
    expect(end.reason).toContain('the host is fenced');
    const entries = await sessionsIn(workspace);
    expect(entries.map(({ status }) => status)).toEqual(['succeeded', 'running']);
    const theirs = entries[0]?.lines()?.trimEnd();
    const stuck = entries[1]?.id ?? '';
    const state = await expectFenced(stuck, bundleDir);

    const before = await everyFile(workspace);
    await expectNobodyStarts(stuck);
    expect(await everyFile(workspace)).toEqual(before);
    await expectNotCleared(stuck);
    expect(await readFence(workspace)).toEqual(state);
    await expectToldByDoctorAndStatus(stuck, clock);
    await expectNotCleaned(stuck, clock);
    expect((await hostStatus(workspace, clock.now())).fence).toEqual(state);

    await host.crashWatchdog();
    await clearAfterRestart(stuck);

    freezes = false;
    host.startWatchdog();
    await expectRunGoesOn(stuck, bundleDir);
    const left = await sessionsIn(workspace);
    expect(left.map((entry) => entry.lines()?.trimEnd())).toEqual([theirs]);
    expect(await leftOversIn(workspace)).toEqual([]);
  });
});

/** The fence names the session, and so does the journal; what the session needs is still there. */
async function expectFenced(stuck: string, bundleDir: string): Promise<unknown> {
  const state = await readFence(host.workspace);
  expect(state).toMatchObject({
    kind: 'fenced',
    fence: { runId: 'test-run', sessionId: stuck, status: 'running' },
  });
  const events = (await readJournal(bundleDir)).records.map(({ event }) => event);
  expect(events.filter(({ type }) => type === 'fenced')).toMatchObject([{ sessionId: stuck }]);
  expect((await targetIdsIn(host.workspace)).filter((id) => id.includes('--rb-'))).toHaveLength(1);
  return state;
}

const FENCED = { exitCode: 3, problems: [{ code: 'RB375' }] };

/** The next run is refused, and so is a qualification. */
async function expectNobodyStarts(stuck: string): Promise<void> {
  const argv = RUN_ARGS(host.workspace, host.policyEndpoint);
  const { verb } = await called(argv);
  const refused = run(verb);
  await expect(refused).rejects.toMatchObject(FENCED);
  await expect(refused).rejects.toThrow(
    new RegExp(`${stuck}.*is running since .*fence --workspace .* --clear --watchdog-restarted`, 's'),
  );
  const { verb: qualifying } = await called(['qualify', ...argv.slice(1, 7)]);
  await expect(qualify(qualifying)).rejects.toMatchObject(FENCED);
  // Nor does another suite or control of the same program.
  const other = await runInput({ ...host, plan: smallPlan(PLAN), runId: 'other' });
  await expect(executePlan(other)).rejects.toMatchObject(FENCED);
}

/** Clearing without a reason or too early is refused, and the verb says what to do instead. */
async function expectNotCleared(stuck: string): Promise<void> {
  expect((await fenceVerb()).printed).toMatch(new RegExp(`${stuck}[\\s\\S]*--clear --watchdog-restarted`));
  await expect(fenceVerb('--clear')).rejects.toMatchObject({ exitCode: 2 });
  await expect(fenceVerb('--clear', '--reason', 'looked')).rejects.toMatchObject({
    exitCode: 3,
    problems: [{ code: 'RB410' }],
  });
}

async function expectToldByDoctorAndStatus(stuck: string, clock: Clock): Promise<void> {
  const asked = await called(['doctor', '--workspace', host.workspace]);
  expect(await doctor(asked.verb)).toBe(3);
  expect(asked.printed()).toContain('STOPS  RB375');
  expect(statusText(await hostStatus(host.workspace, clock.now()))).toMatch(
    new RegExp(`^Fence: Fenced .*${stuck}`, 'm'),
  );
}

/** Not even `clean` takes the entry out from under a watchdog that may be at it, and it says who does. */
async function expectNotCleaned(stuck: string, clock: Clock): Promise<void> {
  const { workspace } = host;
  const cleaned = await cleanHost({ workspace, log: false, patienceMs: 0, lockMs: 5_000, clock });
  expect(cleaned).toMatchObject({ atWork: [stuck], removed: [] });
  const cleaning = await called(['clean', '--workspace', workspace]);
  expect(await clean(cleaning.verb)).toBe(0);
  expect(cleaning.printed()).toContain('rollout-bench fence --workspace');
}

/** The fence goes, and with it the entry, of which the host keeps the text. */
async function clearAfterRestart(stuck: string): Promise<void> {
  const { workspace } = host;
  const cleared = await fenceVerb('--clear', '--watchdog-restarted', '--reason', 'watchdog restarted');
  expect(cleared.exit).toBe(0);
  expect(await readFence(workspace)).toEqual({ kind: 'none' });
  const [line] = (await fs.readFile(hostFolder(workspace).clearedFences, 'utf8')).trim().split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({
    reason: 'watchdog restarted',
    entry: 'taken_out',
    fence: { sessionId: stuck },
  });
  expect(JSON.parse(line ?? '').entryText).toContain(stuck);
}

/** The next attempt counts the stuck session as lost and runs its cell again. */
async function expectRunGoesOn(stuck: string, bundleDir: string): Promise<void> {
  const resume = [{ attempt: 1, bundleDir }];
  const second = await executePlan(await runInput({ ...host, plan: smallPlan(PLAN), attempt: 2, resume }));
  expect(second.end).toBe('complete');
  const outcomes = second.sessions.filter(({ judgement }) => judgement !== null);
  const lost = outcomes.filter(({ judgement }) => judgement?.outcome === 'lost');
  expect(lost.map(({ sessionId }) => sessionId)).toEqual([stuck]);
  const good = outcomes.filter(({ judgement }) => judgement?.outcome === 'success');
  expect(good).toHaveLength(2);
}

describe('a watchdog that was killed and started again', () => {
  it('fences nothing: that it goes on to another session shows which one it has left', async () => {
    await hostThatFreezes();
    const ending = executePlan(await runInput({ ...host, plan: smallPlan(PLAN) }));
    await until(running);
    await host.crashWatchdog();
    freezes = false;
    host.startWatchdog();
    const end = await ending;
    expect(end.end).toBe('complete');
    expect(end.sessions.map(({ judgement }) => judgement?.outcome)).toContain('error');
    expect(await readFence(host.workspace)).toEqual({ kind: 'none' });
    expect(await leftOversIn(host.workspace)).toEqual([]);
  });
});

describe('a run that is killed while its session runs', () => {
  async function killedRun(): Promise<string> {
    const { workspace, policyEndpoint } = host;
    const wishes = { workspace, policyEndpoint, plan: PLAN, attempt: 1, resume: [] };
    const started = startChild(child.file, wishes);
    await until(running);
    started.process.kill('SIGKILL');
    await started.ended;
    return (await sessionsIn(workspace)).find(({ status }) => status === 'running')?.id ?? '';
  }

  const request = (clock: Clock, log: KeptLog, signal = new AbortController().signal) => {
    const { workspace } = host;
    const inputs = readInputs({ workspace, suite: 'libero_spatial', 'session-timeout': `${LIMIT_S}s` });
    return { workspace, runIds: ['next'], purpose: 'adhoc' as const, inputs, env: {}, clock, log, signal };
  };

  it('fences nothing: the next run waits for a session that a healthy watchdog ends', async () => {
    await hostThatFreezes();
    const id = await killedRun();
    const log = new KeptLog();
    const taking = takeHost(request(systemClock, log));
    await until(async () => log.lines.some((line) => line.includes(id)));
    expect((await sessionsIn(host.workspace)).find((entry) => entry.id === id)?.status).toBe('running');
    freezes = false;
    host.resumeWatchdog();
    const { lane, earlierMs } = await taking;
    await lane.release();
    expect(earlierMs).toBeGreaterThan(0);
    const entries = await sessionsIn(host.workspace);
    // The other one, pending, was taken back before the watchdog could come to it.
    expect(entries.map((entry) => [entry.id, entry.status])).toEqual([[id, 'succeeded']]);
    expect(await readFence(host.workspace)).toEqual({ kind: 'none' });
  });

  it('keeps the host held for as long as its session may run; then the next run fences', async () => {
    await hostThatFreezes();
    const id = await killedRun();
    await host.crashWatchdog();
    const clock = new Ahead();
    const log = new KeptLog();
    const taking = takeHost(request(clock, log));
    await until(async () => log.lines.some((line) => line.includes(id)));
    // It looks again and again, and goes on waiting.
    const { looks } = clock;
    const ended = taking.then(
      () => 'taken',
      () => 'refused',
    );
    const looked = until(async () => clock.looks > looks + 1).then(() => 'waits');
    expect(await Promise.race([ended, looked])).toBe('waits');
    expect(await readFence(host.workspace)).toEqual({ kind: 'none' });
    clock.aheadMs = LATER_MS;
    await expect(taking).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB375' }] });
    expect(await readFence(host.workspace)).toMatchObject({ fence: { sessionId: id, runId: 'test-run' } });
    expect((await hostStatus(host.workspace, clock.now())).lane).toMatchObject({ held: false, waiting: [] });
    // Ended by hand meanwhile: nothing is in doubt any more.
    const file = path.join(host.workspace, 'SESSIONS.md');
    await fs.writeFile(file, (await fs.readFile(file, 'utf8')).replace('status: running', 'status: failed'));
    expect(await fenceVerb('--clear', '--reason', 'set to failed')).toMatchObject({ exit: 0 });
    const { lane } = await takeHost(request(systemClock, log));
    await lane.release();
  });

  it('stops waiting when it is interrupted, and gives the lane back', async () => {
    await hostThatFreezes();
    const id = await killedRun();
    const stop = new AbortController();
    const log = new KeptLog();
    const taking = takeHost(request(systemClock, log, stop.signal));
    await until(async () => log.lines.some((line) => line.includes(id)));
    stop.abort(new Error('interrupted'));
    await expect(taking).rejects.toThrow('interrupted');
    expect((await hostStatus(host.workspace, Date.now())).lane.held).toBe(false);
    expect(await readFence(host.workspace)).toEqual({ kind: 'none' });
  });
});

describe('a fence that was damaged', () => {
  it.each([
    ['empty', ''],
    ['no fence', '{"schema":"rollout-bench/fence/9"}'],
    ['too large', ' '.repeat(70_000)],
  ])('keeps everybody out all the same, and can be cleared (%s)', async (_name, content) => {
    host = await startHost({ startWatchdog: false });
    const { fence: file } = hostFolder(host.workspace);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, content);
    const { verb } = await called(RUN_ARGS(host.workspace, host.policyEndpoint));
    const refused = run(verb);
    await expect(refused).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB409' }] });
    expect(await fenceVerb('--clear', '--reason', 'looked')).toMatchObject({ exit: 0 });
    expect(await readFence(host.workspace)).toEqual({ kind: 'none' });
    expect((await fenceVerb()).printed).toBe('Not fenced.\n');
  });

  it('half-written by a killed run is none, and is swept away', async () => {
    host = await startHost({ startWatchdog: false });
    const { root } = hostFolder(host.workspace);
    await fs.mkdir(root, { recursive: true });
    const half = path.join(root, '.fence.json.rb-0123456789ab.tmp');
    await fs.writeFile(half, '{"schema"');
    expect(await readFence(host.workspace)).toEqual({ kind: 'none' });
    await cleanHost({
      workspace: host.workspace,
      log: false,
      patienceMs: 0,
      lockMs: 2_000,
      clock: systemClock,
    });
    expect(await fs.readdir(root)).not.toContain(path.basename(half));
  });
});
