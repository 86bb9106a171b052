import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { CloseOptions } from '../server/endpoint.ts';
import type { HttpOptions } from '../server/options.ts';
import type { ServerPort } from '../../port.ts';
import { httpListener } from './listener.ts';

export interface ServeHttpOptions extends HttpOptions {
  /** Default 0: one that is free. */
  port?: number | undefined;
  /**
   * The address to listen on. Default 127.0.0.1: this machine alone. For another, set `allowedHosts` as well.
   */
  host?: string | undefined;
}

export interface HttpServer {
  /** Where clients find it. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no new work, lets what is in flight finish within `drainMs` (default 5 seconds),
   * and closes the port.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** Serves a server over HTTP, every revision at once. Rejects where the port cannot be had. */
export function serveHttp(server: ServerPort, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const { host = '127.0.0.1', path = '/mcp' } = options;
  const listener = httpListener(server, options);
  const http = createServer(listener);
  const sockets = new Set<Socket>();
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port ?? 0, host, () => {
      http.off('error', reject);
      const { port } = http.address() as AddressInfo;
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`,
        port,
        async close(how) {
          const closed = new Promise((done) => http.close(done));
          await listener.close(how);
          // Some clients connect in advance. Node does not count as idle what was never asked anything.
          for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
          // What was answered last may still be on its way; a connection is idle once it has arrived.
          const idle = setInterval(() => http.closeIdleConnections(), 20);
          const late = setTimeout(() => http.closeAllConnections(), 1000);
          http.closeIdleConnections();
          await closed;
          clearInterval(idle);
          clearTimeout(late);
        },
      });
    });
  });
}
