import { encode } from '@msgpack/msgpack';
import { WebSocketServer } from 'ws';
import { randomBelow, seededRandom } from '../base/random.ts';
import { tcpPort } from '../base/tcp-port.ts';

/** How a policy of known quality behaves. */
export type ControlManner =
  /** Never moves. */
  | 'no-motion'
  /** Moves without looking; seeded. */
  | 'random'
  /** Never moves, and says in each answer that it succeeded. */
  | 'liar'
  /** One number too many in each action. */
  | 'wrong-width'
  /** Answers once and never again. */
  | 'too-slow';

interface ControlServerOptions {
  readonly manner: ControlManner;
  /** Numbers in one action of the target. */
  readonly actionDim: number;
  /** Actions in one answer. */
  readonly chunk: number;
  readonly seed: number;
}

/** A policy server of this process. */
interface ControlServer {
  /** `openpi://127.0.0.1:<port>` */
  readonly endpoint: string;
  /** Cuts every connection and frees the port. */
  stop(): Promise<void>;
}

/** Random draws for one number of an action. */
const STEPS = 2001;

/**
 * Serves a policy of known quality on a free port of the loopback device, in the protocol the runtime speaks to every
 * policy: one metadata message on connect, then `actions` for each observation.
 */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  server.on('connection', (socket) => {
    const answer = answers(options);
    socket.on('error', () => undefined);
    socket.send(encode({ model: `rollout-bench control ${options.manner}`, action_dim: options.actionDim }));
    socket.on('message', () => {
      const next = answer();
      if (next !== null) socket.send(encode(next));
    });
  });
  return {
    endpoint: `openpi://127.0.0.1:${tcpPort(server.address())}`,
    stop: () => {
      for (const client of server.clients) client.terminate();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers of one connection, in order; null is silence. */
function answers({ manner, actionDim, chunk, seed }: ControlServerOptions): () => object | null {
  const rows = (width: number, value: () => number): number[][] =>
    Array.from({ length: chunk }, () => Array.from({ length: width }, value));
  const still = (): number[][] => rows(actionDim, () => 0);
  const random = seededRandom(seed);
  let asked = 0;
  return () => {
    asked += 1;
    switch (manner) {
      case 'no-motion':
        return { actions: still() };
      case 'random':
        return { actions: rows(actionDim, () => (randomBelow(random, STEPS) * 2) / (STEPS - 1) - 1) };
      case 'liar':
        return { actions: still(), success: true, done: true, policy_meta: { success: true, done: true } };
      case 'wrong-width':
        return { actions: rows(actionDim + 1, () => 0) };
      case 'too-slow':
        return asked === 1 ? { actions: still().slice(0, 1) } : null;
    }
  };
}
