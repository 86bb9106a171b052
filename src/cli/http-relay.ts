import { createServer, request as plainRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../jsonrpc/errors.ts';
import { watchBody, watchStream } from '../transport/http/client/http-trace.ts';
import { redact } from '../transport/http/redact.ts';
import type { HttpTrace } from '../transport/port.ts';
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
 * Serves 127.0.0.1 and passes each request on to the origin of `target`, with the same path, and the answer back; bodies
 * unchanged, as they come. The server is asked not to compress, so that what passes can be read. Rejects with
 * `WrongUse` where the port is taken.
 */
export async function httpRelay({ target, port, headers, trace, onEnd }: HttpRelayOptions): Promise<HttpRelay> {
  let exchanges = 0;
  const server = createServer((from, to) => pass(from, to, ++exchanges));

  function pass(from: IncomingMessage, to: ServerResponse, exchange: number): void {
    const { method = 'GET', url = '/' } = from;
    const { pathname: path } = new URL(url, target);
    const asked: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(from.headers)) if (value !== undefined && !hopByHop.includes(name)) asked[name] = value;
    Object.assign(asked, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])), { 'accept-encoding': 'identity' });
    trace({ kind: 'http', direction: 'sent', exchange, method, path, headers: redact(Object.entries(asked)), at: Date.now() });
    const sends = target.protocol === 'https:' ? secureRequest : plainRequest;
    const out = sends(new URL(url, target), { method, headers: { ...asked, host: target.host } }, (answer) => {
      const status = answer.statusCode ?? 0;
      trace({ kind: 'http', direction: 'received', exchange, method, path, status, headers: redact(Object.entries(answer.headers)), at: Date.now() });
      const given = Object.entries(answer.headers).filter(([name, value]) => value !== undefined && !hopByHop.includes(name)) as [string, string | string[]][];
      to.writeHead(status, Object.fromEntries(given));
      // A stream says nothing for a while; its head must not wait for that.
      to.flushHeaders();
      const type = (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
      const watcher = type === 'text/event-stream' ? watchStream(trace, exchange) : type === 'application/json' ? watchBody(trace, exchange, 'received') : undefined;
      answer.on('data', (chunk: Buffer) => watcher?.push(chunk)).on('end', () => watcher?.end()).on('error', () => to.destroy());
      answer.on('close', () => onEnd(exchange, answer.complete ? 'end' : 'cut'));
      answer.pipe(to);
    });
    out.on('error', (error) => {
      if (to.destroyed || to.headersSent) return void to.destroy();
      trace({ kind: 'http', direction: 'received', exchange, method, path, status: 502, headers: {}, at: Date.now() });
      onEnd(exchange, 'end');
      to.writeHead(502, { 'content-type': 'text/plain' }).end(`barewire: ${target.host} was not reached: ${errorMessage(error)}\n`);
    });
    const watcher = watchBody(trace, exchange, 'sent');
    from.on('data', (chunk: Buffer) => watcher.push(chunk)).on('end', () => watcher.end());
    from.pipe(out);
    // A client that goes away ends its stream: the server has to hear of it.
    to.on('close', () => out.destroy());
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new WrongUse(error.message)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}${target.pathname}${target.search}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
