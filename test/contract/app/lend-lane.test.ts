import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { type Benchmark, runBenchmark } from '../../../src/job/measure/run-benchmark.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { runContext } from '../../../src/platform/run-context.ts';
import { leftOversIn, sessionsIn } from '../queue/bench-run.ts';
import { called } from './verb-context.ts';

const CONTRACT = 'configs/runtime/contracts/libero_real.runtime.yaml';

let host: Host;
afterEach(async () => {
  await host.stop();
});

interface Running {
  readonly done: Promise<Benchmark>;
  readonly stop: AbortController;
  says(text: string): Promise<void>;
}

async function start(purpose: string, ...more: readonly string[]): Promise<Running> {
  const where = ['--workspace', host.workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'];
  const what = ['--policy-endpoint', host.policyEndpoint, '--purpose', purpose, ...more];
  const { verb, log } = await called(['run', ...where, ...what]);
  const stop = new AbortController();
  const done = runBenchmark({
    verb: { ...verb, signal: stop.signal },
    run: runContext({}, {}),
    template: null,
    heldOut: null,
    foresee: null,
    onRun: () => undefined,
  });
  done.catch(() => undefined);
  const says = async (text: string): Promise<void> => {
    while (!log.lines.some((line) => line.includes(text))) {
      const over = await Promise.race([done.then(() => true), delay(10).then(() => false)]);
      if (over && !log.lines.some((line) => line.includes(text)))
        throw new Error(`it ended and never said ${text}: ${log.lines.join('\n')}`);
    }
  };
  return { done, stop, says };
}

const CELLS = ['--tasks', '0,1', '--init-states', '0-2'];
const nightly = (...more: string[]) => start('schedule', ...CELLS, ...more);
const pull = (state: number) => start('pr', '--tasks', '3', '--init-states', String(state));

async function untilRunning(): Promise<void> {
  while (!(await sessionsIn(host.workspace)).some(({ status }) => status === 'running')) await delay(10);
}

function suiteOf({ suites }: Benchmark) {
  const [suite] = suites;
  if (suite === undefined) throw new Error('no suite was measured');
  return suite;
}

async function timesOf(benchmark: Benchmark): Promise<(type: string) => number[]> {
  const { records } = await readJournal(suiteOf(benchmark).bundleDir);
  return (type) => records.filter(({ event }) => event.type === type).map(({ at }) => Date.parse(at));
}

describe('a nightly run that lends the host', () => {
  it('lets every pull request pass that waits, goes on afterwards, and has all its evidence in order', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 2 });
    const night = await nightly();
    await untilRunning();
    const pulls = [await pull(4), await pull(5)];
    const passed = await Promise.all(pulls.map(({ done }) => done));
    const last = await night.done;
    for (const each of [...passed, last]) {
      const { end, bundleDir, sealed } = suiteOf(each);
      expect(end.end).toBe('complete');
      expect(await verifyBundle(bundleDir)).toEqual([]);
      expect(sealed.decision.verdict).not.toBe('INVALID');
    }
    const own = await timesOf(last);
    const [lentAt = 0] = own('yielded');
    const backAt = own('regained').at(-1) ?? 0;
    for (const each of passed) {
      const times = await timesOf(each);
      expect(times('started')[0]).toBeGreaterThanOrEqual(lentAt);
      expect(times('ended')[0]).toBeLessThanOrEqual(backAt);
    }
    // Nothing of the nightly run happened while the host was not its own.
    for (const type of ['intent', 'queued', 'running', 'collected', 'removed'])
      for (const at of own(type)) expect(at <= lentAt || at >= (own('regained')[0] ?? 0)).toBe(true);
    const { time } = suiteOf(last).sealed.results;
    expect(time.yields).toBe(own('yielded').length);
    expect(time.yieldedMs).toBeGreaterThan(0);
    expect(time.wallMs ?? 0).toBeLessThan((own('ended')[0] ?? 0) - (own('started')[0] ?? 0));
    expect(await leftOversIn(host.workspace)).toEqual([]);
  }, 300_000);

  it('goes on no more when what it measures became another one meanwhile', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 2 });
    const night = await nightly();
    await untilRunning();
    const other = await pull(4);
    await night.says('The host goes to');
    const file = path.join(host.workspace, CONTRACT);
    await fs.appendFile(file, '\nnotes_of_somebody: changed\n');
    await other.done.catch(() => undefined);
    const { end } = suiteOf(await night.done);
    expect(end).toMatchObject({ end: 'incomplete' });
    expect(end.reason).toContain('RB968');
    expect(end.reason).toContain('contract');
  }, 300_000);

  it('that is ended meanwhile is resumed as any other', async () => {
    host = await startHost({ rule: { kind: 'stub' }, stepMs: 2 });
    const night = await nightly();
    await untilRunning();
    const other = await pull(4);
    await night.says('The host goes to');
    night.stop.abort(new Error('interrupted'));
    const { end, runId } = suiteOf(await night.done);
    expect(end.end).toBe('interrupted');
    await other.done;
    const again = await nightly('--resume', runId);
    const { end: second, bundleDir } = suiteOf(await again.done);
    expect(second.end).toBe('complete');
    expect(second.sessions.filter(({ judgement }) => judgement !== null)).toHaveLength(6);
    expect(await verifyBundle(bundleDir)).toEqual([]);
  }, 300_000);
});
