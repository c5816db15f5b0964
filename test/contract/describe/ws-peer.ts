import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface Peer {
  /** `host:port` */
  readonly address: string;
  readonly received: Buffer[];
  /** Codes with which clients closed, in order. */
  readonly closeCodes: number[];
  readonly stop: () => Promise<void>;
}

/** A WebSocket server on a free loopback port that records what it gets and behaves as told. */
export async function startPeer(behave: {
  onConnect?: (socket: WebSocket) => void;
  onMessage?: (socket: WebSocket, message: Buffer) => void;
}): Promise<Peer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  const received: Buffer[] = [];
  const closeCodes: number[] = [];
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('close', (code) => closeCodes.push(code));
    socket.on('message', (data: Buffer) => {
      received.push(data);
      behave.onMessage?.(socket, data);
    });
    behave.onConnect?.(socket);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  // A listening TCP server has an AddressInfo; only pipes have text addresses.
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    received,
    closeCodes,
    stop: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}
