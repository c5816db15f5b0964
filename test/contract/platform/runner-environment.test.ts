import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runnerAllowsForks } from '../../../src/job/prepare/refuse-forks.ts';

const folder = mkdtempSync(join(tmpdir(), 'runner-'));
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.stdin?.end();
    if (child.exitCode === null) await once(child, 'exit');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process named like the runner's worker that lives until its stdin ends; the shell inside is its child. */
async function worker(env: Record<string, string>, inner: Record<string, string> = {}): Promise<number> {
  const program = join(folder, 'Runner.Worker');
  copyFileSync('/bin/bash', program);
  const assignments = Object.entries(inner).map(([name, value]) => `${name}=${value}`);
  const script = `env ${assignments.join(' ')} /bin/sh -c 'echo $$; read line'; exit`;
  const child = spawn(program, ['--norc', '-c', script], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve) =>
    child.stdout?.once('data', (data: Buffer) => resolve(Number(data.toString()))),
  );
}

describe.runIf(process.platform === 'linux')('runnerAllowsForks', () => {
  it('finds the switch in the environment of the worker above us', async () => {
    expect(runnerAllowsForks(await worker({ ROLLOUT_BENCH_ALLOW_FORKS: 'true' }))).toBe(true);
  });

  it('does not believe a variable that was set below the worker', async () => {
    expect(runnerAllowsForks(await worker({}, { ROLLOUT_BENCH_ALLOW_FORKS: 'true' }))).toBe(false);
  });

  it('is false where there is no worker, and for a process that is gone', () => {
    expect(runnerAllowsForks()).toBe(false);
    expect(runnerAllowsForks(2 ** 22 + 1)).toBe(false);
  });
});
