import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../src/platform/clock.ts';
import { PolicyProcess, type PolicySpec } from '../../../src/policy-process/policy-process.ts';
import { redactor, secretsOf } from '../../../src/screen/secrets.ts';
import { KeptLog } from '../github/loopback/client-for.ts';
import { buildChild } from '../queue/child-process.ts';
import type { ChildWishes } from './policy-child.ts';

/** The policy server of these tests as one file, and how a command starts it. */
export async function buildPolicy(): Promise<{
  /** In the command line of each that runs. */
  readonly file: string;
  command(wishes?: ChildWishes, flags?: string): string;
  remove(): Promise<void>;
}> {
  const { file, remove } = await buildChild(fileURLToPath(new URL('policy-child.ts', import.meta.url)));
  return {
    file,
    command: (wishes = {}, flags = '') =>
      `${process.execPath} ${flags} ${file} '${JSON.stringify(wishes).replaceAll("'", "'\\''")}'`,
    remove,
  };
}

/** Processes that have this text in their command line or environment: what a command left, however it is called. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await fs.readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const parts = await Promise.all(
      ['cmdline', 'environ'].map((part) => fs.readFile(`/proc/${name}/${part}`, 'utf8').catch(() => '')),
    );
    if (parts.some((part) => part.includes(text))) found.push(Number(name));
  }
  return found;
}

export interface Trial {
  readonly folder: string;
  readonly log: KeptLog;
  readonly records: string;
  readonly logFile: string;
  /** In the environment of everything that is started, so that it is found again. */
  readonly sign: string;
  make(spec: Partial<PolicySpec> & Pick<PolicySpec, 'command' | 'port'>): PolicyProcess;
}

/** A place for policies of one test. `env` is that of the program, secrets too. */
export async function trial(env: Readonly<Record<string, string>> = {}): Promise<Trial> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'rb-policy-'));
  const sign = `sign-${path.basename(folder)}`;
  const log = new KeptLog();
  const records = path.join(folder, 'records');
  const logFile = path.join(folder, 'run', 'policy-candidate.log');
  const own = { PATH: process.env['PATH'] ?? '', HOME: os.homedir(), SIGN: sign, ...env };
  const mask = redactor(secretsOf(own));
  const tools = { env: own, clock: systemClock, log, mask, records, logFile };
  const defaults = { arm: 'candidate', directory: folder, stopCommand: null, runId: 'run' } as const;
  return {
    ...{ folder, log, records, logFile, sign },
    make: (spec) => new PolicyProcess({ ...defaults, names: ['SIGN'], waitMs: 30_000, ...spec }, tools),
  };
}
