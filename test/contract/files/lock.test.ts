import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { acquireLock, type LockHelper } from '../../../src/files/lock.ts';

const hasPython = spawnSync('python3', ['-c', 'import fcntl']).status === 0;
const helpers: LockHelper[] = (['flock', 'perl'] as const).filter(
  (name) => spawnSync(name, ['--version']).error === undefined,
);

let folder: string;
let file: string;
let peers: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rb-lock-'));
  file = join(folder, 'SESSIONS.md.lock');
  peers = [];
});

afterEach(() => {
  for (const peer of peers) peer.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A Python process that holds the lock until its input ends; resolves once it has it. */
async function pythonHolds(): Promise<{ release(): void }> {
  const script = `
import fcntl, sys
handle = open(sys.argv[1], "a+")
fcntl.flock(handle.fileno(), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
`;
  const peer = spawn('python3', ['-c', script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  peers.push(peer);
  await new Promise((resolve) => peer.stdout.once('data', resolve));
  return { release: () => peer.stdin.end() };
}

function pythonSaysBusy(): boolean {
  const script = `
import fcntl, sys
handle = open(sys.argv[1], "a+")
try:
    fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("free")
except BlockingIOError:
    print("busy")
`;
  return spawnSync('python3', ['-c', script, file], { encoding: 'utf8' }).stdout.trim() === 'busy';
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof RbError ? (error.problems[0]?.code ?? '') : String(error);
}

describe.skipIf(!hasPython).each(helpers)('the lock taken with %s, against a Python peer', (helper) => {
  const options = { helpers: [helper] };

  it('keeps the peer out until it is released', async () => {
    const lock = await acquireLock(file, options);
    expect(pythonSaysBusy()).toBe(true);
    lock.release();
    lock.release();
    expect(pythonSaysBusy()).toBe(false);
    expect(statSync(file).size).toBe(0);
  });

  it('waits for the peer', async () => {
    const peer = await pythonHolds();
    const waiting = acquireLock(file, options);
    const first = await Promise.race([waiting.then(() => 'lock'), sleep(200, 'still waiting')]);
    expect(first).toBe('still waiting');
    peer.release();
    const lock = await waiting;
    expect(pythonSaysBusy()).toBe(true);
    lock.release();
  });

  it('gives up when the time is over, at once for 0', async () => {
    await pythonHolds();
    expect(await codeOf(acquireLock(file, { ...options, timeoutMs: 0 }))).toBe('RB218');
    expect(await codeOf(acquireLock(file, { ...options, timeoutMs: 150 }))).toBe('RB218');
  });

  it('stops waiting on a signal and leaves nothing behind', async () => {
    const peer = await pythonHolds();
    const stop = new AbortController();
    const waiting = acquireLock(file, { ...options, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('cancelled')), 50);
    await expect(waiting).rejects.toThrow('cancelled');
    peer.release();
    const lock = await acquireLock(file, { ...options, timeoutMs: 5000 });
    lock.release();
  });

  it('is not kept by a child process that lives on', async () => {
    const lock = await acquireLock(file, options);
    peers.push(spawn('sleep', ['30']));
    lock.release();
    expect(pythonSaysBusy()).toBe(false);
  });

  it('is exclusive between holders in one process', async () => {
    const first = await acquireLock(file, options);
    expect(await codeOf(acquireLock(file, { ...options, timeoutMs: 0 }))).toBe('RB218');
    first.release();
  });
});

describe('the lock', () => {
  it('serialises read-modify-write of many holders', async () => {
    const counter = join(folder, 'counter');
    writeFileSync(counter, '0');
    const add = async (): Promise<void> => {
      const lock = await acquireLock(file);
      const value = Number(readFileSync(counter, 'utf8'));
      await sleep(1);
      writeFileSync(counter, String(value + 1));
      lock.release();
    };
    await Promise.all(Array.from({ length: 20 }, add));
    expect(readFileSync(counter, 'utf8')).toBe('20');
  });

  it('is taken again when its file was replaced while waiting', async () => {
    const first = await acquireLock(file);
    const waiting = acquireLock(file, { timeoutMs: 10_000 });
    await sleep(100);
    rmSync(file);
    first.release();
    const lock = await waiting;
    expect(await codeOf(acquireLock(file, { timeoutMs: 0 }))).toBe('RB218');
    lock.release();
  });

  it('refuses a link, a missing folder and missing programs', async () => {
    symlinkSync(join(folder, 'elsewhere'), file);
    expect(await codeOf(acquireLock(file))).toBe('RB213');
    expect(await codeOf(acquireLock(join(folder, 'no', 'lock')))).toBe('RB219');
    expect(await codeOf(acquireLock(join(folder, 'other.lock'), { helpers: [] }))).toBe('RB217');
  });
});
