import { PyFloat } from '../pyyaml/values.ts';
import { epochNs } from './now.ts';
import { messageOf, pythonRepr, RuntimeFailure } from './python-error.ts';
import { type SocketCare, SocketInbox } from './socket-inbox.ts';
import { asMap, decodeWire, encodeWire, NdArray, type WireMap } from './wire.ts';

interface TargetClientOptions {
  readonly endpoint: string;
  readonly targetId: string;
  /** The real client waits 30 s for each answer, whatever the session says. */
  readonly timeoutMs: number;
  readonly care?: SocketCare;
}

const ANSWER_TYPES: Readonly<Record<string, string>> = { 'target.observe': 'target.observation' };
/** Python floats in answers; as JavaScript numbers 1.0 and 1 are the same. */
const FLOAT_KEYS = new Set(['reward', 'total_reward']);

/** The watchdog's side of TargetWS: one request in flight, one answer taken from the queue for each (runtime-protocol 5.1). */
export class TargetClient {
  readonly #options: TargetClientOptions;
  #seq = 0;
  #inbox: SocketInbox | null = null;

  constructor(options: TargetClientOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#inbox !== null;
  }

  async connect(): Promise<void> {
    const { endpoint, timeoutMs, care } = this.#options;
    try {
      this.#inbox ??= await SocketInbox.connect(endpoint.replace(/^targetws:/, 'ws:'), timeoutMs, care);
    } catch (error) {
      throw new RuntimeFailure(
        'TARGET_CONNECTION',
        `failed to connect target endpoint ${endpoint}: ${messageOf(error)}`,
      );
    }
  }

  async call(
    type: string,
    payload: WireMap,
    ids: { sessionId: string | null; skillId: string | null },
  ): Promise<WireMap> {
    await this.connect();
    this.#seq += 1;
    const request: WireMap = {
      version: 'phyagentos.runtime_rpc.v2',
      type,
      session_id: ids.sessionId,
      target_id: this.#options.targetId,
      skillruntime_id: ids.skillId,
      episode_id: null,
      seq: this.#seq,
      timestamp_ns: epochNs(),
      trace_id: null,
      payload: forWire(payload),
    };
    const answer = await this.#exchange(type, request);
    const body = asMap(answer['payload']) ?? {};
    if (answer['type'] === 'runtime.error') {
      const code = String(body['error_code'] ?? 'TARGET_RPC_ERROR');
      const message = String(body['message'] ?? 'target runtime returned an error');
      throw new RuntimeFailure('TARGET_PROTOCOL', `${code}: ${message}`);
    }
    refuseMismatch(type, request, answer);
    return asMap(withFloats(body)) ?? {};
  }

  close(): void {
    this.#inbox?.close();
    this.#inbox = null;
  }

  async #exchange(type: string, request: WireMap): Promise<WireMap> {
    try {
      // A second call may run while this one waits (cancel after a timeout), so the socket is looked up each time.
      const inbox = this.#inbox;
      if (inbox === null) throw new Error('Connection to remote host was lost.');
      inbox.send(encodeWire(request));
      const received = await inbox.receive(this.#options.timeoutMs);
      const answer = typeof received === 'string' ? null : asMap(decodeWire(received));
      if (answer === null || typeof answer['type'] !== 'string')
        throw new Error('the answer is not a runtime message');
      return { ...answer, seq: Number(answer['seq']) };
    } catch (error) {
      throw new RuntimeFailure('TARGET_PROTOCOL', `target RPC ${type} failed: ${messageOf(error)}`);
    }
  }
}

function refuseMismatch(type: string, request: WireMap, answer: WireMap): void {
  const expected: WireMap = { ...request, type: ANSWER_TYPES[type] ?? type };
  const wrong = ['type', 'seq', 'session_id', 'target_id', 'skillruntime_id']
    .filter((key) => (answer[key] ?? null) !== (expected[key] ?? null))
    .map((key) => `${key} ${pythonRepr(answer[key])} != ${pythonRepr(expected[key])}`);
  if (wrong.length > 0) {
    throw new RuntimeFailure(
      'TARGET_PROTOCOL',
      `target RPC ${type} returned mismatched response: ${wrong.join(', ')}`,
    );
  }
}

function forWire(value: unknown): unknown {
  if (value instanceof PyFloat) return value.value;
  if (value instanceof NdArray || value instanceof Uint8Array || typeof value !== 'object' || value === null)
    return value;
  if (Array.isArray(value)) return value.map(forWire);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, forWire(item)]));
}

function withFloats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFloats);
  const map = asMap(value);
  if (map === null) return value;
  return Object.fromEntries(
    Object.entries(map).map(([key, item]) => [
      key,
      FLOAT_KEYS.has(key) && typeof item === 'number' ? new PyFloat(item) : withFloats(item),
    ]),
  );
}
