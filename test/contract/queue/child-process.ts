import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { readJournal } from '../../../src/journal/journal.ts';
import type { JournalEvent } from '../../../src/model/journal-events.ts';

const ENTRY = fileURLToPath(new URL('run-child.ts', import.meta.url));
/** Some dependencies are CommonJS and call `require`. */
const BANNER = "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);";

/** Bundles a child (the benchmark, when no other is named) once; `remove` deletes it. */
export async function buildChild(
  entry = ENTRY,
): Promise<{ readonly file: string; readonly remove: () => Promise<void> }> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-child-'));
  const file = path.join(folder, 'child.mjs');
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: BANNER },
    logLevel: 'error',
  });
  return { file, remove: () => fs.rm(folder, { recursive: true, force: true }) };
}

/** Waits until the journal of a child's attempt says it, or the child is not there any more to write it. */
export async function untilJournal(
  bundleDir: string,
  { process: child }: RunningChild,
  says: (events: readonly JournalEvent[]) => boolean,
): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const reading = await readJournal(bundleDir).catch(() => null);
    if (reading !== null && says(reading.records.map(({ event }) => event))) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface RunningChild {
  readonly process: ChildProcess;
  /** Standard output after the process has ended; null when it was killed. */
  readonly ended: Promise<string | null>;
}

export function startChild(file: string, wishes: object): RunningChild {
  const child = spawn(process.execPath, [file, JSON.stringify(wishes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString('utf8');
  });
  const ended = new Promise<string | null>((resolve) => {
    child.on('close', (code) => resolve(code === 0 ? output : null));
  });
  return { process: child, ended };
}
