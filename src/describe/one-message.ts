import type { WebSocket } from 'ws';
import { errorCode } from '../base/error-code.ts';

/**
 * Why no message came; the caller says it in the words of its own protocol. `connect timeout`: nobody accepted the
 * connection. `answer timeout`: somebody did and then kept silent, the WebSocket handshake included: a server that is busy
 * with something else looks like that.
 */
export type MessageFaultKind =
  | 'unreachable'
  | 'connect timeout'
  | 'answer timeout'
  | 'closed'
  | 'not a websocket'
  | 'text'
  | 'too large';

export class MessageFault extends Error {
  readonly kind: MessageFaultKind;

  constructor(kind: MessageFaultKind, detail: string, options?: { cause?: unknown }) {
    super(detail, options);
    this.name = 'MessageFault';
    this.kind = kind;
  }
}

interface OneMessageRequest {
  /** `ws://host:port…` */
  readonly url: string;
  /** Sent once connected; null: the peer speaks first. */
  readonly send: Uint8Array | null;
  /** Until the peer's system accepts the connection. */
  readonly connectTimeoutMs: number;
  /** From then on to the message. */
  readonly answerTimeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** A peer that speaks first does so as soon as it has shaken hands; what is silent then is something else. */
const SPEAKS_FIRST_MS = 10_000;

/** How long a peer may take to answer our close before the socket is dropped. */
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Connects, sends at most one binary message, reads one, closes with code 1000.
 * @throws MessageFault when the peer does not deliver, or the signal's reason when it aborts.
 */
export async function oneMessage(request: OneMessageRequest): Promise<Uint8Array> {
  request.signal?.throwIfAborted();
  let accept = (): void => undefined;
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  // Loaded here, with Node's HTTP and TLS: most calls of the program have nobody to ask.
  const { WebSocket: Socket } = await import('ws');
  request.signal?.throwIfAborted();
  const socket = openSocket(Socket, request, () => accept());
  try {
    return await conversation(socket, request, accepted);
  } finally {
    await closed(socket);
  }
}

/** @param onAccepted called when the peer's system took the connection, whether or not the peer looks at it. */
function openSocket(
  Socket: typeof WebSocket,
  { url, maxBytes }: OneMessageRequest,
  onAccepted: () => void,
): WebSocket {
  return new Socket(url, {
    finishRequest: (outgoing) => {
      outgoing.once('socket', (tcp) => {
        if (tcp.connecting) tcp.once('connect', onAccepted);
        else onAccepted();
      });
      outgoing.end();
    },
    maxPayload: maxBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
}

function conversation(
  socket: WebSocket,
  request: OneMessageRequest,
  accepted: Promise<void>,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const { signal, connectTimeoutMs, answerTimeoutMs } = request;
    let settled = false;
    const onAbort = (): void => settle(() => reject(signal?.reason));
    const settle = (finish: () => void): void => {
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      finish();
    };
    const late = (kind: MessageFaultKind, detail: string, ms: number): NodeJS.Timeout =>
      setTimeout(() => settle(() => reject(new MessageFault(kind, `${detail} within ${ms / 1000} s`))), ms);
    let timer = late('connect timeout', 'no connection', connectTimeoutMs);
    const expectMessage = (ms: number): void => {
      clearTimeout(timer);
      if (!settled) timer = late('answer timeout', 'connected, but no message', ms);
    };
    void accepted.then(() => expectMessage(answerTimeoutMs));
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.on('open', () => {
      if (request.send !== null) socket.send(request.send);
      else expectMessage(Math.min(answerTimeoutMs, SPEAKS_FIRST_MS));
    });
    socket.on('message', (data, isBinary) => {
      if (!isBinary)
        settle(() => reject(new MessageFault('text', 'a text message in place of a binary one')));
      else settle(() => resolve(bytesOf(data)));
    });
    socket.on('error', (error) => settle(() => reject(faultOf(error, request))));
    socket.on('close', (code) => {
      settle(() => reject(new MessageFault('closed', `the connection was closed with code ${code}`)));
    });
  });
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

function faultOf(error: Error, request: OneMessageRequest): MessageFault {
  const code = errorCode(error) ?? '';
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
    return new MessageFault('too large', `a message above ${request.maxBytes} bytes`, { cause: error });
  }
  if (code.startsWith('WS_ERR_') || error.message.startsWith('Unexpected server response')) {
    return new MessageFault('not a websocket', error.message, { cause: error });
  }
  if (code.startsWith('HPE_')) return new MessageFault('not a websocket', 'no HTTP answer', { cause: error });
  return new MessageFault('unreachable', code === '' ? error.message : code, { cause: error });
}

/** Resolves when the socket is gone, so that no call leaves one behind. */
function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) {
      resolve();
      return;
    }
    const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // Closing a socket that is still connecting reports that as an error, which nobody needs to hear.
    socket.on('error', () => undefined);
    if (socket.readyState === socket.CONNECTING) socket.terminate();
    else socket.close(1000);
  });
}
