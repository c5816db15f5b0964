import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { EXIT, RbError } from '../errors/rb-error.ts';
import type { PolicyRecording, Side } from '../outcome/policy-recording.ts';
import type { Arrival, WireRecord } from './wire-record.ts';

/** Largest message that is passed on: camera images of an episode's step are below 10 MB. */
export const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** A slow reader is not sent more than this ahead; its sender is paused meanwhile. */
const MAX_AHEAD_BYTES = 8 * 1024 * 1024;
const LOOPBACK = '127.0.0.1';
const TOO_BIG = 1009;
const NO_CODE = 1005;
const NO_CLOSE = 1006;

export interface RelayRequest {
  /** Address of the real policy, `ws://host:port`. */
  readonly upstream: string;
  readonly record: WireRecord;
  /** Called after each answer and each end of a connection, when there is something new to keep. */
  readonly onNews: () => void;
  /** Largest message that is passed on; left out: `MAX_MESSAGE_BYTES`. */
  readonly maxBytes?: number;
}

/** A listening address that passes everything on to one policy and records it. */
export interface Relay {
  /** For a session's routing. */
  readonly endpoint: string;
  readonly recording: () => PolicyRecording;
  /** Cuts what is still connected and stops listening. */
  stop(): Promise<void>;
}

/** What both ends of a connection have: compression off and pings passed on, so that nothing is changed on its way. */
const PLAIN = {
  perMessageDeflate: false,
  autoPong: false,
  skipUTF8Validation: true,
} as const;

/**
 * Listens on a free port of the loopback device alone. The runtime connects to host and port and nothing else, so the
 * port is what tells one session from another.
 * @throws RbError RB356 (exit 3) when no port is to be had.
 */
