import type { IncomingMessage, ServerResponse } from 'node:http';
import { createEndpoint } from '../http-server/endpoint.ts';
import type { Endpoint } from '../http-server/endpoint.ts';
import type { Body, Exchange, HeaderFields } from '../http-server/exchange.ts';
import type { HttpOptions } from '../http-server/options.ts';
import type { ServerPort } from '../port.ts';

/** A request as frameworks hand it over: perhaps with its body parsed, and its path cut. */
export type NodeRequest = IncomingMessage & { body?: unknown; originalUrl?: string };

/**
 * Serves a server on `node:http`, or in whatever is built on it. A body that was parsed before is taken from
 * `req.body`, or from the third argument; a function there (Express passes one) is not looked at.
 */
export type HttpListener = (req: NodeRequest, res: ServerResponse, body?: unknown) => void;

/** Makes a listener. Its sessions live as long as it does; to close them, use `serveHttp`. */
export function httpListener(server: ServerPort, options: HttpOptions = {}): HttpListener {
  return listenerOf(createEndpoint(server, options));
}

export function listenerOf(endpoint: Endpoint): HttpListener {
  return (req, res, body) => endpoint.handle(new NodeExchange(req, res, typeof body === 'function' ? undefined : body));
}

const turn = Promise.resolve();
let written: NodeExchange[] = [];

// A tick that a microtask asks for runs once the other microtasks of the turn have run, and with them the handlers
// that were ready to go on.
const atItsEnd = (): void => process.nextTick(flushAll);

function flushAll(): void {
  const all = written;
  written = [];
  for (const exchange of all) exchange.flush();
}

class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  common: HeaderFields | undefined;
  readonly #req: NodeRequest;
  readonly #res: ServerResponse;
  readonly #body: unknown;
  #gone: (() => void) | undefined;
  /** The head of a stream that has not gone out yet. */
  #head: HeaderFields | undefined;
  #lasts: (() => void) | undefined;
  /** What was written in this turn. */
  #batch = '';
  #queued = false;
  #over = false;

  constructor(req: NodeRequest, res: ServerResponse, body: unknown) {
    const url = req.originalUrl ?? req.url ?? '';
    const mark = url.indexOf('?');
    this.method = req.method ?? '';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.#req = req;
    this.#res = res;
    // A framework that has not parsed it may still have left an empty object there.
    this.#body = body ?? (req.readableEnded ? req.body : undefined);
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  read(maxBytes: number, done: (body: Body) => void): void {
    const req = this.#req;
    const given = this.#body;
    if (given !== undefined) {
      return done(typeof given === 'string' || given instanceof Uint8Array ? given : { value: given });
    }
    if (req.readableEnded) return done({ fault: 'unreadable' });
    if (Number(req.headers['content-length']) > maxBytes) return done({ fault: 'too large' });
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        if (size - chunk.length <= maxBytes) done({ fault: 'too large' });
        return;
      }
      if (first === undefined) first = chunk;
      else (more ??= [first]).push(chunk);
    });
    req.on('end', () => {
      if (size <= maxBytes) done(more ? Buffer.concat(more, size) : first ?? '');
    });
  }

  respond(status: number, body: string, fields?: HeaderFields): void {
    const res = this.#res;
    if (res.headersSent) return;
    const length = Buffer.byteLength(body);
    const all: HeaderFields = body === '' ? { 'content-length': length }
      : { 'content-type': 'application/json', 'content-length': length };
    // RFC 9110, 8.6: a 204 has no length.
    if (status === 204) delete all['content-length'];
    if (this.common) Object.assign(all, this.common);
    if (fields) Object.assign(all, fields);
    res.writeHead(status, all);
    res.end(body);
  }

  open(fields: HeaderFields, lasts: () => void): void {
    this.#head = this.common ? { ...this.common, ...fields } : fields;
    this.#lasts = lasts;
    this.write('');
  }

  write(text: string): void {
    this.#batch += text;
    if (this.#queued) return;
    this.#queued = true;
    written.push(this);
    if (written.length === 1) void turn.then(atItsEnd);
  }

  /** Sends what this turn wrote, in one piece. */
  flush(): void {
    this.#queued = false;
    if (this.#over) return;
    const res = this.#res;
    const text = this.#batch;
    this.#batch = '';
    if (this.#head) res.writeHead(200, this.#head);
    if (text === '') res.flushHeaders();
    else res.write(text);
    if (this.#head === undefined) return;
    this.#head = undefined;
    this.#lasts?.();
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    // A stream that ends in the turn that began it is an answer whose length is known.
    if (this.#head) this.#res.writeHead(200, { ...this.#head, 'content-length': Buffer.byteLength(this.#batch) });
    this.#res.end(this.#batch);
  }

  destroy(): void {
    this.#over = true;
    this.#res.destroy();
  }

  get buffered(): number {
    return this.#res.writableLength + this.#batch.length;
  }

  onGone(listener: () => void): void {
    const res = this.#res;
    if (this.#gone === undefined) {
      res.on('close', () => {
        if (!res.writableFinished) this.#gone?.();
      });
    }
    this.#gone = listener;
    if (res.destroyed) listener();
  }
}
