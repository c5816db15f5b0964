/**
 * The port of a server that listens on TCP, from what its `address()` gives.
 * @throws TypeError when it listens on a pipe, or not yet.
 */
export function tcpPort(address: { readonly port: number } | string | null): number {
  if (address === null || typeof address === 'string')
    throw new TypeError('The server does not listen on TCP.');
  return address.port;
}