export async function startRelay(request: RelayRequest): Promise<Relay> {
  const maxPayload = request.maxBytes ?? MAX_MESSAGE_BYTES;
  const sockets = new WebSocketServer({ ...PLAIN, maxPayload, noServer: true, clientTracking: false });
  const open = new Set<Conversation>();
  const server = createServer((_, response) => {
    response.writeHead(426, { connection: 'close' }).end();
  });
  server.on('upgrade', (message, socket, head) => {
    const conversation = new Conversation(request, sockets, () => open.delete(conversation));
    open.add(conversation);
    conversation.begin(message, socket, head);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(noPort(error)));
    server.listen({ host: LOOPBACK, port: 0 }, resolve);
  });
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `openpi://${LOOPBACK}:${port}`,
    recording: () => request.record.recording(),
    stop: () =>
      new Promise((resolve) => {
        for (const conversation of open) conversation.cut();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One connection of the runtime and the one to the policy that belongs to it. */
class Conversation {
  readonly #request: RelayRequest;
  readonly #sockets: WebSocketServer;
  readonly #onEnd: () => void;
  #upstream: WebSocket | null = null;
  #runtime: WebSocket | null = null;
  #raw: Duplex | null = null;
  #ended = false;

  constructor(request: RelayRequest, sockets: WebSocketServer, onEnd: () => void) {
    this.#request = request;
    this.#sockets = sockets;
    this.#onEnd = onEnd;
  }

  /** The runtime's handshake is answered only once the policy has answered ours: it fails where the policy fails. */
  begin(message: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { record, upstream: address } = this.#request;
    const upstream = new WebSocket(address, {
      ...PLAIN,
      maxPayload: this.#request.maxBytes ?? MAX_MESSAGE_BYTES,
      followRedirects: false,
      // Masks are for browsers behind proxies; going over every byte of an image twice would only cost time.
      generateMask: (mask) => mask.fill(0),
      headers: credentialsOf(message),
    });
    this.#raw = socket;
    this.#upstream = upstream;
    const giveUp = (): void => {
      if (this.#runtime !== null) return;
      if (!this.#ended) record.fault('runtime', 'it left before the policy answered');
      this.#end();
      upstream.terminate();
      socket.destroy();
    };
    // Only a socket that is read notices its end; what comes before the handshake's answer is kept for later.
    const early: Buffer[] = [head];
    const keep = (chunk: Buffer): number => early.push(chunk);
    socket.on('data', keep).on('error', giveUp).once('end', giveUp).once('close', giveUp);
    upstream.on('error', (error) => {
      if (this.#ended) return;
      // After the handshake an error comes with a close, which says who ended it.
      if (this.#runtime !== null) return this.#broke('policy', error);
      record.fault('policy', reasonOf(error));
      refuse(socket, error);
      this.#end();
    });
    upstream.once('open', () => {
      socket.pause().off('data', keep).off('error', giveUp).off('end', giveUp).off('close', giveUp);
      const begun = Buffer.concat(early);
      this.#sockets.handleUpgrade(message, socket, begun, (runtime) => this.#join(runtime, upstream));
      socket.resume();
      // Not taken over: it was no proper handshake, and has been answered.
      if (this.#runtime === null) giveUp();
    });
  }

  cut(): void {
    this.#end();
    this.#runtime?.terminate();
    this.#upstream?.terminate();
    this.#raw?.destroy();
  }

  #join(runtime: WebSocket, upstream: WebSocket): void {
    const { record, onNews } = this.#request;
    this.#runtime = runtime;
    const connection = record.connected();
    pass(runtime, upstream, (message, { nowMs }) => record.request(connection, message, nowMs));
    pass(upstream, runtime, (message, arrival) => {
      record.answer(connection, message, arrival);
      onNews();
    });
    runtime.on('error', (error) => this.#broke('runtime', error));
    const over = (by: Side, other: WebSocket) => (code: number, reason: Buffer) => {
      if (this.#ended) return;
      record.closed(by, code);
      this.#end();
      endLike(other, code, reason);
      onNews();
    };
    runtime.on('close', over('runtime', upstream));
    upstream.on('close', over('policy', runtime));
  }

  /** An error of the protocol, such as a message above the limit; the close that follows ends the connection. */
  #broke(at: Side, error: Error): void {
    this.#request.record.fault(at, reasonOf(error));
    if (!isTooBig(error)) return;
    const other = at === 'runtime' ? this.#upstream : this.#runtime;
    other?.close(TOO_BIG, 'message too big');
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
  }
}

/** Passes messages, pings and pongs on as they are. The message is noted once it is on its way. */
function pass(from: WebSocket, to: WebSocket, note: (message: Uint8Array, arrival: Arrival) => void): void {
  from.on('message', (data, isBinary) => {
    const arrival = { isText: !isBinary, nowMs: performance.now() };
    const message = bytesOf(data);
    if (to.readyState === WebSocket.OPEN) {
      to.send(message, { binary: isBinary }, () => {
        if (from.isPaused && to.bufferedAmount <= MAX_AHEAD_BYTES) from.resume();
      });
      if (to.bufferedAmount > MAX_AHEAD_BYTES) from.pause();
    }
    note(message, arrival);
  });
  from.on('ping', (data) => to.readyState === WebSocket.OPEN && to.ping(data));
  from.on('pong', (data) => to.readyState === WebSocket.OPEN && to.pong(data));
}

/** Ends the other side the way the first one ended. */
function endLike(other: WebSocket, code: number, reason: Buffer): void {
  // A paused socket would not see the answer to our close.
  other.resume();
  if (code === NO_CLOSE) other.terminate();
  else if (code === NO_CODE) other.close();
  else other.close(code, reason);
}

function bytesOf(data: WebSocket.RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

function credentialsOf({ headers: { authorization } }: IncomingMessage): Record<string, string> {
  return authorization === undefined ? {} : { authorization };
}

/** The policy's refusal, in place of the handshake that the runtime waits for. */
function refuse(socket: Duplex, error: Error): void {
  const status = /^Unexpected server response: (\d{3})$/.exec(error.message)?.[1] ?? '502';
  const text = STATUS_CODES[status] ?? 'Refused';
  const body = `the policy behind the recorder: ${reasonOf(error)}`;
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Without addresses: a code, or what the WebSocket library says. */
function reasonOf(error: Error): string {
  if (isTooBig(error)) return 'a message above the limit';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return code === null || code.startsWith('WS_') || code.startsWith('HPE_') ? error.message : code;
}

function isTooBig(error: Error): boolean {
  return 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
}

function noPort(error: Error): RbError {
  return new RbError(
    EXIT.refused,
    [
      {
        code: 'RB356',
        where: 'input record-policy',
        message: `no port of the loopback device is to be had for recording: ${reasonOf(error)}.`,
        fix: 'Raise the limits of the runner process (open files, ports), or measure without record-policy.',
        severity: 'fatal',
      },
    ],
    { cause: error },
  );
}
