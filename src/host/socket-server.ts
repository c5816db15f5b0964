import { WebSocketServer } from 'ws';
import { tcpPort } from '../base/tcp-port.ts';

/**
 * Listens on 127.0.0.1 (port 0: any free one). `admit` may hold a new connection back until it calls `accept`.
 * Rejects when the port is taken.
 */
export async function listen(
  port: number,
  admit: (accept: (isWelcome: boolean) => void) => void = (accept) => accept(true),
): Promise<{ server: WebSocketServer; port: number }> {
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port,
    perMessageDeflate: false,
    maxPayload: 0,
    verifyClient: (_info: unknown, accept: (isWelcome: boolean) => void) => admit(accept),
  });
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  return { server, port: tcpPort(server.address()) };
}

/** Cuts every connection and frees the port. */
export function closeServer(server: WebSocketServer): Promise<void> {
  for (const client of server.clients) client.terminate();
  return new Promise((resolve) => server.close(() => resolve()));
}
