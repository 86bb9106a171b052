import { systemClock } from '../bounds/clock.ts';
import { createServer, request as plainRequest } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import { redact, redactPath, watchBody, watchStream } from '../transport/internal-exports.ts';
import { guarded } from '../transport/http/node/index.ts';
import type { HttpTrace } from '../transport/internal-exports.ts';
import { WrongUse } from './exit-codes.ts';

/** A proxy on this machine in front of an address. */
export interface HttpRelayOptions {
  readonly target: URL;
  /** 0: a free one. */
  readonly port: number;
  /** Added to each request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sees what passes, from the client's side: `sent` is what the client says. */
  readonly trace: HttpTrace;
  /** A response, or its stream, has ended; `cut`: it broke, or the client left. */
  readonly onEnd: (exchange: number, how: 'end' | 'cut') => void;
}

export interface HttpRelay {
  /** Where clients are to go instead. */
  readonly url: string;
  close(): Promise<void>;
}

/** Of one connection, and so not passed on. RFC 9110, 7.6.1. */
const hopByHop: readonly string[] = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade', 'host'];

/**
 * RFC 9112, 3.2.1: a path and a query, as they are sent. Whatever they hold, they name no host: the text is never read as
 * a URL, which would take `//host/…` and `http://host/…` for an address of their own.
 */
const originForm = /^\/[\x21-\x7e\x80-\xff]*$/;

/**
 * Serves 127.0.0.1 and passes each request on to the origin of `target`, with the same path and query, and the answer back;
 * bodies unchanged, as they come. The credentials in `headers` are added for whoever gets in, so pages of other sites do
 * not: the guard is that of `serveHttp`. The server is asked not to compress, so that what passes can be read. Rejects
 * with `WrongUse` where the port is taken.
 */
export async function httpRelay(options: HttpRelayOptions): Promise<HttpRelay> {
  const { target, port } = options;
  let exchanges = 0;
  const server = createServer(guarded(() => ({}), (from, to) => {
    const { url = '' } = from;
    if (originForm.test(url)) pass(options, from, to, url, ++exchanges);
    else refuse(to, 400, `the request target ${quote(url)} is refused: a path is expected`);
  }));

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new WrongUse(error.message)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}${target.pathname}${target.search}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Passes one request on, and its answer back. Never throws. */
function pass({ target, headers, trace, onEnd }: HttpRelayOptions, from: IncomingMessage, to: ServerResponse, url: string, exchange: number): void {
  const { method = 'GET' } = from;
  const path = redactPath(url.split(/[?#]/, 1)[0] ?? '');
  const asked = { ...passedOn(from.headers), ...lowerCase(headers), 'accept-encoding': 'identity', host: target.host };
  const { host: _host, ...shown } = asked;
  trace({ kind: 'http', direction: 'sent', exchange, method, path, headers: redact(Object.entries(shown)), at: systemClock.now() });
  const failed = (error: unknown): void => {
    if (to.destroyed || to.headersSent) return void to.destroy();
    trace({ kind: 'http', direction: 'received', exchange, method, path, status: 502, headers: {}, at: systemClock.now() });
    onEnd(exchange, 'end');
    refuse(to, 502, `${target.host} was not reached: ${errorMessage(error)}`);
  };
  const sends = target.protocol === 'https:' ? secureRequest : plainRequest;
  const answered = (answer: IncomingMessage): void => {
    const status = answer.statusCode ?? 0;
    trace({ kind: 'http', direction: 'received', exchange, method, path, status, headers: redact(Object.entries(answer.headers)), at: systemClock.now() });
    try {
      to.writeHead(status, passedOn(answer.headers));
    } catch (thrown) {
      // A malformed status, or a field that may not be sent.
      answer.destroy();
      onEnd(exchange, 'cut');
      return refuse(to, 502, `${target.host} answered what cannot be passed on: ${errorMessage(thrown)}`);
    }
    // A stream says nothing for a while; its head must not wait for that.
    to.flushHeaders();
    const type = (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
    const watcher = type === 'text/event-stream' ? watchStream(trace, exchange) : type === 'application/json' ? watchBody(trace, exchange, 'received') : undefined;
    answer.on('data', (chunk: Buffer) => watcher?.push(chunk)).on('end', () => watcher?.end()).on('error', () => to.destroy());
    answer.on('close', () => onEnd(exchange, answer.complete ? 'end' : 'cut'));
    answer.pipe(to);
  };
  let out: ClientRequest;
  try {
    // Host, port and user are the target's; `path` takes the place of the target's own.
    out = sends(target, { method, path: url, headers: asked }, answered);
  } catch (thrown) {
    // Of `target` and `headers` not everything may be sent.
    return failed(thrown);
  }
  out.on('error', failed);
  // An answer that changes the protocol brings no response: the connection is closed.
  out.on('close', () => to.headersSent || failed(new Error('it closed the connection without an answer')));
  const watcher = watchBody(trace, exchange, 'sent');
  from.on('data', (chunk: Buffer) => watcher.push(chunk)).on('end', () => watcher.end());
  from.pipe(out);
  // A client that goes away ends its stream: the server has to hear of it.
  to.on('close', () => out.destroy());
}

function refuse(to: ServerResponse, status: number, why: string): void {
  to.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(`barewire: ${why}\n`);
}

const lowerCase = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

/** Fields without those of one connection, which `Connection` may name as well. */
function passedOn(fields: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (fields.connection ?? '').toLowerCase().split(',').map((name) => name.trim());
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) =>
    value !== undefined && !hopByHop.includes(name) && !named.includes(name)));
}
