import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { asMap, decodeWire } from '../../../../src/host/wire.ts';

/**
 * A server that greets and answers as it is told; null closes the connection. Gives `ws://127.0.0.1:<port>` and adds the
 * server to the list, for whoever ends it.
 */
export async function listenOn(
  servers: WebSocketServer[],
  greeting: Uint8Array | null,
  answer: (request: Record<string, unknown>) => Uint8Array | string | null,
): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  servers.push(server);
  server.on('connection', (socket) => {
    if (greeting !== null) socket.send(greeting);
    socket.on('message', (data: Buffer) => {
      const said = answer(asMap(decodeWire(data)) ?? {});
      if (said === null) socket.close();
      else socket.send(said);
    });
  });
  await once(server, 'listening');
  // A listening TCP server has an AddressInfo.
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
