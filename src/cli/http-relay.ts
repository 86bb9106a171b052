import { systemClock } from '../bounds/clock.ts';
import { createServer, request as plainRequest } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import { mediaType, redact, redactPath, watchBody, watchStream } from '../transport/internal-exports.ts';
import { guarded } from '../transport/http/node/index.ts';
import type { HttpTrace } from '../transport/internal-exports.ts';
import { WrongUse } from './exit-codes.ts';

/** A proxy on this machine in front of an address. */
export interface HttpRelayOptions {
  readonly target: URL;
  /** 0 for a free port. */
  readonly port: number;
  /** Added to each request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Receives the traffic from the client's side: `sent` is from the client. */
  readonly trace: HttpTrace;
  /** Called when a response or its stream ends; `cut`: it broke off, or the client left. */
  readonly onEnd: (exchange: number, how: 'end' | 'cut') => void;
}

export interface HttpRelay {
  /** The address for clients. */
  readonly url: string;
  close(): Promise<void>;
}

/** Fields that concern one connection and are not forwarded. RFC 9110, 7.6.1. */
const hopByHop: readonly string[] = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade', 'host'];

/**
 * RFC 9112, 3.2.1: path and query, forwarded unchanged. The text is never parsed as a URL, since `//host/…` and
 * `http://host/…` would then name another host.
 */
const originForm = /^\/[\x21-\x7e\x80-\xff]*$/;

/**
 * Serves 127.0.0.1, and forwards each request to the origin of `target`, with the same path and query. Bodies are
 * streamed unchanged. Since `headers` may hold credentials, the guard of `serveHttp` refuses pages of other sites. The
 * server is asked not to compress, so that the traffic is readable. Rejects with `WrongUse` if the port is in use.
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

/** Forwards one request and its response. Never throws. */
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
      // A malformed status or an invalid field.
      answer.destroy();
      onEnd(exchange, 'cut');
      return refuse(to, 502, `${target.host} answered with a malformed response: ${errorMessage(thrown)}`);
    }
    // Send the head now: a stream may be silent for a while.
    to.flushHeaders();
    const type = mediaType(answer.headers['content-type']);
    const watcher = type === 'text/event-stream' ? watchStream(trace, exchange) : type === 'application/json' ? watchBody(trace, exchange, 'received') : undefined;
    answer.on('data', (chunk: Buffer) => watcher?.push(chunk)).on('end', () => watcher?.end()).on('error', () => to.destroy());
    answer.on('close', () => onEnd(exchange, answer.complete ? 'end' : 'cut'));
    answer.pipe(to);
  };
  let out: ClientRequest;
  try {
    // Host, port and user are from `target`; `path` replaces its path.
    out = sends(target, { method, path: url, headers: asked }, answered);
  } catch (thrown) {
    // `target` or `headers` hold something that cannot be sent.
    return failed(thrown);
  }
  out.on('error', failed);
  // An upgrade brings no response event: the connection just closes.
  out.on('close', () => to.headersSent || failed(new Error('it closed the connection without an answer')));
  const watcher = watchBody(trace, exchange, 'sent');
  from.on('data', (chunk: Buffer) => watcher.push(chunk)).on('end', () => watcher.end());
  from.pipe(out);
  // If the client closes its stream, the server has to notice.
  to.on('close', () => out.destroy());
}

function refuse(to: ServerResponse, status: number, why: string): void {
  to.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(`barewire: ${why}\n`);
}

const lowerCase = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

/** The fields without those of one connection, including the ones that `Connection` names. */
function passedOn(fields: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (fields.connection ?? '').toLowerCase().split(',').map((name) => name.trim());
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) =>
    value !== undefined && !hopByHop.includes(name) && !named.includes(name)));
}
