import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, type WebSocketServer } from 'ws';
import * as z from 'zod';
import { LIBERO_SKILL_ID, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { closeServer, listen } from '../../../src/host/socket-server.ts';
import { startTargetServer, type TargetServer } from '../../../src/host/target-server.ts';
import { asMap, decodeWire, encodeWire, NdArray, type WireMap } from '../../../src/host/wire.ts';
import { writeRuntimeYaml } from '../../../src/host/yaml-writer.ts';
import { renderDocument } from '../../../src/workspace/fenced-block.ts';
import { FIXTURES } from './replay.ts';

const frame = (name: string): Buffer => readFileSync(join(FIXTURES, '93-wire-fixtures', name));

let server: TargetServer;
let socket: WebSocket;

beforeEach(async () => {
  server = await startTargetServer({
    rule: { kind: 'stub' },
    config: { camera_height: 32, camera_width: 32 },
  });
  socket = await connect();
});

afterEach(async () => {
  socket.terminate();
  await server.kill();
});

function connect(): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const made = new WebSocket(server.endpoint.replace('targetws', 'ws'));
    made.once('open', () => resolve(made)).once('error', reject);
  });
}

/** The next message; resolves with the close code when the server hangs up instead. */
function next(from: WebSocket = socket): Promise<WireMap | number> {
  return new Promise((resolve) => {
    from.once('message', (data: Buffer) => resolve(asMap(decodeWire(data)) ?? {}));
    from.once('close', (code) => resolve(code));
  });
}

async function ask(bytes: Uint8Array | string): Promise<WireMap | number> {
  const answer = next();
  socket.send(bytes);
  return answer;
}

const request = (type: string, payload: WireMap = {}): Uint8Array => encodeWire({ type, seq: 4, payload });

/** Without what differs each time, arrays by type and shape. */
function comparable(value: unknown): unknown {
  if (value instanceof NdArray) return { ndarray: { dtype: value.dtype, shape: value.shape } };
  if (Array.isArray(value)) return value.map(comparable);
  const map = asMap(value);
  if (map === null) return typeof value === 'bigint' ? Number(value) : value;
  const volatile = ['timestamp_ns', 'updated_at', 'claim_token', 'traceback', 'policy_endpoint'];
  const kept = Object.entries(map).filter(([key]) => !volatile.includes(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, comparable(item)]));
}

describe('against frames of the real client and server', () => {
  it('describe is answered as by the real one', async () => {
    const answer = await ask(frame('describe.request.msgpack'));
    const recorded: unknown = JSON.parse(
      readFileSync(join(FIXTURES, '93-wire-fixtures/describe.response.json'), 'utf8'),
    );
    expect(comparable(answer)).toEqual(comparable(recorded));
    const payload: unknown = JSON.parse(
      readFileSync(join(FIXTURES, '00-libero-describe/describe.payload.json'), 'utf8'),
    );
    expect(comparable(typeof answer === 'number' ? null : answer['payload'])).toMatchObject({
      task_list: comparable(asMap(payload)?.['task_list'] ?? null),
    });
  });

  it('hello is an error, and the connection stays usable', async () => {
    const answer = await ask(frame('hello.request.msgpack'));
    expect(comparable(answer)).toEqual(comparable(decodeWire(frame('hello.response.msgpack'))));
    expect(await ask(request('target.describe'))).toMatchObject({ type: 'target.describe', seq: 4 });
  });

  it('a text message is an error without ids', async () => {
    const answer = await ask('hello');
    expect(comparable(answer)).toEqual(comparable(decodeWire(frame('bad_payload.response.msgpack'))));
  });

  it('the status after a chunk has the recorded keys', async () => {
    await ask(request('target.reset', { libero: { task_id: 0 } }));
    await ask(request('target.action_chunk', { actions: NdArray.float32(new Array(70).fill(0), [10, 7]) }));
    const answer = await ask(frame('execution_status.request.msgpack'));
    const keys = (value: unknown): string[] => Object.keys(asMap(asMap(value)?.['payload'] ?? null) ?? {});
    expect(keys(answer)).toEqual(keys(decodeWire(frame('execution_status.response.msgpack'))));
  });
});

describe('requests it insists on little for', () => {
  it('a missing seq becomes 0, a wrong version does not matter', async () => {
    const answer = await ask(encodeWire({ version: 'other', type: 'target.execution_status' }));
    expect(answer).toMatchObject({ type: 'target.execution_status', seq: 0, session_id: null });
  });

  it.each([
    ['garbage', Buffer.from([0xc1, 0x01])],
    ['a list', encodeWire([1, 2])],
    ['a seq that is no number', encodeWire({ type: 'target.describe', seq: 'x' })],
  ])('%s closes the connection with 1011', async (_what, bytes) => {
    expect(await ask(bytes)).toBe(1011);
  });

  it('errors carry Python class names', async () => {
    const code = async (type: string, libero: WireMap): Promise<unknown> => {
      const answer = await ask(request(type, { libero }));
      return typeof answer === 'number' ? answer : asMap(answer['payload'])?.['error_code'];
    };
    expect(await code('target.observe', {})).toBe('TargetProtocolError');
    expect(await code('target.reset', { init_state_id: 50 })).toBe('IndexError');
    expect(await code('target.reset', { init_state_id: 0, task_id: 10 })).toBe('IndexError');
    expect(await code('target.reset', { task_id: 0, benchmark_name: 'nope' })).toBe('KeyError');
    expect(await code('target.reset', { benchmark_name: 'libero_goal', task_id: 'three' })).toBe(
      'ValueError',
    );
    expect(await code('target.reset', { task_id: '3', init_state_id: -1 })).toBeUndefined();
  });
});

