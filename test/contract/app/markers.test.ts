import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { inventory } from '../../../src/app/inventory.ts';
import { status } from '../../../src/app/status.ts';
import { fatalSchema, interruptedSchema, markFatal } from '../../../src/bundle/markers.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { type Benchmark, runBenchmark } from '../../../src/job/measure/run-benchmark.ts';
import type { VerbContext } from '../../../src/job/verb.ts';
import { withCrashNote } from '../../../src/platform/crash-notes.ts';
import { runContext } from '../../../src/platform/run-context.ts';
import { watchSignals } from '../../../src/platform/signals.ts';
import { sessionsIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function callRun(more: readonly string[] = []) {
  if (host === null) throw new Error('no host');
  const { workspace, policyEndpoint } = host;
  const where = ['--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'];
  const what = ['--tasks', '0', '--init-states', '0-3', '--policy-endpoint', policyEndpoint];
  return called(['run', ...where, ...what, ...more]);
}

const start = (verb: VerbContext): Promise<Benchmark> =>
  runBenchmark({
    verb,
    run: runContext({}, {}),
    template: null,
    heldOut: null,
    foresee: null,
    onRun: () => undefined,
  });

async function printed(verb: 'status' | 'inventory', use: (context: VerbContext) => Promise<number>) {
  const call = await called([verb, '--workspace', host?.workspace ?? '']);
  await use(call.verb);
  return call.printed();
}

async function untilIn(workspace: string, wanted: (ids: readonly string[]) => boolean): Promise<void> {
  while (!wanted((await sessionsIn(workspace)).map(({ id }) => id))) await delay(10);
}

/** The files of an attempt as kill -9 leaves them: its journal stops in the middle, and nothing else was written. */
async function asKilled(bundleDir: string): Promise<void> {
  const journal = path.join(bundleDir, 'journal.jsonl');
  const lines = (await fs.readFile(journal, 'utf8')).trimEnd().split('\n');
  const at = lines.findIndex((line) => line.includes('"interrupted"'));
  for (const name of await fs.readdir(bundleDir))
    if (name !== 'plan.json' && name !== 'journal.jsonl')
      await fs.rm(path.join(bundleDir, name), { recursive: true });
  await fs.writeFile(journal, `${lines.slice(0, at).join('\n')}\n`);
}

/** A process that gets a signal instead of this one. */
class FakeProcess extends EventEmitter {
  exit(): void {
    // The run is to end by itself.
  }
}

describe('an attempt that a signal ends', () => {
  it('leaves a marker with signal, leftovers and what is kept; status, inventory and the next report tell', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    const source = new FakeProcess();
    const { signal } = watchSignals(source, () => 0);
    const { verb } = await callRun();
    const running = start({ ...verb, signal });
    await untilIn(workspace, (ids) => ids.some((id) => id.startsWith('rb-')));
    source.emit('SIGTERM');
    const [first] = (await running).suites;
    const marker = path.join(first?.bundleDir ?? '', 'interrupted.json');
    const before = await fs.readFile(marker, 'utf8');
    expect(interruptedSchema.parse(JSON.parse(before))).toMatchObject({
      runId: first?.runId,
      attempt: 1,
      signal: 'SIGTERM',
      leftBehind: [],
      kept: 0,
      planned: 4,
    });
    expect(await printed('status', status)).toMatch(
      /^Last: .*attempt 1, interrupted by SIGTERM at .*0 of 4 episodes kept/m,
    );
    expect(await printed('inventory', inventory)).toMatch(/attempt 1, interrupted, interrupted by SIGTERM/);

    host.startWatchdog();
    const again = await callRun(['--resume', first?.runId ?? '']);
    const [second] = (await start(again.verb)).suites;
    expect(second).toMatchObject({ attempt: 2, end: { end: 'complete' } });
    expect(second?.sealed.results.warnings.join('\n')).toMatch(
      /continues attempt 1, which was interrupted by SIGTERM/,
    );
    expect(await fs.readFile(marker, 'utf8')).toBe(before);
    expect(existsSync(path.join(second?.bundleDir ?? '', 'interrupted.json'))).toBe(false);
    expect(await verifyBundle(second?.bundleDir ?? '')).toEqual([]);
    expect(await printed('status', status)).not.toMatch(/^Last:/m);
  });

  it('a killed attempt leaves no marker: status and inventory say that it died, and the command that goes on', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { verb } = await callRun();
    const stop = new AbortController();
    const running = start({ ...verb, signal: stop.signal });
    await untilIn(host.workspace, (ids) => ids.some((id) => id.startsWith('rb-')));
    expect(await printed('status', status)).not.toMatch(/^Last:/m);
    stop.abort();
    const [first] = (await running).suites;
    const { bundleDir = '', runId = '' } = first ?? {};
    await asKilled(bundleDir);
    const last = new RegExp(
      `^Last: +${runId}, attempt 1, died without a word.* to go on: .*--resume[ =]${runId}`,
      'm',
    );
    expect(await printed('status', status)).toMatch(last);
    const listed = await printed('inventory', inventory);
    expect(listed).toMatch(last);
    expect(listed).toMatch(/attempt 1, unsealed, libero_spatial/);
  });

  it('says which session it left behind', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 20 });
    const { workspace } = host;
    const source = new FakeProcess();
    const { signal } = watchSignals(source, () => 0);
    const { verb } = await callRun();
    const running = start({ ...verb, signal });
    while (!(await sessionsIn(workspace)).some(({ status: state }) => state === 'running')) await delay(10);
    source.emit('SIGINT');
    const [first] = (await running).suites;
    const text = await fs.readFile(path.join(first?.bundleDir ?? '', 'interrupted.json'), 'utf8');
    const { leftBehind } = interruptedSchema.parse(JSON.parse(text));
    expect(leftBehind.map(({ sessionId }) => sessionId)).toEqual(first?.end.leftRunning);
    expect(leftBehind).toHaveLength(1);
  });
});

