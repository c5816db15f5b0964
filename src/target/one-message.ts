import { WebSocket } from 'ws';

/** Why no message came; the caller says it in the words of its own protocol. */
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

export interface OneMessageRequest {
  /** `ws://host:port…` */
  readonly url: string;
  /** Sent once connected; null: the peer speaks first. */
  readonly send: Uint8Array | null;
  readonly connectTimeoutMs: number;
  /** From connected to the message. */
  readonly answerTimeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** How long a peer may take to answer our close before the socket is dropped. */
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Connects, sends at most one binary message, reads one, closes with code 1000.
 * @throws MessageFault when the peer does not deliver, or the signal's reason when it aborts.
 */
export async function oneMessage(request: OneMessageRequest): Promise<Uint8Array> {
  request.signal?.throwIfAborted();
  const socket = new WebSocket(request.url, {
    handshakeTimeout: request.connectTimeoutMs,
    maxPayload: request.maxBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
  try {
    return await conversation(socket, request);
  } finally {
    await closed(socket);
  }
}

function conversation(socket: WebSocket, request: OneMessageRequest): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const { signal } = request;
    const onAbort = (): void => settle(() => reject(signal?.reason));
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      finish();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.on('open', () => {
      const seconds = request.answerTimeoutMs / 1000;
      const late = new MessageFault('answer timeout', `no message within ${seconds} s`);
      timer = setTimeout(() => settle(() => reject(late)), request.answerTimeoutMs);
      if (request.send !== null) socket.send(request.send);
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
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
    return new MessageFault('too large', `a message above ${request.maxBytes} bytes`, { cause: error });
  }
  if (error.message === 'Opening handshake has timed out') {
    const seconds = request.connectTimeoutMs / 1000;
    return new MessageFault('connect timeout', `no connection within ${seconds} s`, { cause: error });
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
    if (socket.readyState === WebSocket.CLOSED) {
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
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
    else socket.close(1000);
  });
}
