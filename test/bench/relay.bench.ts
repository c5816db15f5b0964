import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { WebSocket, WebSocketServer } from 'ws';
import { startRelay } from '../../src/policy/relay.ts';
import { WireRecord } from '../../src/policy/wire-record.ts';
import { percentile } from '../../src/stats/summaries.ts';

/**
 * What a call of the policy costs through the relay, as a ratio to the same call without it. Policy and runtime are
 * threads of their own; calls with and without the relay take turns, so that a busy machine slows both.
 * Prints figures, asserts nothing: machines differ.
 */
const CALLS = 200;
/** Two camera images of 256 x 256 pixels and a state; ten actions of seven numbers. */
const REQUEST_BYTES = 2 * 256 * 256 * 3 + 200;
const ANSWER_BYTES = 10 * 7 * 4 + 60;
/** From a policy that costs nothing to one of a usual size on a GPU. */
const THINKING_MS = [0, 20, 60];

type Role = { readonly role: 'policy' } | { readonly role: 'runtime'; readonly urls: readonly string[] };

async function policy(): Promise<void> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, maxPayload: 0 });
  const answer = Buffer.alloc(ANSWER_BYTES, 1);
  server.on('connection', (socket, request) => {
    const thinkingMs = Number(request.url?.slice(1) ?? 0);
    socket.on('message', () => {
      if (thinkingMs === 0) socket.send(answer);
      else setTimeout(() => socket.send(answer), thinkingMs);
    });
  });
  await once(server, 'listening');
  parentPort?.postMessage((server.address() as AddressInfo).port);
}

/** Milliseconds of each call, for each address. */
async function runtime(urls: readonly string[]): Promise<void> {
  const request = Buffer.alloc(REQUEST_BYTES, 7);
  const sockets = urls.map((url) => new WebSocket(url, { perMessageDeflate: false }));
  for (const socket of sockets) await once(socket, 'open');
  const times: number[][] = urls.map(() => []);
  for (let call = 0; call < CALLS; call += 1) {
    for (const [index, socket] of sockets.entries()) {
      const began = performance.now();
      socket.send(request);
      await once(socket, 'message');
      times[index]?.push(performance.now() - began);
    }
  }
  for (const socket of sockets) socket.terminate();
  parentPort?.postMessage(times);
}

async function compare(port: number, thinkingMs: number): Promise<void> {
  const record = new WireRecord('bench', { kind: 'unknown', digest: null, metadata: {}, volatile: [] });
  const upstream = `ws://127.0.0.1:${port}/${thinkingMs}`;
  const relay = await startRelay({ upstream, record, onNews: () => undefined });
  const worker = start({ role: 'runtime', urls: [upstream, relay.endpoint.replace('openpi://', 'ws://')] });
  const cpu = process.cpuUsage();
  const [times]: number[][][] = await once(worker, 'message');
  const { user, system } = process.cpuUsage(cpu);
  await relay.stop();
  const [direct = 0, relayed = 0] = (times ?? []).map((each) => percentile(each, 0.5) ?? 0);
  const { calls } = record.recording();
  console.log(
    `policy thinks ${thinkingMs} ms: median ${direct.toFixed(2)} ms direct, ${relayed.toFixed(2)} ms through the relay, ` +
      `ratio ${(relayed / direct).toFixed(2)}, ${(relayed - direct).toFixed(2)} ms more a call (${calls} calls; ` +
      `${((user + system) / 1000 / calls).toFixed(2)} ms CPU of all threads for both)`,
  );
}

function start(role: Role): Worker {
  return new Worker(fileURLToPath(import.meta.url), { workerData: role });
}

// Set by `start` above.
const role = workerData as Role | null;
if (isMainThread) {
  const server = start({ role: 'policy' });
  const [port]: number[] = await once(server, 'message');
  for (const thinkingMs of THINKING_MS) await compare(port ?? 0, thinkingMs);
  await server.terminate();
} else if (role?.role === 'policy') await policy();
else if (role?.role === 'runtime') await runtime(role.urls);