describe('one runtime for all connections', () => {
  it('describes what somebody else configured last', async () => {
    const other = await connect();
    other.send(
      request('target.configure_session', { libero: { benchmark_name: 'libero_goal', task_id: 2 } }),
    );
    await next(other);
    other.close();
    const answer = await ask(request('target.describe'));
    expect(comparable(answer)).toMatchObject({
      payload: { benchmark_name: 'libero_goal', task_id: 2, num_tasks: 10 },
    });
  });

  it('a running chunk keeps others waiting, new connections included', async () => {
    await ask(request('target.reset', {}));
    server.setStepMs(10);
    const order: string[] = [];
    const chunk = ask(
      request('target.action_chunk', { actions: NdArray.float32(new Array(70).fill(0), [10, 7]) }),
    );
    const late = chunk.then(() => order.push('chunk'));
    const joined = connect().then((made) => {
      order.push('connection');
      made.close();
    });
    await Promise.all([late, joined]);
    expect(order).toEqual(['chunk', 'connection']);
  });

  it('forgets nothing a session does not send again', async () => {
    await ask(request('target.configure_session', { libero: { max_steps: 15 } }));
    await ask(request('target.configure_session', { libero: { task_id: 1 } }));
    expect(server.runtime.config).toMatchObject({ max_steps: 15, task_id: 1 });
  });
});

describe('a killed server', () => {
  it('cuts its connections and frees the port', async () => {
    const gone = next();
    await server.kill();
    expect(await gone).toBe(1006);
    const again = await startTargetServer({ rule: { kind: 'stub' }, port: server.port });
    await again.kill();
  });
});

const messageSchema = z.object({ dir: z.string(), msg: z.record(z.string(), z.unknown()) });

describe('what the watchdog and the target say to each other', () => {
  it.each(['92-rpc-transcript', '92-rpc-transcript-jun'])('%s', async (name) => {
    const workspace = mkdtempSync(join(tmpdir(), 'host-transcript-'));
    const host = await startHost({
      workspace,
      rule: { kind: 'stub' },
      dialect: name.endsWith('-jun') ? 'june' : 'august',
      maxSteps: 280,
      startWatchdog: false,
      watchdog: { hostName: 'rig-host' },
    });
    const heard: { dir: string; msg: unknown }[] = [];
    const ear = await eavesdrop(host.target.port, heard);
    try {
      const session = recordedSession(host.policyEndpoint, ear.port);
      writeFileSync(
        join(workspace, 'SESSIONS.md'),
        renderDocument('Runtime Sessions', writeRuntimeYaml({ sessions: [session] })),
      );
      await host.watchdog.runOnce();
    } finally {
      await Promise.all([host.stop(), closeServer(ear.server)]);
      rmSync(workspace, { recursive: true, force: true });
    }
    const lines = readFileSync(join(FIXTURES, name, 'rpc.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const recorded = lines.map((line) => messageSchema.parse(JSON.parse(line)));
    expect(heard.map(({ dir, msg }) => [dir, withoutHistory(msg)])).toEqual(
      recorded.map(({ dir, msg }) => [dir, withoutHistory(msg)]),
    );
  });
});

function recordedSession(policy: string, targetPort: number): WireMap {
  return {
    session_id: 's_rpc',
    target_ref: `target://${LIBERO_TARGET_ID}`,
    skillruntime_ref: `skillruntime://${LIBERO_SKILL_ID}`,
    task_description: 'pick up the black bowl between the plate and the ramekin and place it on the plate',
    timeouts: { policy_timeout_s: 10 },
    routing: { policy_endpoint: policy, target_endpoint: `targetws://127.0.0.1:${targetPort}` },
    execution: { max_steps: 200, replan_every_steps: 5 },
    safety_profile: { profile: 'default_simulation', workspace_bounds: 'default' },
  };
}

/** The first two answers tell of the session before, which the recording's server had and ours has not. */
function withoutHistory(message: unknown): unknown {
  const map = asMap(comparable(message)) ?? {};
  const payload = asMap(map['payload']) ?? {};
  const isAboutBefore = 'configured' in payload || 'started' in payload;
  const { target_endpoint: _here, ...routing } = asMap(payload['routing']) ?? {};
  const changed = isAboutBefore ? { libero: null } : 'routing' in payload ? { routing } : {};
  return { ...map, payload: { ...payload, ...changed } };
}

/** A relay that writes down what passes. */
async function eavesdrop(
  targetPort: number,
  heard: { dir: string; msg: unknown }[],
): Promise<{ server: WebSocketServer; port: number }> {
  const relay = await listen(0);
  relay.server.on('connection', (client) => {
    const upstream = new WebSocket(`ws://127.0.0.1:${targetPort}`);
    const opened = new Promise((resolve) => upstream.once('open', resolve));
    client.on('message', (data: Buffer) => {
      heard.push({ dir: 'watchdog->target', msg: decodeWire(data) });
      void opened.then(() => upstream.send(data));
    });
    upstream.on('message', (data: Buffer) => {
      heard.push({ dir: 'target->watchdog', msg: decodeWire(data) });
      client.send(data);
    });
    client.on('close', () => upstream.close());
  });
  return relay;
}
