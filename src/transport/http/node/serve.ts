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
import { listenerOf } from './listener.ts';

/** The options of `serveHttp`. */
export interface ServeHttpOptions extends HttpOptions {
  /** Default 0: one that is free. */
  port?: number | undefined;
  /**
   * The address to listen on. Default 127.0.0.1: only this machine. For another, set `allowedHosts` as well.
   */
  host?: string | undefined;
  /** What listens and speaks HTTP: `http1` of barewire/http1/node. Default: `node:http`. */
  engine?: HttpEngine | undefined;
}

/** A server that listens on a port of its own. */
export interface HttpServer {
  /** Where clients find it. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening and ends GET and `subscriptions/listen` streams, so that clients return elsewhere. Goes on
   * serving what comes over open connections, with `Connection: close`, until nothing is in flight, for at most
   * `drainMs` (default 5 seconds). Then it ends every session and connection. While a client is asked something whose
   * answer only this process can take (of a session, or with `requestState` and no `keys`), it waits for that too, and
   * goes on listening: new connections may bring answers, and get 503 for anything else.
   */
  close(options?: CloseOptions): Promise<void>;
  /** For `gauges`. */
  readonly endpoint: GaugedEndpoint;
}

/**
 * Milliseconds in which a connection that is idle at the close may still bring a request: one may be on its way
 * already, and closing at once would lose it.
 */
const lingerMs = 100;

/** Serves a server over HTTP, every revision at once. Rejects where the port cannot be had. */
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

  /** Takes no new connections; resolves when the last one has gone. */
  function stopListening(): Promise<unknown> {
    const listening: object = http;
    // Node's http.Server closes idle connections as well; its net.Server does not. Other runtimes may have no such.
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
    // Some clients connect in advance. Node does not count as idle what was never asked anything.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    // What was answered last may still be on its way, which Node takes for idle: it would be cut.
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
