import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import * as path from 'node:path';

/** A runner program of this machine. */
export interface RunnerFacts {
  /** `2.336.0`; null when its files do not say. */
  readonly version: string | null;
  /** Milliseconds since 1970; when this version was built, as its files say. */
  readonly builtMs: number;
}

/** The runner's long-lived process, and the one that executes a job. */
const PROGRAMS: ReadonlySet<string> = new Set(['Runner.Listener', 'Runner.Worker']);
const MANIFEST = 'Runner.Listener.deps.json';
/** The real one has some ten kilobytes. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

/**
 * The GitHub Actions runners at work on this machine, the oldest version first; empty when none can be seen, as on
 * systems without /proc. Never fails. Archives of the runner keep the time of the build, so the age of its files is
 * that of its version.
 */
export async function runnersHere(): Promise<readonly RunnerFacts[]> {
  const found = new Map<string, RunnerFacts>();
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const name = /^Name:\t(.*)$/m.exec(await textOf(`/proc/${pid}/status`))?.[1] ?? '';
    const program = PROGRAMS.has(name) ? await programOf(pid) : null;
    const facts = program === null ? null : await factsIn(path.dirname(program));
    if (program !== null && facts !== null) found.set(path.dirname(program), facts);
  }
  return [...found.values()].toSorted((left, right) => left.builtMs - right.builtMs);
}

/** The link is readable only for the same user; the command line for everybody. */
async function programOf(pid: string): Promise<string | null> {
  const link = await readlink(`/proc/${pid}/exe`).catch(() => null);
  if (link !== null) return link.replace(/ \(deleted\)$/, '');
  const first = (await textOf(`/proc/${pid}/cmdline`)).split('\0')[0] ?? '';
  return path.isAbsolute(first) ? first : null;
}

async function factsIn(folder: string): Promise<RunnerFacts | null> {
  const file = path.join(folder, MANIFEST);
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile() || found.size > MAX_MANIFEST_BYTES) return null;
  const version = /"Runner\.Listener\/(\d+\.\d+\.\d+)"/.exec(await textOf(file))?.[1] ?? null;
  return { version, builtMs: found.mtimeMs };
}

function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
