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

/** A request as frameworks pass it: its body may be parsed already, and its path shortened. */
export type NodeRequest = IncomingMessage & { body?: unknown; originalUrl?: string };

/**
 * Serves a server on `node:http` or a framework built on it. A body that was parsed before is taken from
 * `req.body`, or from the third argument; a function there (the `next` of Express) is ignored.
 */
export interface HttpListener {
  (req: NodeRequest, res: ServerResponse, body?: unknown): void;
  /**
   * Ends GET and `subscriptions/listen` streams and serves requests until none is in flight, for at most
   * `drainMs` (default 5 seconds); then it ends every session and answers 503. The owner of the port closes the port.
   */
  close(options?: CloseOptions): Promise<void>;
  /** For `gauges`. */
  readonly endpoint: GaugedEndpoint;
}

/** Makes a listener for `http.createServer`, Express and similar frameworks. */
export function httpListener(server: ServerPort, options: HttpOptions = {}): HttpListener {
  checkHttpOptions('httpListener: options', options, httpShape);
  return listenerOf(createEndpoint(server, options));
}

/** The listener of an endpoint. `late`: connections opened after the server began to close. */
export function listenerOf(endpoint: Endpoint, late?: ReadonlySet<Socket>): HttpListener {
  const listener = (req: NodeRequest, res: ServerResponse, body?: unknown): void => {
    // Node's parser does not wait for the previous response: until that is complete, this one has no socket.
    if (res.socket === null) awaitConnection(req, res, () => listener(req, res, body));
    else endpoint.handle(new NodeHttpRequest(req, res, typeof body === 'function' ? undefined : body, late));
  };
  return Object.assign(listener, { close: endpoint.close, endpoint });
}

/** How many pipelined requests wait for the response before theirs, by connection. */
const ahead = new WeakMap<Socket, number>();

/** A connection with more of them is cut off. */
const mostAhead = 100;

/**
 * Serves a pipelined request after the previous responses are complete. Otherwise Node would buffer the response until its
 * turn: the limit for slow readers would not see it, and it would not be told that the client has left.
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

/** Unread bytes of a response from which they are counted; fewer are not. */
const worthWatching = 16_384;

/** Characters from which a body is encoded before it is written. Node would encode it twice: for its length, and for the socket. */
const longBody = 16_384;

/** Responses to flush at the end of this turn of the event loop. */
let due: NodeHttpRequest[] | undefined;

/** The connection of the latest request. */
let latest: Socket | undefined;

// All responses of a turn are written after all input was read. Writing each at once wakes its reader while others are
// still being read, and costs both sides more (bench/NOTES.md).
function flushLater(request: NodeHttpRequest): void {
  if (due === undefined) {
    due = [];
    process.nextTick(awaitTurn);
  }
  due.push(request);
}

/** A stream that ended in its first turn may be written already. If no response waits, no further turn is scheduled. */
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

/** Node joins a header that comes twice, or takes the first one. */
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
  /** Whether the previous request came on the same connection. It may be the only one, so responses are written at once. */
  readonly #alone: boolean;
  #gone: (() => void) | undefined;
  /** The head of a stream until it is written, and the callback for that moment. */
  #head: HeaderFields | undefined;
  #lasts: (() => void) | undefined;
  /** The text written in this turn; undefined: none. */
  #batch: string | Buffer | undefined;
  #ended = false;
  /** Whether the head has the length of the body. */
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
    // A framework that has not parsed the body may have left an empty object in `req.body`.
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
        // The client may leave before the body is complete.
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

  /** Writes the head; the body is written at the end of this turn. Returns the head's fields. */
  #begin(status: number, body: string, fields: HeaderFields | undefined): HeaderFields {
    const all: HeaderFields = body === '' ? {} : { 'content-type': 'application/json' };
    // RFC 9110, 8.6: a 204 has no Content-Length.
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
    // A stream that ends in its first turn becomes a response of known length.
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
        // `end(text)` would write two chunks, the second one empty, and a list of both (bench/NOTES.md).
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

  /** Reports how many bytes wait for the reader, until they are read. */
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
