import { createServer, type Server } from 'node:net';
import { tcpPort } from '../base/tcp-port.ts';

/** As many ports of the loopback device as are asked for, all free a moment ago and none twice. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = [];
  try {
    for (let at = 0; at < count; at += 1) servers.push(await listening());
    return servers.map((server) => tcpPort(server.address()));
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function listening(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => resolve(server));
  });
}
