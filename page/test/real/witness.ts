// A listener that records every request, to detect what leaves a sandbox.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Witness {
  readonly port: number;
  readonly asked: readonly string[];
}

export async function witness(t: { after(run: () => unknown): void }): Promise<Witness> {
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(`${headers.host} ${url}`);
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' }).end('<!doctype html><p>outside');
  });
  server.on('upgrade', ({ url = '' }, socket) => {
    asked.push(`upgrade ${url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  return { port: (server.address() as AddressInfo).port, asked };
}

/** A port that is probably free. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
