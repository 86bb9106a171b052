import { every, pause } from '../../../bounds/clock.ts';
import type { GaugedEndpoint } from '../../../bounds/gauges.ts';
import { createServer } from 'node:http';
import { Server } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { checkOptions } from '../../../bounds/options.ts';
import { createEndpoint } from '../server/endpoint.ts';
import type { CloseOptions } from '../server/endpoint.ts';
import { checkHttpOptions, httpShape } from '../server/options.ts';
import type { HttpOptions } from '../server/options.ts';
import type { ServerPort } from '../../server-port.ts';
import type { HttpEngine } from './engine.ts';
import { listenerOf } from './request-listener.ts';

/** The options of `serveHttp`. */
export interface ServeHttpOptions extends HttpOptions {
  /** Default 0, for a free port. */
  port?: number | undefined;
  /** The address to listen on. Default 127.0.0.1: only this machine. If you change it, set `allowedHosts` as well. */
  host?: string | undefined;
  /** The HTTP implementation: `http1` from barewire/http1/node. Default: `node:http`. */
  engine?: HttpEngine | undefined;
}

/** A server that listens on its own port. */
export interface HttpServer {
  /** The URL of the endpoint. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening and ends GET and `subscriptions/listen` streams, so that clients reconnect elsewhere. Requests on
   * open connections are still served, with `Connection: close`, until none is in flight, for at most
   * `drainMs` (default 5 seconds). Then it ends every session and connection. If a client has an open question whose
   * answer only this process can take (in a session, or with `requestState` and no `keys`), it also waits for that, and
   * goes on listening: new connections may bring answers, and get 503 for everything else.
   */
  close(options?: CloseOptions): Promise<void>;
  /** For `gauges`. */
  readonly endpoint: GaugedEndpoint;
}

/**
 * Milliseconds after the start of `close` in which an idle connection may still bring a request: one may be on its way
 * already, and would be lost.
 */
const lingerMs = 100;

/** Serves a server over HTTP, in all its revisions. Rejects if it cannot listen on the port. */
export function serveHttp(server: ServerPort, options: ServeHttpOptions = {}): Promise<HttpServer> {
  checkHttpOptions('serveHttp: options', options, { ...httpShape, port: 'number', host: 'string', engine: 'function' });
  const { host = '127.0.0.1', path = '/mcp', port = 0, engine } = options;
  const endpoint = createEndpoint(server, options);
  if (engine) return engine(endpoint, { port, host, path });
  const late = new Set<Socket>();
  const http = createServer(listenerOf(endpoint, late));
  const sockets = new Set<Socket>();
  let closing = false;
  http.on('connection', (socket) => {
    sockets.add(socket);
    if (closing) late.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      late.delete(socket);
    });
  });

  /** Accepts no new connections; resolves when the last connection is closed. */
  function stopListening(): Promise<unknown> {
    const listening: object = http;
    // The `close` of Node's http.Server also closes idle connections; that of net.Server does not. Other runtimes may have no net.Server.
    return new Promise((done) =>
      (listening instanceof Server ? Server.prototype.close.call(listening, done) : http.close(done)));
  }

  async function close(given: CloseOptions = {}): Promise<void> {
    checkOptions('close: options', given, { drainMs: 0 });
    const { drainMs = 5000 } = given;
    closing = true;
    let stopped = endpoint.drain() ? undefined : stopListening();
    const linger = Math.min(lingerMs, drainMs);
    if (sockets.size > 0 && linger > 0) await pause(endpoint.clock, linger);
    await endpoint.close({ drainMs: drainMs - linger });
    stopped ??= stopListening();
    // Some clients connect in advance. Node does not count a connection without any request as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    // Node counts a connection as idle while its last response is still being written, and would cut that off.
    const closeIdle = (): void => {
      for (const { writableLength } of sockets) if (writableLength > 0) return;
      http.closeIdleConnections();
    };
    const idle = every(endpoint.clock, 20, closeIdle);
    const impatient = endpoint.clock.after(1000, () => http.closeAllConnections());
    closeIdle();
    await stopped;
    idle?.stop();
    impatient?.stop();
  }

  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      const { port: found } = http.address() as AddressInfo;
      resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${found}${path}`, port: found, close, endpoint });
    });
  });
}
