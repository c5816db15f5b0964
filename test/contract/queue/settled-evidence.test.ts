import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Host, startHost } from '../../../src/host/host.ts';
import type { Clock } from '../../../src/platform/ports.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import type { ExecutionInput, Progress } from '../../../src/queue/execution.ts';
import { readSettled } from '../../../src/queue/settled-evidence.ts';
import { runInput, smallPlan } from './bench-run.ts';

let host: Host | null = null;
let writer: ChildProcess | null = null;
afterEach(async () => {
  await endWriter();
  await host?.stop();
  host = null;
});

/** Waits for its end: it would make its file again while the folder is removed. */
async function endWriter(): Promise<void> {
  if (writer !== null && writer.exitCode === null && writer.signalCode === null) {
    const ended = once(writer, 'exit');
    writer.kill('SIGKILL');
    await ended;
  }
  writer = null;
}

/** Appends blanks as fast as it can: the file stays JSON, but is never done. */
async function appendFor(file: string): Promise<ChildProcess> {
  const code = `const fs = require('node:fs'); const file = process.argv[1];
    fs.appendFileSync(file, ' '); process.stdout.write('x'); for (;;) fs.appendFileSync(file, ' ');`;
  const child = spawn(process.execPath, ['-e', code, file], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

describe('evidence that somebody is writing', () => {
  const SESSION = 'rb-s';
  let workspace: string;
  let episode: string;
  let said: string[];
  beforeEach(async () => {
    workspace = await fs.mkdtemp(path.join(tmpdir(), 'rb-settled-'));
    episode = path.join(workspace, 'artifacts/runtime', SESSION, 'episode.json');
    await fs.mkdir(path.dirname(episode), { recursive: true });
    said = [];
  });
  afterEach(async () => {
    await endWriter();
    await fs.rm(workspace, { recursive: true, force: true });
  });

  /** Sleeping takes no time, and `during` happens meanwhile. */
  function clockWith(during: (slept: number) => void): Clock & { slept: number } {
    const began = Date.now();
    const clock = {
      slept: 0,
      now: () => began + clock.slept,
      async sleep(ms: number) {
        clock.slept += ms;
        during(clock.slept);
      },
    };
    return clock;
  }
  const read = (clock: Clock) =>
    readSettled(
      {
        workspace,
        clock,
        signal: new AbortController().signal,
        onWriting: (message) => void said.push(message),
      },
      SESSION,
      { status: 'succeeded' },
    );

  /** Writes the file at a time of the test's own clock. */
  function writeAt(nowMs: number, text: string): void {
    writeFileSync(episode, text);
    utimesSync(episode, nowMs / 1000, nowMs / 1000);
  }

  it('is not waited for when nothing moves', async () => {
    const clock = clockWith(() => undefined);
    writeAt(clock.now() - 50, '{"success": true}');
    expect((await read(clock)).episode).toEqual({ state: 'present', value: { success: true } });
    expect(clock.slept).toBe(0);
  });

  it('is read when its writer is done with it', async () => {
    const clock = clockWith((slept) => {
      if (slept === 310) writeAt(clock.now() - 50, '{"success": true}');
    });
    writeAt(clock.now(), '{"success": tr');
    expect((await read(clock)).episode).toEqual({ state: 'present', value: { success: true } });
    expect(clock.slept).toBe(310);
    expect(said).toEqual([]);
  });

  it('is unreadable when it never becomes JSON, and an old one is not waited for', async () => {
    const clock = clockWith(() => undefined);
    writeAt(clock.now(), '{"success": tr');
    expect((await read(clock)).episode.state).toBe('unreadable');
    expect(clock.slept).toBeGreaterThan(1_900);
    const later = clockWith(() => undefined);
    writeAt(later.now() - 60_000, '{"success": tr');
    expect((await read(later)).episode).toEqual({ state: 'unreadable', reason: 'it is not JSON' });
    expect(later.slept).toBe(0);
  });

  it('is unreadable, and its file named, when its writer never ends', async () => {
    let text = '{"success": true}';
    const clock = clockWith(() => {
      text += ' ';
      writeAt(clock.now(), text);
    });
    writeAt(clock.now(), text);
    const evidence = await read(clock);
    expect(evidence.episodeFile).toEqual({
      state: 'unreadable',
      reason: expect.stringContaining('still being written'),
    });
    expect(evidence.episode.state).toBe('unreadable');
    expect(clock.slept).toBeLessThan(3_000);
    expect(said.join()).toContain(`artifacts/runtime/${SESSION}: episode.json`);
  });

  it('is read all the same when only another file is still written', async () => {
    const video = path.join(path.dirname(episode), 'video.mp4');
    writeAt(Date.now() - 60_000, '{"success": true}');
    writer = await appendFor(video);
    const evidence = await read(clockWith(() => undefined));
    expect(evidence.episode).toEqual({ state: 'present', value: { success: true } });
  });
});

describe('evidence that was collected', () => {
  async function runAnd(after: (file: string) => void) {
    host = await startHost({ rule: { kind: 'stub' } });
    const { workspace } = host;
    let done = false;
    const onProgress = ({ last }: Progress): void => {
      if (last === null || done) return;
      done = true;
      after(path.join(workspace, 'artifacts/runtime', last.sessionId, 'episode.json'));
    };
    const input: ExecutionInput = await runInput({
      ...host,
      plan: smallPlan({ tasks: [0], initStates: [0, 1, 2] }),
      onProgress,
    });
    const end = await executePlan(input);
    expect(done).toBe(true);
    return { end, outcomes: end.sessions.map(({ judgement }) => judgement?.outcome) };
  }

  it('is a conflict when it was written to afterwards', async () => {
    const { end, outcomes } = await runAnd((file) => writeFileSync(file, `${readFileSync(file, 'utf8')} `));
    expect(end.end).toBe('complete');
    expect(outcomes[0]).toBe('conflict');
    expect(outcomes.slice(1)).not.toContain('conflict');
    expect(end.warnings.join()).toMatch(/written to after it had been collected/);
  });

  it('is a conflict when it says something else in as many bytes', async () => {
    const { outcomes } = await runAnd((file) => {
      const text = readFileSync(file, 'utf8');
      expect(text).toContain('"num_steps": ');
      writeFileSync(file, text.replace(/"num_steps": \d/, '"num_steps": 9'));
      utimesSync(file, new Date(), new Date(Date.now() + 1000));
    });
    expect(outcomes[0]).toBe('conflict');
  });

  it('is none when it was only touched or removed', async () => {
    const { outcomes } = await runAnd((file) => utimesSync(file, new Date(), new Date(Date.now() + 1000)));
    expect(outcomes).not.toContain('conflict');
    await host?.stop();
    const removed = await runAnd((file) => writeFileSync(`${file}.more`, 'a file of somebody else'));
    expect(removed.outcomes).not.toContain('conflict');
  });
});
