import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  DUMMY_SKILL_ID,
  DUMMY_TARGET_ID,
  type Host,
  type HostOptions,
  LIBERO_SKILL_ID,
  LIBERO_TARGET_ID,
  startHost,
} from '../../../src/host/host.ts';
import { parseSessions, type Session } from '../../../src/host/session-schema.ts';
import { outcomeOf } from '../../../src/host/simulator.ts';
import { asMap } from '../../../src/host/wire.ts';
import { writeRuntimeYaml } from '../../../src/host/yaml-writer.ts';
import { findYamlBlock, renderDocument } from '../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';

let host: Host;

afterEach(async () => {
  await host.stop();
});

async function start(options: HostOptions = {}): Promise<void> {
  host = await startHost({ watchdog: { pollMs: 5 }, ...options });
}

const file = (name: string): string => join(host.workspace, name);

/** Replaces a document as a careful writer does. */
function put(name: string, text: string): void {
  writeFileSync(file(`${name}.new`), text);
  renameSync(file(`${name}.new`), file(name));
}

function queue(...entries: Record<string, unknown>[]): void {
  put('SESSIONS.md', renderDocument('Runtime Sessions', writeRuntimeYaml({ sessions: entries })));
}

const libero = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  session_id: id,
  target_ref: `target://${LIBERO_TARGET_ID}`,
  skillruntime_ref: `skillruntime://${LIBERO_SKILL_ID}`,
  task_description: 'do it',
  routing: { policy_endpoint: host.policyEndpoint },
  ...more,
});

const dummy = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  session_id: id,
  target_ref: DUMMY_TARGET_ID,
  skillruntime_ref: DUMMY_SKILL_ID,
  task_description: 'do it',
  routing: { policy_endpoint: 'dummy://local' },
  ...more,
});

function sessions(): Session[] {
  const block = findYamlBlock(readFileSync(file('SESSIONS.md'), 'utf8'));
  if ('problem' in block) throw new Error(block.problem);
  return parseSessions(asMap(loadYaml(block.body)) ?? {}, host.dialect).sessions;
}

const statusOf = (id: string): string | undefined =>
  sessions().find((each) => each.session_id === id)?.status;

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let wait = 0; wait < 2000; wait += 1) {
    if (isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`waited too long until ${what}`);
}

const untilStatus = (id: string, status: string): Promise<void> =>
  until(() => statusOf(id) === status, `${id} is ${status}; it is ${statusOf(id)}`);

describe('a host made from nothing', () => {
  it('has the documents, runs what is queued, and leaves private files', async () => {
    await start();
    queue(dummy('one'), libero('two'));
    await until(() => ['succeeded', 'failed'].includes(statusOf('two') ?? ''), 'both ran');
    expect(statusOf('one')).toBe('succeeded');
    for (const name of ['SESSIONS.md', 'LOG.md', 'artifacts/runtime/two/episode.json']) {
      expect(statSync(file(name)).mode & 0o777, name).toBe(0o600);
    }
    expect(statSync(file('SESSIONS.md.lock')).size).toBe(0);
  });

  it('removes its own folder at the end, and keeps a given one', async () => {
    await start();
    const folder = host.workspace;
    await host.stop();
    expect(existsSync(folder)).toBe(false);
    await start();
  });

  it('gives the outcome the simulator foretells, for each policy', async () => {
    await start({ policies: [{}, { mode: { kind: 'bad', skill: 0.3 } }], rule: { kind: 'seeded', seed: 3 } });
    const second = { routing: { policy_endpoint: host.policies[1]?.endpoint } };
    queue(libero('good'), libero('bad', second));
    await until(() => ['succeeded', 'failed'].includes(statusOf('bad') ?? ''), 'both ran');
    const foretold = [0.9, 0.3].map((skill) => {
      const { success } = outcomeOf(
        { suite: 'libero_spatial', taskId: 0, initStateId: 0, skill, run: 0 },
        { kind: 'seeded', seed: 3 },
      );
      return success ? 'succeeded' : 'failed';
    });
    expect([statusOf('good'), statusOf('bad')]).toEqual(foretold);
  });

  it('a liar claims success and is not believed', async () => {
    await start({ policies: [{ mode: { kind: 'liar' } }], rule: { kind: 'seeded', seed: 2 }, maxSteps: 40 });
    const cell = { suite: 'libero_spatial', taskId: 0, initStateId: 0, skill: 0.15, run: 0 };
    expect(outcomeOf(cell, { kind: 'seeded', seed: 2 }).success).toBe(false);
    queue(libero('liar'));
    await untilStatus('liar', 'failed');
    expect(sessions()[0]?.result.error_code).toBeNull();
  });
});

