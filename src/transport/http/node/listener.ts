import { systemClock } from '../../../bounds/clock.ts';
import type { GaugedEndpoint } from '../../../bounds/gauges.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BodyReader } from '../server/body-reader.ts';
import { createEndpoint } from '../server/endpoint.ts';
import type { CloseOptions, Endpoint } from '../server/endpoint.ts';
import type { Body, HeaderFields, HttpRequest, McpFields } from '../server/http-request.ts';
import { checkHttpOptions, httpShape } from '../server/options.ts';
import type { HttpOptions } from '../server/options.ts';
import type { Unread } from '../server/unread.ts';
import type { ServerPort } from '../../server-port.ts';

/** A request as frameworks hand it over: perhaps with its body parsed, and its path cut. */
export type NodeRequest = IncomingMessage & { body?: unknown; originalUrl?: string };

/**
 * Serves a server on `node:http`, or in whatever is built on it. A body that was parsed before is taken from
 * `req.body`, or from the third argument; a function there (Express passes one) is not looked at.
 */
export interface HttpListener {
  (req: NodeRequest, res: ServerResponse, body?: unknown): void;
  /**
   * Ends GET and `subscriptions/listen` streams and serves requests until none is in flight, for at most
   * `drainMs` (default 5 seconds); then it ends every session and answers 503. The port is its owner's to close.
   */
  close(options?: CloseOptions): Promise<void>;
  /** For `gauges`. */
  readonly endpoint: GaugedEndpoint;
}

/** Makes a listener for `http.createServer`, Express and their like. */
export function httpListener(server: ServerPort, options: HttpOptions = {}): HttpListener {
  checkHttpOptions('httpListener: options', options, httpShape);
  return listenerOf(createEndpoint(server, options));
}

/** The listener of an endpoint. `late`: connections that were made after the server began to close. */
export function listenerOf(endpoint: Endpoint, late?: ReadonlySet<Socket>): HttpListener {
  const listener = (req: NodeRequest, res: ServerResponse, body?: unknown): void => {
    // Node's parser does not wait for the response before: this one has no connection then.
    if (res.socket === null) awaitConnection(req, res, () => listener(req, res, body));
    else endpoint.handle(new NodeHttpRequest(req, res, typeof body === 'function' ? undefined : body, late));
  };
  return Object.assign(listener, { close: endpoint.close, endpoint });
}

/** Requests that were sent before the response to the one before them was complete, by connection. */
const ahead = new WeakMap<Socket, number>();

/** With more of them a connection is cut. */
const mostAhead = 100;

/**
 * Serves a request when the responses before its own are complete. Side by side, their responses would be held until their turn,
 * out of reach of what cuts off a reader that is too slow, and nobody would tell them that the client has left.
 */
function awaitConnection({ socket }: NodeRequest, res: ServerResponse, serve: () => void): void {
  const count = (ahead.get(socket) ?? 0) + 1;
  if (count > mostAhead) return void socket.destroy();
  ahead.set(socket, count);
  res.once('socket', () => {
    ahead.set(socket, (ahead.get(socket) ?? 0) - 1);
    serve();
  });
}

/** Bytes of a response that wait for its reader; less than this is not counted. */
const worthWatching = 16_384;

/** Characters of a body that is encoded once, for its length and for the socket. Node would go through a text for each. */
const longBody = 16_384;

/** Responses that may write at the end of this turn of the event loop. */
let due: NodeHttpRequest[] | undefined;

/** The connection that brought the last request. */
let latest: Socket | undefined;

// All answers of a turn go out after everything was read. Writing each at once wakes its reader while others are still
// being read, and costs both sides more (bench/NOTES.md).
function flushLater(request: NodeHttpRequest): void {
  if (due === undefined) {
    due = [];
    process.nextTick(awaitTurn);
  }
  due.push(request);
}

/** A stream that ended where it began may be written already: then nothing waits, and no turn is needed. */
function awaitTurn(): void {
  if (due?.some((request) => request.waits)) systemClock.after(0, flushDue);
  else due = undefined;
}

function flushDue(): void {
  const now = due ?? [];
  due = undefined;
  for (const request of now) request.flush();
}

const text = (value: string | string[] | undefined): string | undefined => typeof value === 'string' ? value : undefined;

/** Node joins a header that comes twice, or takes the first. */
const fieldsOf = (headers: NodeRequest['headers']): McpFields => ({
  host: headers.host, origin: headers.origin, accept: headers.accept, contentType: headers['content-type'],
  site: text(headers['sec-fetch-site']), version: text(headers['mcp-protocol-version']), session: text(headers['mcp-session-id']),
  method: text(headers['mcp-method']), name: text(headers['mcp-name']),
});

class NodeHttpRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mcp: McpFields;
  exchange: number | undefined;
  onHead: HttpRequest['onHead'];
  unread: Unread | undefined;
  common: HeaderFields | undefined;
  readonly #req: NodeRequest;
  readonly #res: ServerResponse;
  readonly #body: unknown;
  readonly #late: ReadonlySet<Socket> | undefined;
  /** Whether the connection that asks is the one that asked last: it may be the only one, and nothing is to be gathered. */
  readonly #alone: boolean;
  #gone: (() => void) | undefined;
  /** The head of a stream, until it goes out, and what is to be done then. */
  #head: HeaderFields | undefined;
  #lasts: (() => void) | undefined;
  /** What this turn has written; undefined: nothing. */
  #batch: string | Buffer | undefined;
  #ended = false;
  /** Whether the head says how long the text is that follows. */
  #whole = false;
  #watched = false;

  constructor(req: NodeRequest, res: ServerResponse, body: unknown, late: ReadonlySet<Socket> | undefined) {
    const url = req.originalUrl ?? req.url ?? '';
    const mark = url.indexOf('?');
    this.method = req.method ?? '';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.mcp = fieldsOf(req.headers);
    this.#req = req;
    this.#res = res;
    this.#late = late;
    this.#alone = req.socket === latest;
    latest = req.socket;
    // A framework that has not parsed it may still have left an empty object there.
    this.#body = body ?? (req.readableEnded ? req.body : undefined);
  }

  get late(): boolean {
    return this.#late?.has(this.#req.socket) === true;
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  headers(): Iterable<readonly [name: string, value: unknown]> {
    return Object.entries(this.#req.headers);
  }

  read(maxBytes: number, done: (body: Body) => void): undefined {
    const req = this.#req;
    const given = this.#body;
    if (given !== undefined) {
      return void done(typeof given === 'string' || given instanceof Uint8Array ? given : { value: given });
    }
    if (req.readableEnded) return void done({ fault: 'unreadable' });
    const length = Number(req.headers['content-length']);
    if (length > maxBytes) return void done({ fault: 'too large' });
    let reader: BodyReader | undefined;
    let body: Body | undefined;
    req.on('data', (chunk: Buffer) => {
      // Nearly every body comes in one chunk.
      if (chunk.length === length) body = chunk;
      if (body !== undefined) return;
      if (reader === undefined) {
        const gathered = reader = new BodyReader(maxBytes);
        // The client may leave before the end.
        req.on('close', () => gathered.clear());
      }
      body = reader.push(chunk);
      if (body !== undefined) done(body);
    });
    req.on('end', () => {
      if (body instanceof Uint8Array) done(body);
      else if (body === undefined) done(reader?.take() ?? '');
    });
  }

  respond(status: number, body: string, fields?: HeaderFields): void {
    if (this.#res.headersSent) return;
    const all = this.#begin(status, body, fields);
    this.onHead?.(status, all);
  }

  /** Writes the head; the body goes out at the end of this turn. Returns the head's fields. */
  #begin(status: number, body: string, fields: HeaderFields | undefined): HeaderFields {
    const all: HeaderFields = body === '' ? {} : { 'content-type': 'application/json' };
    // RFC 9110, 8.6: a 204 has no length.
    const written = body.length < longBody ? body : Buffer.from(body);
    if (status !== 204) all['content-length'] = Buffer.byteLength(written);
    this.#res.writeHead(status, Object.assign(all, this.common, fields));
    this.#batch = written;
    this.#ended = this.#whole = true;
    if (this.#alone) this.flush();
    else flushLater(this);
    return all;
  }

  open(fields: HeaderFields, lasts: () => void): void {
    this.onHead?.(200, { ...fields, ...this.common });
    this.#head = fields;
    this.#lasts = lasts;
    this.write('');
  }

  write(text: string): void {
    if (this.#batch === undefined) flushLater(this);
    this.#batch = `${this.#batch ?? ''}${text}`;
  }

  end(last: boolean): void {
    const head = this.#head;
    const { socket } = this.#res;
    if (last && head === undefined) this.#res.once('finish', () => socket?.destroySoon());
    this.#ended = true;
    if (head === undefined) return this.write('');
    // A stream that ends in the turn that began it is an answer whose length is known.
    this.#head = undefined;
    if (!this.#res.headersSent) this.#begin(200, `${this.#batch ?? ''}`, head);
  }

  /** Whether there is something to write. */
  get waits(): boolean {
    return this.#batch !== undefined;
  }

  flush(): void {
    const res = this.#res;
    const text = this.#batch;
    if (text === undefined) return;
    this.#batch = undefined;
    if (this.#ended) {
      if (this.#whole && text.length > 0) {
        // `end(text)` would make two texts of it, the second one empty, and a list of both (bench/NOTES.md).
        res.cork();
        res.write(text);
        res.uncork();
        res.end();
      } else res.end(text);
      return this.#watch();
    }
    const head = this.#head;
    this.#head = undefined;
    if (head) res.writeHead(200, Object.assign(head, this.common));
    if (text.length > 0) res.write(text);
    else res.flushHeaders();
    if (head) this.#lasts?.();
    this.#watch();
  }

  /** Tells how much waits for the reader, until it is read. */
  #watch(): void {
    const res = this.#res;
    const { writableLength } = res;
    if (writableLength < worthWatching) return;
    if (!this.#watched) {
      this.#watched = true;
      const read = (): void => this.unread?.note(this, 0);
      res.on('drain', read);
      res.on('close', read);
    }
    this.unread?.note(this, writableLength);
  }

  destroy(): void {
    this.#batch = undefined;
    this.#res.destroy();
  }

  get buffered(): number {
    return this.#res.writableLength + (this.#batch?.length ?? 0);
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
