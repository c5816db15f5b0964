import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Clock } from '../platform/ports.ts';

const BASH = '/bin/bash';
const SH = '/bin/sh';

interface ShellLine {
  readonly command: string;
  /** Absolute. */
  readonly directory: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (chunk: Buffer) => void;
}

/** Starts a shell line in a process group of its own, with nothing of ours but a pipe for its output. */
export function startShellLine({ command, directory, env, onOutput }: ShellLine): ChildProcess {
  const child = spawn(existsSync(BASH) ? BASH : SH, ['-c', command], {
    cwd: directory,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onOutput);
  return child;
}

/** How a process ended, in words: `exit code 3`, `SIGKILL`. */
export function endText(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL') return 'it was ended by SIGKILL, as the kernel does when memory runs out';
  return signal === null ? `it ended with exit code ${code ?? 'unknown'}` : `it was ended by ${signal}`;
}

/** Its last output comes after its end; what it left behind may keep the pipe open for ever. */
const DRAIN_MS = 300;

/** Waits for what an ended process still had to say. */
export async function lastOutput(child: ChildProcess, clock: Clock): Promise<void> {
  const enough = new AbortController();
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await Promise.race([closed, clock.sleep(DRAIN_MS, enough.signal)]);
  enough.abort();
}