describe('an attempt that a bug ends', () => {
  it('leaves the error with its stack, without secrets, and can be continued', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { verb } = await callRun();
    const progress = (): void => {
      throw new TypeError('undefined is no function: hunter2hunter2');
    };
    const log = Object.assign(Object.create(verb.log), { progress });
    const broken = start({ ...verb, log, env: { ...verb.env, GH_TOKEN: 'hunter2hunter2' } });
    await expect(broken).rejects.toThrow(TypeError);
    const runs = path.join(host.workspace, 'artifacts/rollout-bench');
    const runId = (await fs.readdir(runs)).find((name) => name !== '.host') ?? '';
    const text = await fs.readFile(path.join(runs, runId, 'attempt-1', 'fatal.json'), 'utf8');
    const marker = fatalSchema.parse(JSON.parse(text));
    expect(marker).toMatchObject({ runId, attempt: 1, code: null });
    expect(marker.message).toContain('undefined is no function');
    expect(marker.stack).toContain('TypeError');
    expect(text).not.toContain('hunter2');
    expect(await printed('inventory', inventory)).toMatch(/attempt 1, crashed, ended by a bug at /);

    const [second] = (await start((await callRun(['--resume', runId])).verb)).suites;
    expect(second?.end.end).toBe('complete');
    expect(second?.sealed.results.warnings.join('\n')).toMatch(/attempt 1, which was ended by a bug/);
    expect(await fs.readFile(path.join(runs, runId, 'attempt-1', 'fatal.json'), 'utf8')).toBe(text);
  });

  it('leaves none when the host refused, and none in a folder that is sealed or holds no attempt', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const [done] = (await start((await callRun()).verb)).suites;
    const bundleDir = done?.bundleDir ?? '';
    const place = { runId: 'r', attempt: 1, at: 'now' };
    markFatal(bundleDir, place, new Error('late'), (text) => text);
    markFatal(host.workspace, place, new Error('elsewhere'), (text) => text);
    expect(existsSync(path.join(bundleDir, 'fatal.json'))).toBe(false);
    expect(existsSync(path.join(host.workspace, 'fatal.json'))).toBe(false);
    expect(await verifyBundle(bundleDir)).toEqual([]);
  });
});

describe('a note of a crash', () => {
  it('is made once, by the failing work or by the process, and only while the work runs', async () => {
    const seen: unknown[] = [];
    const note = (error: unknown): unknown => seen.push(error);
    const failure = new RbError(3, []);
    const crash = new Error('from the process');
    const failing = withCrashNote(note, async () => {
      process.emit('uncaughtExceptionMonitor', crash);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    process.emit('uncaughtExceptionMonitor', new Error('later'));
    expect(seen).toEqual([crash]);
    await withCrashNote(note, async () => undefined);
    expect(seen).toHaveLength(1);
  });
});
