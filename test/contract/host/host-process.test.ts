import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  DUMMY_SKILL_ID,
  DUMMY_TARGET_ID,
  LIBERO_SKILL_ID,
  LIBERO_TARGET_ID,
} from '../../../src/host/host.ts';
import { writeRuntimeYaml } from '../../../src/host/yaml-writer.ts';
import { renderDocument } from '../../../src/workspace/fenced-block.ts';

const SOURCE = fileURLToPath(new URL('../../../src/host/host-process.ts', import.meta.url));
const eventSchema = z.looseObject({ event: z.string() });
type Event = z.output<typeof eventSchema>;

let program = '';
let folder = '';
let workspace = '';
const running: HostProcess[] = [];

/** A host in a process of its own. */
class HostProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly events: Event[] = [];

  constructor(...args: string[]) {
    const main = `import(${JSON.stringify(program)}).then(async (m) => process.exit(await m.runHostProcess(process.argv.slice(1))))`;
    this.child = spawn(process.execPath, ['-e', main, '--', ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface({ input: this.child.stdout }).on('line', (line) =>
      this.events.push(eventSchema.parse(JSON.parse(line))),
    );
    running.push(this);
  }

  async until(isIt: (event: Event) => boolean): Promise<Event> {
    for (let wait = 0; wait < 3000; wait += 1) {
      const found = this.events.find(isIt);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`the event did not come; these did: ${JSON.stringify(this.events)}`);
  }

  status(id: string, status: string): Promise<Event> {
    return this.until((event) => event['sessionId'] === id && event['status'] === status);
  }
}

/** The statuses of all entries, in the order of the file. */
function statuses(): (string | undefined)[] {
  const text = readFileSync(join(workspace, 'SESSIONS.md'), 'utf8');
  return [...text.matchAll(/^ {2}status: (\w+)$/gm)].map((match) => match[1]);
}

const entry = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  session_id: id,
  target_ref: DUMMY_TARGET_ID,
  skillruntime_ref: DUMMY_SKILL_ID,
  task_description: 'do it',
  routing: { policy_endpoint: 'dummy://local' },
  ...more,
});

function queue(...entries: Record<string, unknown>[]): void {
  const text = renderDocument('Runtime Sessions', writeRuntimeYaml({ sessions: entries }));
  writeFileSync(join(workspace, 'SESSIONS.md'), text);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'host-process-'));
  program = join(folder, 'host-process.mjs');
  const banner = "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);";
  await build({
    entryPoints: [SOURCE],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    banner: { js: banner },
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  workspace = mkdtempSync(join(folder, 'workspace-'));
});

afterEach(async () => {
  for (const { child } of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

describe('the host as a process', () => {
  it('says when it is ready, runs what is queued, and ends with its standard input', async () => {
    queue(entry('one'));
    const host = new HostProcess('--workspace', workspace, '--events', '--poll-ms', '5');
    const ready = await host.until((event) => event.event === 'ready');
    expect(ready).toMatchObject({ workspace, pid: host.child.pid });
    await host.status('one', 'succeeded');
    host.child.stdin.end();
    expect(await once(host.child, 'exit')).toEqual([0, null]);
  });

  it('killed while a session runs, it leaves the entry as it stands and no lock behind', async () => {
    const first = new HostProcess('--workspace', workspace, '--events', '--no-watchdog', '--step-ms', '20');
    await first.until((event) => event.event === 'ready');
    const slow = { target_ref: LIBERO_TARGET_ID, skillruntime_ref: LIBERO_SKILL_ID };
    queue(entry('one', slow), entry('two'));
    first.child.stdin.write('start\n');
    await first.status('one', 'running');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    expect(statuses()).toEqual(['running', 'pending']);
    const second = new HostProcess('--workspace', workspace, '--events');
    await second.status('two', 'succeeded');
    expect(statuses()).toEqual(['running', 'succeeded']);
  });

  it('tells what ended its watchdog', async () => {
    writeFileSync(join(workspace, 'SESSIONS.md'), 'no block');
    const host = new HostProcess('--workspace', workspace);
    const ended = await host.until((event) => event.event === 'watchdog-ended');
    expect(ended).toMatchObject({ alive: false });
    expect(ended['reason']).toContain('ValueError');
  });

  it('refuses arguments it does not know', async () => {
    const host = new HostProcess('--colour', 'red');
    expect(await once(host.child, 'exit')).toEqual([2, null]);
  });
});
