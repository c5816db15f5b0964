import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a program ended, and what it took. */
export interface Measured {
  readonly exitCode: number | null;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly output: string;
  /** From the signal to the end; null when none was sent. */
  readonly secondsToEnd: number | null;
}

const HOOK = `
const fs = require('node:fs');
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  // Not maxRSS, which a program takes over from the process that starts it: this one, that has just made the bundle.
  const [, peak] = /VmHWM:\\s+(\\d+) kB/.exec(fs.readFileSync('/proc/self/status', 'utf8'));
  const used = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: Number(peak) / 1024 };
  fs.writeFileSync(process.env.USED_FILE, JSON.stringify(used));
});
`;

/** Longest time for one program; the work is over in seconds. */
const LIMIT_MS = 240_000;

/** Runs `verify` of the built program; with `stopAfterMs` it gets a SIGTERM then. */
export async function measuredVerify(
  cli: string,
  bundle: string,
  { scratch, stopAfterMs }: { readonly scratch: string; readonly stopAfterMs: number | null },
): Promise<Measured> {
  const hook = join(scratch, 'hook.cjs');
  const used = join(scratch, 'used.json');
  writeFileSync(hook, HOOK);
  rmSync(used, { force: true });
  const env = { PATH: process.env['PATH'] ?? '', HOME: scratch, RUNNER_TEMP: scratch, USED_FILE: used };
  const child = spawn(process.execPath, ['--require', hook, cli, 'verify', bundle], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString('utf8')}`.slice(0, 4000);
    });
  let stoppedAt: number | null = null;
  const stop = setTimeout(() => {
    stoppedAt = performance.now();
    child.kill('SIGTERM');
  }, stopAfterMs ?? LIMIT_MS);
  const kill = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS + 10_000);
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(stop);
  clearTimeout(kill);
  const secondsToEnd = stoppedAt === null ? null : (performance.now() - stoppedAt) / 1000;
  const taken = usedIn(used);
  return { exitCode, ...taken, output, secondsToEnd };
}

/** A program that was killed left nothing. */
function usedIn(file: string): Pick<Measured, 'cpuSeconds' | 'peakMb'> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { cpuSeconds: Number.POSITIVE_INFINITY, peakMb: Number.POSITIVE_INFINITY };
  }
}
