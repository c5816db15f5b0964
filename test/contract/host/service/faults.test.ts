import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocketServer } from 'ws';
import { DUMMY_TARGET_ID } from '../../../../src/host/host.ts';
import { encodePolicyWire, encodeWire, NdArray } from '../../../../src/host/wire.ts';
import { listenOn } from './answering.ts';
import { Served } from './served.ts';

let served: Served;
const servers: WebSocketServer[] = [];

afterEach(async () => {
  await served.end();
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

const endOf = (id: string) => {
  const { status, result } = served.session(id) ?? {};
  return { status, code: result?.error_code, message: result?.error_message };
};

describe('what is broken in the documents', () => {
  it('costs the entry, and nobody else', async () => {
    served = await Served.start();
    served.queue(
      served.entry('unknown-key', { colour: 'red' }),
      served.entry('bad-number', { execution: { max_steps: 'many' } }),
      { target_ref: 'x', status: 'pending' },
      served.entry('good'),
      served.entry('good', { priority: 'low' }),
      served.entry('../escape'),
    );
    expect(await served.once()).toBe(0);
    const ends = served.raw().map((each) => [each['session_id'], each['status']]);
    expect(ends).toEqual([
      ['unknown-key', 'rejected'],
      ['bad-number', 'rejected'],
      [undefined, 'pending'],
      ['good', 'succeeded'],
      ['good', 'rejected'],
      ['../escape', 'rejected'],
    ]);
    expect(served.raw()[0]).toMatchObject({
      colour: 'red',
      result: { error_code: 'SCHEMA_VALIDATION', error_message: expect.stringContaining('colour') },
    });
    expect(existsSync(served.path('artifacts/escape'))).toBe(false);
  });

  it('costs who names a broken target, and is waited for where nothing can be read at all', async () => {
    served = await Served.start();
    const targets = served.read('TARGETS.md');
    const broken = `targets:\n  - {id: broken, target_class: remote}\n`;
    served.put('TARGETS.md', targets.replace('targets:\n', broken));
    served.queue(served.entry('a', { target_ref: 'broken' }), served.entry('b'));
    await served.once();
    expect(endOf('a')).toMatchObject({ status: 'rejected', code: 'SCHEMA_VALIDATION' });
    expect(endOf('a').message).toContain('target broken is not valid');
    expect(endOf('b')).toMatchObject({ status: 'succeeded' });

    served.put('TARGETS.md', '# no block\n');
    served.queue(served.entry('c'));
    await served.serve();
    const waits = (): boolean => served.events().some(({ event }) => event === 'waiting');
    await served.until(waits, 'it waits');
    served.put('SESSIONS.md', `${served.read('SESSIONS.md')} `.replace('sessions:', 'sessions: ['));
    served.put('TARGETS.md', targets);
    served.queue(served.entry('d'));
    await served.reaches('d', 'succeeded');
  });
});

describe('what the original gets wrong', () => {
  it('a late timeout is a timeout, with its evidence and without pictures', async () => {
    served = await Served.start({ stepMs: 100 });
    served.queue(served.entry('late', { timeouts: { execute_timeout_s: 3 } }), served.entry('next'));
    await served.serve();
    await served.reaches('late', 'timed_out');
    served.host.target.setStepMs(0);
    await served.reaches('next', 'succeeded');
    expect(endOf('late')).toMatchObject({ code: 'EXECUTION_TIMEOUT' });
    const episode = served.read('artifacts/runtime/late/episode.json');
    expect(episode.length).toBeLessThan(5000);
    expect(JSON.parse(episode).metadata.runner_snapshot.step_index).toBeGreaterThan(0);
  });

  it('a simulator that cannot be closed costs no result', async () => {
    served = await Served.start();
    served.host.target.faults.errors.set('target.close', { pythonName: 'RuntimeError', message: 'no' });
    served.queue(served.entry('a'), served.entry('b'));
    await served.once();
    expect([endOf('a').status, endOf('b').status]).toEqual(['succeeded', 'succeeded']);
    expect(served.events()).toContainEqual(
      expect.objectContaining({ event: 'problem', message: expect.stringContaining('not closed') }),
    );
  });

  it('one silent answer ends the session by the limit that was given', async () => {
    served = await Served.start();
    served.host.target.faults.silent.add('target.reset');
    served.queue(served.entry('a'));
    await served.once('--rpc-timeout', '1s');
    expect(endOf('a')).toMatchObject({ status: 'failed', code: 'TARGET_PROTOCOL' });
    expect(endOf('a').message).toContain('target RPC target.reset failed: timed out');
  });
});

describe('a server that dies in the middle of an episode', () => {
  const chunks = (): number =>
    served.host.target.requests.filter((type) => type === 'target.action_chunk').length;

  it('gives its session a code, and sessions run again when it is back', async () => {
    served = await Served.start({ stepMs: 5 });
    served.queue(served.entry('a'));
    await served.serve();
    await served.until(() => chunks() > 0, 'the episode is on its way');
    await served.host.killTarget();
    await served.reaches('a', 'failed');
    expect(endOf('a').code).toMatch(/^TARGET_/);
    await served.host.reviveTarget();
    served.queue(served.entry('b'));
    await served.reaches('b', 'succeeded');
    expect(await served.stop()).toBe(0);
    expect(served.events().filter(({ event }) => event === 'bug')).toEqual([]);
  });

  it('costs nobody else anything when it is the policy of one session', async () => {
    served = await Served.start();
    const zeros = encodePolicyWire({ actions: NdArray.float32(new Array<number>(35).fill(0), [5, 7]) });
    let asked = 0;
    const endpoint = await listenOn(servers, encodePolicyWire({}), () => {
      asked += 1;
      return asked > 2 ? null : zeros;
    });
    const routing = { policy_endpoint: endpoint.replace('ws:', 'openpi:') };
    served.queue(served.entry('dies', { routing }), served.entry('lives'));
    expect(await served.once()).toBe(0);
    expect(asked).toBe(3);
    expect(endOf('dies').code).toBe('POLICY_CONNECTION');
    expect(endOf('lives').status).toBe('succeeded');
  });
});

describe('wrong answers', () => {
  const actions = (values: number[], shape: number[]): Uint8Array =>
    encodePolicyWire({ actions: NdArray.float32(values, shape) });
  const zeros = (length: number): number[] => new Array<number>(length).fill(0);
  const POLICY: Readonly<Record<string, [Uint8Array | string | null, string]>> = {
    text: ['Traceback: no', 'POLICY_PROTOCOL'],
    garbage: [new Uint8Array([0xc1, 0xff]), 'POLICY_PROTOCOL'],
    'no actions': [encodePolicyWire({ other: 1 }), 'POLICY_PROTOCOL'],
    'three dimensions': [actions(zeros(8), [2, 2, 2]), 'POLICY_PROTOCOL'],
    'too wide': [actions(zeros(8), [1, 8]), 'ADAPTER'],
    'too long': [actions(zeros(700), [100, 7]), 'ADAPTER'],
    nan: [actions([...zeros(6), Number.NaN], [1, 7]), 'ADAPTER'],
    'shape of more than it holds': [actions(zeros(7), [50, 7]), 'ADAPTER'],
    'words instead of numbers': [encodePolicyWire({ actions: 'left' }), 'ADAPTER'],
    closed: [null, 'POLICY_CONNECTION'],
  };

  it('of a policy give the session a code, and the next session is well', async () => {
    served = await Served.start();
    const entries: Record<string, unknown>[] = [];
    for (const [name, [answer]] of Object.entries(POLICY)) {
      const endpoint = await listenOn(servers, encodePolicyWire({}), () => answer);
      const routing = { policy_endpoint: endpoint.replace('ws:', 'openpi:') };
      entries.push(served.entry(name, { routing }));
    }
    served.queue(...entries, served.entry('good'));
    expect(await served.once()).toBe(0);
    const codes = Object.keys(POLICY).map((name) => [name, endOf(name).code]);
    expect(codes).toEqual(Object.entries(POLICY).map(([name, [, code]]) => [name, code]));
    expect(endOf('good').status).toBe('succeeded');
    expect(served.events().filter(({ event }) => event === 'bug')).toEqual([]);
  });

  it('of a target give the session a code, and the next session is well', async () => {
    served = await Served.start();
    const answers: Record<string, (request: Record<string, unknown>) => Uint8Array | string | null> = {
      text: () => 'no',
      garbage: () => new Uint8Array([0xc1]),
      closed: () => null,
      'wrong session': (request) => encodeWire({ ...request, session_id: 'other' }),
      'wrong number': (request) => encodeWire({ ...request, seq: 99 }),
      'payload of another kind': (request) => encodeWire({ ...request, payload: [1, 2] }),
      'no pictures': (request) => encodeWire({ ...request, payload: { obs: 1 } }),
    };
    const entries: Record<string, unknown>[] = [];
    for (const [name, answer] of Object.entries(answers)) {
      const endpoint = await listenOn(servers, null, answer);
      const routing = {
        policy_endpoint: served.host.policyEndpoint,
        target_endpoint: endpoint.replace('ws:', 'targetws:'),
      };
      entries.push(served.entry(name, { routing }));
    }
    served.queue(...entries, served.entry('good'));
    expect(await served.once()).toBe(0);
    const codes = Object.keys(answers).map((name) => endOf(name).code);
    expect(new Set(codes)).toEqual(new Set(['TARGET_PROTOCOL', 'ADAPTER']));
    expect(endOf('wrong session').message).toContain("session_id 'other'");
    expect(endOf('good').status).toBe('succeeded');
    expect(served.events().filter(({ event }) => event === 'bug')).toEqual([]);
  });

  it('what this host does not do is refused by name', async () => {
    served = await Served.start();
    const target = served.read('TARGETS.md');
    served.put('TARGETS.md', target.replace('target_kind: simulation', 'target_kind: real_robot'));
    const audit = { mode: 'audit', goal: 'g', success_criteria: ['c'] };
    served.queue(
      served.entry('robot', { target_ref: DUMMY_TARGET_ID, skillruntime_ref: 'openpi_sim_vla' }),
      served.entry('verifier', { verification: audit }),
    );
    const skills = served.read('SKILLRUNTIME.md');
    served.put('SKILLRUNTIME.md', skills.replace('[simulation]', '[simulation, real_robot]'));
    await served.once();
    expect(endOf('robot')).toMatchObject({ status: 'rejected', code: 'HOST_UNSUPPORTED' });
    expect(endOf('robot').message).toContain('real robots');
    expect(endOf('verifier')).toMatchObject({ status: 'rejected', code: 'HOST_UNSUPPORTED' });
    expect(endOf('verifier').message).toContain('verification');
  });
});
