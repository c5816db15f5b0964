import { describe, expect, it } from 'vitest';
import { EXIT, type ExitCode, type Problem, RbError } from '../../../src/errors/rb-error.ts';
import { GitHubFailure } from '../../../src/github/failure.ts';
import { guarded } from '../../../src/job/guard.ts';
import type { Log } from '../../../src/platform/ports.ts';

function recorder() {
  const lines: string[] = [];
  const to = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log: Log = {
    info: to('info'),
    warning: to('warning'),
    error: to('error'),
    group: to('group'),
    endGroup: () => undefined,
    progress: to('progress'),
  };
  return { lines, log };
}

const problem: Problem = {
  code: 'RB100',
  where: 'input tasks',
  message: 'is not a range',
  value: '9-0',
  fix: 'write 0-9.',
  severity: 'fatal',
};

async function run(work: () => Promise<ExitCode>, interrupted: ExitCode | null = null) {
  const { lines, log } = recorder();
  const exitCode = await guarded({ log, interrupted: () => interrupted }, work);
  return { lines, exitCode };
}

describe('guard around a use case', () => {
  it('passes the exit code on', async () => {
    expect(await run(async () => EXIT.noVerdict)).toEqual({ lines: [], exitCode: 4 });
  });

  it('lists all problems, each by its weight, and takes the error’s exit code', async () => {
    const warning: Problem = { ...problem, where: 'input shard', severity: 'warning' };
    const { lines, exitCode } = await run(() => Promise.reject(new RbError(EXIT.usage, [problem, warning])));
    expect(exitCode).toBe(2);
    expect(lines).toEqual([
      'error RB100 input tasks: is not a range (got 9-0) Fix: write 0-9.',
      'warning RB100 input shard: is not a range (got 9-0) Fix: write 0-9.',
    ]);
  });

  it('names the permission that GitHub asks for, which is no bug', async () => {
    const failure = new GitHubFailure({
      kind: 'permission',
      status: 403,
      purpose: { what: 'read the artifacts of the run', permissions: ['actions: read'] },
      reason: 'Resource not accessible by integration',
    });
    const { lines, exitCode } = await run(() => Promise.reject(failure));
    expect(exitCode).toBe(4);
    expect(lines).toEqual([expect.stringMatching(/^error RB802 GitHub: .*actions: read/s)]);
  });

  it('prints the stack and the causes of a bug, with an exit code that no verdict has', async () => {
    const bug = new TypeError('x is undefined', { cause: new RangeError('deep') });
    const { lines, exitCode } = await run(() => Promise.reject(bug));
    expect(exitCode).toBe(70);
    expect(lines[0]).toMatch(
      /bug in rollout-bench.*TypeError: x is undefined\n +at .*Caused by: RangeError: deep/s,
    );
  });

  it('gives a full disk or a refused permission as a problem of the host, not as a bug', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    const { lines, exitCode } = await run(() => Promise.reject(full));
    expect(exitCode).toBe(3);
    expect(lines).toEqual([
      expect.stringMatching(
        /^error RB219 the host: write failed: the disk is full.*Free some room, start the watchdog again.*`rollout-bench status`/s,
      ),
    ]);
    const gone = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'open', path: '/x' });
    expect((await run(() => Promise.reject(gone))).exitCode).toBe(70);
  });

  it('gives the signal’s code whatever the interrupted work said', async () => {
    expect((await run(async () => EXIT.ok, EXIT.sigint)).exitCode).toBe(130);
    const thrown = await run(() => Promise.reject(new Error('socket closed')), EXIT.sigterm);
    expect(thrown).toEqual({ lines: ['warning Stopped by a signal: socket closed'], exitCode: 143 });
  });
});
