import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { decode, encode } from '@msgpack/msgpack';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { describeTarget } from '../../../src/describe/client.ts';
import { type Problem, RbError } from '../../../src/errors/rb-error.ts';
import { discover } from '../../../src/job/prepare/discover.ts';
import { type Peer, startPeer } from './ws-peer.ts';

const frame = (name: string) =>
  readFileSync(new URL(`../../../fixtures/wire/${name}.msgpack`, import.meta.url));
const targetId = 'libero_real_remote';
const options = { connectTimeoutMs: 30_000, answerTimeoutMs: 30_000, targetId };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function peer(onMessage: (socket: WebSocket, message: Buffer) => void): Promise<Peer> {
  const started = await startPeer({ onMessage });
  stops.push(started.stop);
  return started;
}

const answers = (message: string | Uint8Array) => (socket: WebSocket) => socket.send(message);

/** The captured answer with some fields of its envelope changed. */
function changed(fields: Record<string, unknown>): Uint8Array {
  const envelope = decode(frame('describe.response'), { useBigInt64: true });
  return encode({ ...(envelope as Record<string, unknown>), ...fields }, { useBigInt64: true });
}

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RbError)) throw new Error('no RbError was thrown', { cause: error });
  expect(error.exitCode).toBe(3);
  const [problem] = error.problems;
  if (problem === undefined) throw new Error('an RbError without problems');
  return problem;
}

const describeAt = (address: string, change: Partial<typeof options> & { signal?: AbortSignal } = {}) =>
  describeTarget(`targetws://${address}`, { ...options, ...change });

describe('describeTarget', () => {
  it('waits for a target that is busy and does not know its tasks yet', async () => {
    let asked = 0;
    const server = await peer((socket) => {
      asked += 1;
      socket.send(
        asked < 3 ? changed({ payload: { runtime: 'slow', state: 'busy' } }) : frame('describe.response'),
      );
    });
    const description = await describeAt(server.address);
    expect(asked).toBe(3);
    expect(description.tasks).toHaveLength(10);
    expect(description.busy).toBeUndefined();
  });

  it('takes the tasks of a target that an episode keeps busy', async () => {
    const payload = {
      runtime: 'arm',
      benchmark_name: 'arm',
      state: 'busy',
      task_list: [{ task_id: 0 }],
      max_steps: 9,
    };
    const server = await peer(answers(changed({ payload })));
    expect(await describeAt(server.address)).toMatchObject({ suite: 'arm', busy: true, maxSteps: 9 });
  });

  it('gives up on one that stays busy (RB321)', async () => {
    const server = await peer(answers(changed({ payload: { state: 'busy' } })));
    expect((await problemOf(describeAt(server.address, { answerTimeoutMs: 700 }))).code).toBe('RB321');
  });

  it('reads the answer of a real server and closes politely after one request', async () => {
    const server = await peer(answers(frame('describe.response')));
    const description = await describeAt(server.address);
    expect(description).toMatchObject({
      runtime: 'LiberoRealRemoteTargetRuntime',
      suite: 'libero_spatial',
      actionDim: 7,
      maxChunkSize: 50,
    });
    expect(description.tasks).toHaveLength(10);
    expect(description.tasks[3]).toMatchObject({
      taskId: 3,
      language: 'pick up the black bowl on the cookie box and place it on the plate',
    });
    expect(server.received).toHaveLength(1);
    await expect.poll(() => server.closeCodes, { timeout: 20_000 }).toEqual([1000]);
  });

  it('sends what the real client sends, with an exact 64-bit time', async () => {
    const server = await peer(answers(frame('describe.response')));
    await describeAt(server.address);
    const ours = decode(server.received[0] ?? new Uint8Array(), { useBigInt64: true }) as Record<
      string,
      unknown
    >;
    const real = decode(frame('describe.request'), { useBigInt64: true }) as Record<string, unknown>;
    expect(typeof ours.timestamp_ns).toBe('bigint');
    expect({ ...ours, timestamp_ns: 0 }).toEqual({ ...real, timestamp_ns: 0 });
    expect(Object.keys(ours)).toEqual(Object.keys(real));
  });

  it.each([
    ['an error', 'hello.response', 'RB322', /TargetProtocolError: unsupported target RPC type: target.hello/],
    ['an error without ids', 'bad_payload.response', 'RB322', /BAD_PAYLOAD: expected binary msgpack/],
    [
      'the answer to another request, with images in it',
      'execution_status.response',
      'RB325',
      /type is "target.execution_status"/,
    ],
  ])('tells %s', async (_case, name, code, message) => {
    const server = await peer(answers(frame(name)));
    const problem = await problemOf(describeAt(server.address));
    expect(problem).toMatchObject({ code });
    expect(problem.message).toMatch(message);
    expect(problem.message).not.toContain('traceback');
  });

  it.each([
    ['another seq', { seq: 2 }, 'RB325'],
    ['another target', { target_id: 'other' }, 'RB325'],
    ['a session that is not ours', { session_id: 's1' }, 'RB325'],
    ['another protocol version', { version: 'v9' }, 'RB324'],
    ['a description of another shape', { payload: { task_list: [{ task_id: -1 }] } }, 'RB324'],
    ['a task listed twice', { payload: { task_list: [{ task_id: 1 }, { task_id: 1 }] } }, 'RB324'],
  ])('refuses %s', async (_case, fields, code) => {
    const server = await peer(answers(changed(fields)));
    expect(await problemOf(describeAt(server.address))).toMatchObject({ code });
  });

  it('takes task ids that were sent as 64-bit integers', async () => {
    const server = await peer(
      answers(changed({ payload: { benchmark_name: 'b', task_list: [{ task_id: 4n, language: 'x' }] } })),
    );
    expect((await describeAt(server.address)).tasks).toEqual([
      { taskId: 4, name: null, file: null, language: 'x' },
    ]);
  });

  it('keeps paths of the server out of its messages', async () => {
    const payload = {
      error_code: 'FileNotFoundError',
      message: "no file '/srv/libero/bddl/x.bddl'\nTraceback /home/me/x.py",
      traceback: 'File "/home/me/x.py"',
    };
    const server = await peer(answers(changed({ type: 'runtime.error', payload })));
    const problem = await problemOf(describeAt(server.address));
    expect(problem.message).toContain("FileNotFoundError: no file '<path>'");
    expect(JSON.stringify(problem)).not.toMatch(/srv|home/);
  });

  it.each([
    ['a text message', answers('hello'), 'RB324', /text message/],
    ['bytes that are no MessagePack', answers(new Uint8Array([0xc1, 0, 1])), 'RB324', /not MessagePack/],
    ['a list', answers(encode([1, 2])), 'RB324', /not a description/],
    ['a truncated answer', answers(frame('describe.response').subarray(0, 900)), 'RB324', /not MessagePack/],
    ['a close with 1011', (socket: WebSocket) => socket.close(1011), 'RB323', /code 1011/],
    ['a lost connection', (socket: WebSocket) => socket.terminate(), 'RB323', /code 1006/],
    ['an answer of 5 MB', answers(new Uint8Array(5 * 1024 * 1024)), 'RB326', /above 4194304 bytes/],
  ])('tells %s', async (_case, behave, code, message) => {
    const server = await peer(behave);
    const problem = await problemOf(describeAt(server.address));
    expect(problem).toMatchObject({ code });
    expect(problem.message).toMatch(message);
  });

  it('gives up on a silent server after the answer timeout', async () => {
    const server = await peer(() => undefined);
    const problem = await problemOf(describeAt(server.address, { answerTimeoutMs: 50 }));
    expect(problem).toMatchObject({ code: 'RB321' });
    await expect.poll(() => server.closeCodes, { timeout: 20_000 }).toEqual([1000]);
  });

  it('gives up on a server that accepts the connection and never shakes hands', async () => {
    const silent = createTcpServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => silent.close(() => resolve())));
    const { port } = silent.address() as AddressInfo;
    const problem = await problemOf(describeAt(`127.0.0.1:${port}`, { answerTimeoutMs: 50 }));
    expect(problem).toMatchObject({ code: 'RB321' });
    expect(problem.message).toContain('connected, but no message within 0.05 s');
  });

  it('tells a web server from a target server, and nobody from both', async () => {
    const web = createServer((_request, response) => response.end('hi'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { port } = web.address() as AddressInfo;
    expect(await problemOf(describeAt(`127.0.0.1:${port}`))).toMatchObject({ code: 'RB324' });
    await new Promise((resolve) => web.close(resolve));
    const gone = await problemOf(describeAt(`127.0.0.1:${port}`));
    expect(gone).toMatchObject({ code: 'RB320' });
    expect(gone.message).toContain('ECONNREFUSED');
  });

  it('stops at once when it is aborted', async () => {
    const abort = new AbortController();
    const server = await peer(() => abort.abort(new Error('stopped')));
    await expect(describeAt(server.address, { signal: abort.signal })).rejects.toThrow('stopped');
    await expect(describeAt(server.address, { signal: abort.signal })).rejects.toThrow('stopped');
    expect(server.received).toHaveLength(1);
  });
});

