import type { WebSocket } from 'ws';
import { sleep } from './now.ts';
import { closeServer, listen } from './socket-server.ts';
import { asMap, decodeWire, encodePolicyWire, NdArray, type WireMap } from './wire.ts';

/** How a policy behaves. `skill` (0 to 1) is about the share of initial states it solves. */
export type PolicyMode =
  | { readonly kind: 'good' }
  | { readonly kind: 'bad'; readonly skill: number }
  /** Good, but each answer takes `delayMs`. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Answers that are not actions. */
  | { readonly kind: 'broken'; readonly how: 'text' | 'noactions' | 'nan' | 'dim8' }
  /** Claims success in every answer and does little. */
  | { readonly kind: 'liar' };

interface PolicyServerOptions {
  readonly mode?: PolicyMode;
  readonly port?: number;
  /** Steps in each answer. */
  readonly chunk?: number;
  /** Sent on connect, beside `action_dim`; e.g. `{ name, checkpoint_digest }`. */
  readonly metadata?: Readonly<WireMap>;
}

export interface PolicyServer {
  readonly endpoint: string;
  readonly port: number;
  /** Prompts of all inferences so far, in order. */
  readonly prompts: readonly string[];
  setMode(mode: PolicyMode): void;
  setMetadata(metadata: Readonly<WireMap>): void;
  kill(): Promise<void>;
}

const GOOD_SKILL = 0.9;
const LIAR_SKILL = 0.15;

/** An OpenPI policy server: one metadata message on connect, then `actions` for each observation (runtime-protocol 5.3). */
export async function startPolicyServer(options: PolicyServerOptions = {}): Promise<PolicyServer> {
  let mode: PolicyMode = options.mode ?? { kind: 'good' };
  let metadata: WireMap = { ...(options.metadata ?? { name: 'simulated-policy' }) };
  const prompts: string[] = [];
  const { server, port } = await listen(options.port ?? 0);
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.send(encodePolicyWire({ action_dim: 7, ...metadata }));
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) socket.send('expected binary');
      else infer(socket, data, mode).catch(() => socket.close(1011));
    });
  });
  const infer = async (socket: WebSocket, data: Buffer, acting: PolicyMode): Promise<void> => {
    const observation = asMap(decodeWire(data)) ?? {};
    prompts.push(String(observation['prompt'] ?? ''));
    if (acting.kind === 'slow') await sleep(acting.delayMs);
    socket.send(answerOf(acting, options.chunk ?? 10));
  };
  return {
    endpoint: `openpi://127.0.0.1:${port}`,
    port,
    prompts,
    setMode: (next) => {
      mode = next;
    },
    setMetadata: (next) => {
      metadata = { ...next };
    },
    kill: () => closeServer(server),
  };
}

function answerOf(mode: PolicyMode, chunk: number): string | Uint8Array {
  if (mode.kind !== 'broken') {
    const skill = mode.kind === 'bad' ? mode.skill : mode.kind === 'liar' ? LIAR_SKILL : GOOD_SKILL;
    const claim = mode.kind === 'liar' ? { policy_meta: { success: true, confidence: 0.99 } } : {};
    return encodePolicyWire({ actions: actionRows(chunk, 7, skill), ...claim });
  }
  if (mode.how === 'text') return 'Traceback: boom';
  if (mode.how === 'noactions') return encodePolicyWire({ x: 1 });
  if (mode.how === 'nan') return encodePolicyWire({ actions: actionRows(chunk, 7, Number.NaN) });
  return encodePolicyWire({ actions: actionRows(chunk, 8, 0) });
}

/** The skill travels in the first number of each row: that is how the simulator knows who acts. */
function actionRows(rows: number, width: number, first: number): NdArray {
  const values = Array.from({ length: rows * width }, (_, index) => (index % width === 0 ? first : 0));
  return NdArray.float32(values, [rows, width]);
}