describe('registries are read anew for each session', () => {
  it('a target added while the loop runs is picked up', async () => {
    await start();
    const added = readFileSync(file('TARGETS.md'), 'utf8').replaceAll('dummy_sim', 'dummy_two');
    queue(dummy('before'));
    await untilStatus('before', 'succeeded');
    const contract = readFileSync(file('configs/runtime/contracts/dummy_sim.runtime.yaml'), 'utf8');
    writeFileSync(
      file('configs/runtime/contracts/dummy_two.runtime.yaml'),
      contract.replace('dummy_sim\n', 'dummy_two\n'),
    );
    put('TARGETS.md', added.replaceAll('dummy_two_adapter', 'dummy_sim_adapter'));
    queue(dummy('after', { target_ref: 'dummy_two' }));
    await untilStatus('after', 'succeeded');
  });

  it('a half-written TARGETS.md ends the command-line watchdog', async () => {
    await start();
    put('TARGETS.md', '# Runtime Targets\n\n```yaml\nversion: runtime_target_registry_v1\n');
    await until(() => !host.watchdogAlive(), 'the watchdog ends');
    expect(host.watchdogCrash()).toMatchObject({ pythonName: 'ValueError' });
  });

  it('a missing SESSIONS.md does too', async () => {
    await start();
    rmSync(file('SESSIONS.md'));
    await until(() => !host.watchdogAlive(), 'the watchdog ends');
    expect(host.watchdogCrash()).toMatchObject({ pythonName: 'FileNotFoundError' });
  });

  it('a background watchdog stays alive, silent, and recovers when the file is mended', async () => {
    await start({ watchdog: { pollMs: 5, style: 'background' } });
    const good = readFileSync(file('TARGETS.md'), 'utf8');
    put('TARGETS.md', 'nothing');
    queue(dummy('waiting'));
    await until(() => host.watchdogCrash() !== null, 'a pass has failed');
    expect(host.watchdogAlive()).toBe(true);
    expect(statusOf('waiting')).toBe('pending');
    put('TARGETS.md', good);
    await untilStatus('waiting', 'succeeded');
  });
});

describe('faults on demand', () => {
  it('a frozen watchdog leaves everything as it stands until it goes on', async () => {
    await start({ onTransition: (_id, status) => (status === 'running' ? host.pauseWatchdog() : undefined) });
    queue(dummy('frozen'));
    await untilStatus('frozen', 'running');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(statusOf('frozen')).toBe('running');
    host.resumeWatchdog();
    await untilStatus('frozen', 'succeeded');
  });

  it('a killed watchdog leaves the entry running, and the next one runs the rest', async () => {
    await start({
      onTransition: (id, status) =>
        id === 'lost' && status === 'running' ? void host.crashWatchdog() : undefined,
    });
    queue(dummy('lost'), dummy('next'));
    await until(() => !host.watchdogAlive(), 'the watchdog is gone');
    host.startWatchdog();
    await untilStatus('next', 'succeeded');
    expect(statusOf('lost')).toBe('running');
    expect(existsSync(file('artifacts/runtime/lost'))).toBe(false);
  });

  it('a kill ends an endless episode at once', async () => {
    await start();
    put(
      'TARGETS.md',
      readFileSync(file('TARGETS.md'), 'utf8').replace(
        'success_after_steps: 5',
        'success_after_steps: 1000000000',
      ),
    );
    queue(dummy('endless', { execution: { max_steps: 1000000000 } }));
    await untilStatus('endless', 'running');
    await host.crashWatchdog();
    expect(statusOf('endless')).toBe('running');
    expect(host.watchdogAlive()).toBe(false);
  });

  it('a simulator that goes away fails the session, and comes back on the same address', async () => {
    await start();
    await host.killTarget();
    queue(libero('gone'));
    await untilStatus('gone', 'failed');
    expect(sessions()[0]?.result.error_code).toBe('TARGET_CONNECTION');
    await host.reviveTarget();
    queue(libero('back'));
    await until(() => ['succeeded', 'failed'].includes(statusOf('back') ?? ''), 'it ran');
    expect(sessions()[0]?.result.error_code).toBeNull();
  });

  it.each([
    ['garbage', 'target RPC target.reset failed'],
    ['silent', 'target RPC target.reset failed: timed out'],
  ] as const)('a target that answers %s', async (fault, text) => {
    await start({ watchdog: { pollMs: 5, rpcTimeoutMs: 100 } });
    host.target.faults[fault].add('target.reset');
    queue(libero('faulty'));
    await untilStatus('faulty', 'failed');
    expect(sessions()[0]?.result).toMatchObject({ error_code: 'TARGET_PROTOCOL' });
    expect(sessions()[0]?.result.error_message).toContain(text);
  });

  it('an error of the target is named with its Python class', async () => {
    await start();
    host.target.faults.errors.set('target.action_chunk', {
      pythonName: 'MemoryError',
      message: 'out of GPU memory',
    });
    queue(libero('faulty'));
    await untilStatus('faulty', 'failed');
    expect(sessions()[0]?.result.error_message).toBe('MemoryError: out of GPU memory');
  });
});
