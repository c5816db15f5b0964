import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { asMap, decodeWire, encodeWire, NdArray, type WireMap } from '../../src/host/wire.ts';
import { killed, PYTHON, type Served, Stage } from './processes.ts';

/** An environment of Gymnasium itself behind docs/simulators: a pendulum, whose action is one number. */
const ENVIRONMENT = ['Pendulum-v1', '--success', '-100000'];
const POLICY = `
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import openpi_policy
openpi_policy.main(lambda: lambda observation, prompt: np.zeros((5, 1)), {"model": "still"}, port=0)
`;
/** More than the kit takes in one message. */
const HUGE_BYTES = 65 * 1024 * 1024;

/** A client of the kit that says what it likes. */
class Talk {
  readonly socket: WebSocket;
  #seq = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
  }

  static async to({ endpoint }: Served): Promise<Talk> {
    const socket = new WebSocket(endpoint.replace('targetws:', 'ws:'), { perMessageDeflate: false });
    await once(socket, 'open');
    return new Talk(socket);
  }

  async raw(message: Uint8Array | string): Promise<WireMap> {
    const answer = once(this.socket, 'message').then(([data]) => asMap(decodeWire(data)) ?? {});
    this.socket.send(message);
    return answer;
  }

  ask(type: string, payload: WireMap = {}, more: WireMap = {}): Promise<WireMap> {
    this.#seq += 1;
    return this.raw(encodeWire({ type, session_id: 'mine', seq: this.#seq, payload, ...more }));
  }

  async began(config: WireMap = {}): Promise<this> {
    await this.ask('target.configure_session', { session_id: 'mine', config });
    const { type } = await this.ask('target.reset', { config });
    expect(type).toBe('target.reset');
    return this;
  }

  act(actions: unknown): Promise<WireMap> {
    return this.ask('target.action_chunk', { chunk_id: 'c', actions });
  }
}

const messageOf = (answer: WireMap): string => {
  expect(answer['type']).toBe('runtime.error');
  return String(asMap(answer['payload'])?.['message']);
};

describe.skipIf(PYTHON === undefined)('an environment of Gymnasium', { sequential: true }, () => {
  let stage: Stage;
  let simulator: Served;

  beforeAll(async () => {
    stage = new Stage();
    simulator = await stage.serve('gymnasium_server.py', ...ENVIRONMENT);
  });
  afterAll(() => stage.end());

  it('is measured from nothing in three commands', async () => {
    writeFileSync(join(stage.folder, 'policy.py'), POLICY);
    const policy = await stage.serveScript(join(stage.folder, 'policy.py'));
    const where = ['--workspace', stage.workspace];
    const servers = ['--target', simulator.endpoint, '--policy', policy.endpoint];
    const made = await stage.call('init', ...where, '--kit', 'gymnasium', ...servers);
    expect(made.text).toContain('0 problems would stop a benchmark');
    const host = stage.cli(['host', ...where]);
    const asked = ['--init-states', '0-2', '--policy-endpoint', policy.endpoint, '--min-success-rate', '50%'];
    const { code, text } = await stage.call('run', ...where, ...asked);
    await killed(host, 'SIGTERM');
    expect(text).toContain('PASS');
    expect(code).toBe(0);
    const attempt = stage.attempts().at(-1) ?? '';
    expect(await stage.call('verify', attempt)).toMatchObject({ code: 0 });
    // No document tells which runtime reads it; the host that ran it does.
    expect(readFileSync(join(attempt, 'run.json'), 'utf8')).toMatch(
      /"runtime_version": "rollout-bench host /,
    );
  });

  it('answers what it does not understand by name, and goes on', async () => {
    const talk = await Talk.to(simulator);
    expect(messageOf(await talk.raw('text'))).toContain('binary');
    expect(messageOf(await talk.raw(Buffer.from([0xc1, 0xff, 0x00])))).not.toBe('');
    expect(messageOf(await talk.raw(encodeWire([1, 2])))).toContain('map');
    expect(messageOf(await talk.ask('target.explode'))).toContain('target.explode');
    expect(messageOf(await talk.ask('target.__init__'))).toContain('unsupported');
    expect(messageOf(await talk.ask('target.configure_session', { config: 7 }))).toContain('config');
    expect(messageOf(await talk.raw(encodeWire({ type: 'target.reset', payload: 'x' })))).toContain('no map');
    expect(messageOf(await talk.ask('target.action_chunk', {}))).not.toBe('');
    const { type } = await (await talk.began()).ask('target.describe');
    expect(type).toBe('target.describe');
    talk.socket.terminate();
  });

  it('refuses actions that are none, and takes the next ones', async () => {
    const talk = await (await Talk.to(simulator)).began({ init_state_id: 1 });
    const wide = NdArray.float32([0, 0], [1, 2]);
    expect(messageOf(await talk.act(wide))).toContain('[T,1]');
    expect(messageOf(await talk.act(NdArray.float32([Number.NaN], [1, 1])))).toContain('NaN');
    expect(messageOf(await talk.act(NdArray.float32([Number.POSITIVE_INFINITY], [1, 1])))).toContain('Inf');
    expect(messageOf(await talk.act([]))).toContain('[T,1]');
    expect(messageOf(await talk.act('no actions'))).toContain('of numbers');
    expect(messageOf(await talk.act([[1], [2, 3]]))).toContain('of numbers');
    expect(messageOf(await talk.act(undefined))).not.toBe('');
    expect(messageOf(await talk.act(NdArray.float32(new Array(51).fill(0), [51, 1])))).toContain('too many');
    expect(
      messageOf(await talk.act({ __ndarray__: true, data: new Uint8Array(3), dtype: '<f4', shape: [1, 1] })),
    ).not.toBe('');
    expect(
      messageOf(await talk.act({ __ndarray__: true, data: new Uint8Array(8), dtype: '|O', shape: [1] })),
    ).toContain('dtype');
    expect(asMap((await talk.act(NdArray.float32([0], [1, 1])))['payload'])).toMatchObject({
      executed_steps: 1,
    });
    talk.socket.terminate();
  });

  it('gives a session to the one that took it last, and errors to the other', async () => {
    const first = await (await Talk.to(simulator)).began();
    expect(messageOf(await first.ask('target.observe', {}, { session_id: 'another' }))).toContain('another');
    const second = await (await Talk.to(simulator)).began();
    expect(messageOf(await first.act(NdArray.float32([0], [1, 1])))).toContain(
      'does not have this simulator',
    );
    expect((await second.act(NdArray.float32([0], [1, 1])))['type']).not.toBe('runtime.error');
    first.socket.terminate();
    second.socket.terminate();
  });

  it('ends a connection that sends too much, and no other', async () => {
    const good = await (await Talk.to(simulator)).began();
    const huge = await Talk.to(simulator);
    huge.socket.on('error', () => undefined);
    const closed = once(huge.socket, 'close');
    huge.socket.send(Buffer.alloc(HUGE_BYTES));
    await closed;
    expect((await good.act(NdArray.float32([0], [1, 1])))['type']).not.toBe('runtime.error');
    good.socket.terminate();
  });
});
