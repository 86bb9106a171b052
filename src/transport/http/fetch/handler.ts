import type { Clock } from '../../../bounds/clock.ts';
import { beginReading, turnOfOthers } from '../../../bounds/reading.ts';
import type { GaugedEndpoint } from '../../../bounds/gauges.ts';
import { BodyReader } from '../server/body-reader.ts';
import { createEndpoint } from '../server/endpoint.ts';
import type { CloseOptions } from '../server/endpoint.ts';
import { mcpFields } from '../server/http-request.ts';
import type { Body, HeaderFields, HttpRequest, McpFields } from '../server/http-request.ts';
import { checkHttpOptions, httpShape } from '../server/options.ts';
import type { HttpOptions } from '../server/options.ts';
import type { Unread } from '../server/unread.ts';
import type { ServerPort } from '../../server-port.ts';
import { PulledBody } from './pulled-body.ts';

/** The parts of a request that a framework has read already. */
export interface FetchContext {
  /** The body, if it was read before: the parsed value, its text or its bytes. */
  readonly body?: unknown;
}

/** Answers web-standard requests. Never rejects. */
export interface FetchHandler {
  /** `context.body` replaces a body that was read before: `handler(c.req.raw, { body: await c.req.json() })`. */
  (request: Request, context?: FetchContext): Promise<Response>;
  /**
   * Ends GET and `subscriptions/listen` streams and serves requests until none is in flight, for at most
   * `drainMs` (default 5 seconds); then it ends every session and answers 503.
   */
  close(options?: CloseOptions): Promise<void>;
  /** For `gauges`. */
  readonly endpoint: GaugedEndpoint;
}

/**
 * Makes a handler of web-standard requests for a server: Bun, Deno, workers, Node.
 * For a public host name, set `allowedHosts` to it.
 */
export function fetchHandler(server: ServerPort, options: HttpOptions = {}): FetchHandler {
  checkHttpOptions('fetchHandler: options', options, httpShape);
  const endpoint = createEndpoint(server, options);
  const handle = (request: Request, context?: FetchContext): Promise<Response> =>
    new Promise((resolve) => endpoint.handle(new FetchHttpRequest(request, resolve, context?.body, endpoint.clock)));
  return Object.assign(handle, { close: endpoint.close, endpoint });
}

/** An answer of at least this many characters is delivered in parts; unread bytes of a shorter one are not counted. */
const longAnswer = 65_536;

class FetchHttpRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mcp: McpFields;
  exchange: number | undefined;
  onHead: HttpRequest['onHead'];
  unread: Unread | undefined;
  common: HeaderFields | undefined;
  readonly #request: Request;
  readonly #clock: Clock;
  readonly #body: unknown;
  readonly #host: string;
  readonly #resolve: (response: Response) => void;
  #pulled: PulledBody | undefined;
  #gone: (() => void) | undefined;
  #over = false;

  constructor(request: Request, resolve: (response: Response) => void, body: unknown, clock: Clock) {
    this.#clock = clock;
    const { pathname, search, host } = new URL(request.url);
    this.method = request.method;
    this.path = pathname;
    this.query = search.slice(1);
    this.#host = host;
    this.#request = request;
    this.#body = body;
    this.#resolve = resolve;
    this.mcp = mcpFields((name) => this.header(name));
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#host : undefined);
  }

  headers(): Iterable<readonly [name: string, value: unknown]> {
    return this.#request.headers;
  }

  read(maxBytes: number, done: (body: Body) => void): Promise<void> | undefined {
    const given = this.#body;
    // Worker runtimes pass an environment as the second argument. It has no `body`, unless a binding has that name.
    if (given !== undefined) {
      done(typeof given === 'string' || given instanceof Uint8Array ? given : { value: given });
      return undefined;
    }
    return readBody(this.#request, maxBytes, this.#clock).then(done, () => done({ fault: 'unreadable' }));
  }

  respond(status: number, body: string, fields?: HeaderFields): void {
    if (this.#over) return;
    this.#over = true;
    const type = body === '' ? undefined : { 'content-type': 'application/json' };
    // A status that forbids a body also forbids an empty one: pass null.
    const head = { ...type, ...fields };
    if (body.length < longAnswer) return this.#answer(body === '' ? null : body, status, head);
    // Delivered as the client reads it, so that unread bytes are counted, and the response is cut off if there are too many.
    const long = this.#begin(() => {});
    this.#answer(long.stream, status, head);
    long.write(body);
    long.end();
  }

  open(fields: HeaderFields, lasts: () => void): void {
    this.#answer(this.#begin(() => this.#leave()).stream, 200, fields);
    lasts();
  }

  #begin(left: () => void): PulledBody {
    return this.#pulled = new PulledBody((bytes) => this.unread?.note(this, bytes), left);
  }

  #answer(body: string | ReadableStream | null, status: number, fields: HeaderFields): void {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...this.common, ...fields })) headers[name] = String(value);
    this.onHead?.(status, headers);
    this.#resolve(new Response(body, { status, headers }));
  }

  write(text: string): void {
    if (!this.#over) this.#pulled?.write(text);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#pulled?.end();
  }

  destroy(): void {
    // A response that is complete for the endpoint may still wait for its reader.
    this.#over = true;
    this.#pulled?.destroy();
    // A handler cannot break off a connection before its response. Does nothing after a response.
    this.#resolve(new Response(null, { status: 500 }));
  }

  get buffered(): number {
    return this.#pulled?.buffered ?? 0;
  }

  onGone(listener: () => void): void {
    const { signal } = this.#request;
    if (this.#gone === undefined) signal.addEventListener('abort', () => this.#leave(), { once: true });
    this.#gone = listener;
    if (signal.aborted) this.#leave();
  }

  #leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#gone?.();
  }
}

async function readBody(request: Request, maxBytes: number, clock: Clock): Promise<Body> {
  if (request.body === null) return '';
  if (Number(request.headers.get('content-length')) > maxBytes) return { fault: 'too large' };
  const gathered = new BodyReader(maxBytes);
  const reader = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return gathered.take();
      // Bytes that have arrived already are read without a turn of the event loop, in chunks that may have one byte.
      beginReading(clock);
      const fault = gathered.push(value);
      const others = turnOfOthers(clock);
      if (others) await others;
      if (fault === undefined) continue;
      reader.cancel().catch(() => {});
      return fault;
    }
  } finally {
    gathered.clear();
  }
}