describe('discover', () => {
  const asks = (endpoint: string) => describeTarget(endpoint, options);
  const request = {
    suite: 'libero_spatial',
    wanted: 'all',
    primed: false,
    config: {},
    tasksFile: null,
  } as const;

  it('plans from the description, and asks for a primer when it is of another suite', async () => {
    const server = await peer(answers(frame('describe.response')));
    const endpoint = `targetws://${server.address}`;
    const here = await discover({ ...request, endpoint, describe: asks });
    expect(here.discovery).toMatchObject({ kind: 'found', source: 'describe' });
    expect(here.description?.maxChunkSize).toBe(50);
    const other = await discover({ ...request, suite: 'libero_10', endpoint, describe: asks });
    expect(other.discovery).toEqual({ kind: 'needs primer', described: 'libero_spatial' });
  });

  it('falls back to static discovery only where there is no describe', async () => {
    const config = { benchmark_name: 'maze', task_id: 0, task_description: 'leave' };
    const maze = { ...request, suite: 'maze', config, describe: asks };
    expect((await discover({ ...maze, endpoint: null })).discovery).toMatchObject({
      source: 'target config',
    });
    const payload = {
      error_code: 'TargetProtocolError',
      message: 'unsupported target RPC type: target.describe',
    };
    const mute = await peer(answers(changed({ type: 'runtime.error', payload })));
    const result = await discover({ ...maze, endpoint: `targetws://${mute.address}` });
    expect(result).toMatchObject({ discovery: { source: 'target config' }, description: null });
    const broken = await peer(answers(frame('bad_payload.response')));
    expect(await problemOf(discover({ ...maze, endpoint: `targetws://${broken.address}` }))).toMatchObject({
      code: 'RB322',
    });
  });
});
