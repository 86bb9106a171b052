import { pause } from '../../../bounds/clock.ts';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createSafeServer } from 'node:tls';
import type { TlsOptions } from 'node:tls';
import { checkOptions } from '../../../bounds/options.ts';
import type { Shape } from '../../../bounds/options.ts';
import type { HttpEngine, ListenOptions } from '../../http/node/engine.ts';
import type { HttpServer } from '../../http/node/serve.ts';
import type { CloseOptions, Endpoint } from '../../http/server/endpoint.ts';
import { Connections } from '../connections.ts';
import { defaultHttp1Limits } from '../limits.ts';
import type { Http1Limits } from '../limits.ts';
import type { Pipe } from '../pipe.ts';
import { nodeLatin1 } from './latin1.ts';

/** The certificate and key of a server, and further TLS options. */
export type ServerTls = Pick<TlsOptions, 'key' | 'cert' | 'ca' | 'passphrase' | 'pfx' | 'requestCert' | 'minVersion'>;

/** The options of `http1Engine`. */
export interface Http1EngineOptions {
  /** The limits of its connections. Limits that are left out have their defaults. */
  readonly limits?: Partial<Http1Limits> | undefined;
  /** Serves `https:`. Without it, connections are not encrypted. */
  readonly tls?: ServerTls | undefined;
}

const tlsShape: Shape<ServerTls> = {
  key: 'string or object or list', cert: 'string or object or list', ca: 'string or object or list', passphrase: 'string',
  pfx: 'string or object or list', requestCert: 'boolean', minVersion: '"TLSv1.2" or "TLSv1.3"',
};

/** Milliseconds after the start of `close` in which an idle connection may still bring a request: one may be on its way. */
const lingerMs = 100;

/** Makes an engine for `serveHttp(server, { engine })`. */
export function http1Engine(options: Http1EngineOptions = {}): HttpEngine {
  checkOptions('http1Engine: options', options, { limits: defaultHttp1Limits, tls: tlsShape });
  return (endpoint, at) => listen(endpoint, at, options);
}

/** Our own HTTP/1.1, with default limits: `serveHttp(server, { engine: http1 })`. */
export const http1: HttpEngine = (endpoint, at) => listen(endpoint, at, {});

function listen(endpoint: Endpoint, { port, host, path }: ListenOptions, { limits, tls }: Http1EngineOptions): Promise<HttpServer> {
  const connections = new Connections(endpoint, limits, {
    latin1: nodeLatin1,
    byteLength: Buffer.byteLength,
    later: (run) => void endpoint.clock.after(0, run),
  });
  const take = (socket: Socket): void => {
    // The connection is half-open until the last response was sent (RFC 9112, 9.6). Not earlier, during the TLS handshake:
    // Node would keep the connection of a client that has left.
    socket.allowHalfOpen = true;
    serve(connections, socket);
  };
  // RFC 7301: tells a client that also supports HTTP/2 to use HTTP/1.1.
  const { maxConnections, headMs } = connections.limits;
  const server: Server = tls ? createSafeServer({ noDelay: true, handshakeTimeout: headMs, ...tls, ALPNProtocols: ['http/1.1'] }, take) : createServer({ noDelay: true }, take);
  // This also counts connections whose handshake is not complete.
  server.maxConnections = maxConnections;
  // Node reports a handshake that fails or takes too long, but leaves the connection open.
  server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const found = (server.address() as AddressInfo).port;
      const name = host.includes(':') ? `[${host}]` : host;
      resolve({
        url: `http${tls ? 's' : ''}://${name}:${found}${path}`, port: found,
        endpoint,
        close: (given) => close(endpoint, connections, server, sockets, given),
      });
    });
  });
}

function serve(connections: Connections, socket: Socket): void {
  const connection = connections.add(new SocketPipe(socket));
  socket.on('error', () => socket.destroy());
  if (connection === undefined) return;
  socket.on('data', (chunk: Buffer) => connection.push(chunk));
  socket.on('end', () => connection.ended());
  socket.on('drain', () => connection.read());
  socket.on('close', () => connection.closed());
}

/** A socket as a pipe. A class, because every idle connection keeps one: six closures would take half a kilobyte. */
class SocketPipe implements Pipe {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  write(text: string, latin1: boolean): void {
    this.#socket.write(text, latin1 ? 'latin1' : 'utf8');
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }
}

/** `sockets`: of all connections, including those whose handshake is not complete. */
async function close(endpoint: Endpoint, connections: Connections, server: Server, sockets: ReadonlySet<Socket>, given: CloseOptions = {}): Promise<void> {
  checkOptions('close: options', given, { drainMs: 0 });
  const { drainMs = 5000 } = given;
  const stop = (): Promise<void> => new Promise((done) => void server.close(() => done()));
  connections.closing = true;
  let stopped = endpoint.drain() ? undefined : stop();
  const linger = Math.min(lingerMs, drainMs);
  if (connections.size > 0 && linger > 0) await pause(endpoint.clock, linger);
  await endpoint.close({ drainMs: drainMs - linger });
  stopped ??= stop();
  // Some clients connect in advance, and the last response may still be being sent.
  for (const connection of connections) {
    if (connection.unused) connection.destroy();
    else connection.finish();
  }
  const impatient = endpoint.clock.after(1000, () => {
    for (const socket of sockets) socket.destroy();
  });
  await stopped;
  impatient?.stop();
}
