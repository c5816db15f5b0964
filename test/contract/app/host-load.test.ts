import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { redactBundle } from '../../../src/bundle/redact-bundle.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { evenly, underLoadWatch } from '../../../src/job/measure/watch-load.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { gpuFacts } from '../../../src/platform/host-facts.ts';
import { hostLoadSchema } from '../../../src/results/host-load.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
let scratch: string | null = null;
const before = process.env['PATH'];
afterEach(async () => {
  await host?.stop();
  host = null;
  process.env['PATH'] = before;
  if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  scratch = null;
});

function scratchFolder(): string {
  scratch ??= mkdtempSync(path.join(tmpdir(), 'rb-host-load-'));
  return scratch;
}

/** A driver's tool of this test's own, found before any other. */
function toolThat(script: string): void {
  const folder = scratchFolder();
  writeFileSync(path.join(folder, 'nvidia-smi'), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(folder, 'nvidia-smi'), 0o755);
  process.env['PATH'] = `${folder}:${before ?? ''}`;
}

const gpu = (...processes: readonly string[]) => ({ name: 'A', driver: '1', memoryFreeMib: 1, processes });

describe('the load of the host', () => {
  it('is in the bundle, in its redacted copy and in the report of a run', async () => {
    const on = await startHost({ policies: [{ mode: { kind: 'good' } }], watchdog: { pollMs: 10 } });
    host = on;
    const call = await called([
      ...['run', '--workspace', on.workspace, '--suite', 'libero_spatial', '--tasks', '0', '--json'],
      ...['--init-states', '0-1', '--policy-endpoint', on.policyEndpoint],
    ]);
    expect(await run(call.verb)).toBe(0);
    const { 'bundle-path': bundle = '', 'run-id': id = '' } = JSON.parse(call.printed());
    const facts = JSON.parse(await readFile(path.join(bundle, 'run.json'), 'utf8'));
    const load = hostLoadSchema.parse(facts.host.load);
    expect(load.looks).toBeGreaterThanOrEqual(2);
    expect(load.samples).toHaveLength(load.looks);
    // The first look is before the first look into the queue.
    expect(load.samples[0]?.othersSessions).toBeNull();
    expect(load.samples.at(-1)?.othersSessions).toBe(0);
    const page = await readFile(path.join(bundle, `BENCHMARK_REPORT_libero_spatial_${id}.md`), 'utf8');
    expect(page).toContain('Host while measuring');
    expect(await verifyBundle(bundle)).toEqual([]);
    const outDir = path.join(scratchFolder(), 'redacted');
    await redactBundle({ sealedDir: bundle, outDir, template: null, secrets: [], hidden: [] });
    const redacted = JSON.parse(await readFile(path.join(outDir, 'run.json'), 'utf8'));
    expect(redacted.host.load).toEqual(facts.host.load);
    expect(await verifyBundle(outDir)).toEqual([]);
  });

  it('is looked at beside the work, which never waits for it', async () => {
    const readings = [1, 13, 13, 0.5].map((load1, at) => ({
      load1,
      ticks: { all: 1000 * (at + 1), stolen: 100 * at },
    }));
    const taken: number[] = [];
    let answer = (): void => undefined;
    const hanging = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { result, load } = await underLoadWatch(
      {
        clock: systemClock,
        gpus: [gpu('python', 'python')],
        everyMs: 1,
        read: () => {
          taken.push(taken.length);
          return readings[Math.min(taken.length, readings.length) - 1] ?? { load1: null, ticks: null };
        },
        // The tool hangs while the work is done, and answers when it is over.
        askGpus: async () => {
          await hanging;
          return [gpu('python'), gpu('python', 'python', 'other')];
        },
      },
      async (watch) => {
        watch.othersAre(3);
        while (taken.length < 30) await systemClock.sleep(1);
        answer();
        return 'done';
      },
    );
    expect(result).toBe('done');
    expect(load.looks).toBe(taken.length);
    expect(load).toMatchObject({ load1: { max: 13 }, gpuProcesses: 3, othersSessions: 3 });
    expect(load.stealPercent?.max).toBe(10);
    expect(load.samples[0]).toMatchObject({ load1: 1, stealPercent: null, gpuProcesses: 2 });
    expect(load.samples.at(-1)).toMatchObject({ gpuProcesses: 3 });
  });

  it('is no reason to go on when the work fails', async () => {
    let looks = 0;
    const read = () => {
      looks += 1;
      return { load1: null, ticks: null };
    };
    const failing = underLoadWatch({ clock: systemClock, gpus: null, everyMs: 1, read }, () =>
      Promise.reject(new Error('work')),
    );
    await expect(failing).rejects.toThrow('work');
    const until = looks;
    await systemClock.sleep(20);
    expect(looks).toBe(until);
  });

  it('is written down with its first and last look, however long the run was', () => {
    const all = Array.from({ length: 1441 }, (_, at) => at);
    const kept = evenly(all, 60);
    expect(kept).toHaveLength(60);
    expect([kept[0], kept.at(-1)]).toEqual([0, 1440]);
    expect(new Set(kept).size).toBe(60);
    expect(evenly([1, 2], 60)).toEqual([1, 2]);
  });
});

describe("the driver's tool", () => {
  it('is asked for the processes of each GPU', async () => {
    toolThat(
      'case "$1" in *compute*) echo "U1, /opt/sim/python"; echo "U1, ./train";; *) echo "U1, RTX, 570, 12";; esac',
    );
    expect(await gpuFacts()).toEqual([
      { name: 'RTX', driver: '570', memoryFreeMib: 12, processes: ['python', 'train'] },
    ]);
  });

  it.each([
    ['does not end, and takes no signal', "trap '' TERM; while :; do sleep 0.1; done"],
    ['fails', 'exit 9'],
    ['writes without end', 'yes'],
  ])('tells nothing where it %s', async (_how, script) => {
    toolThat(script);
    expect(await gpuFacts(300)).toBeNull();
  });
});
