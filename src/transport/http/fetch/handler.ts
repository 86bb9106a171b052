import { BodyReader } from '../server/body-reader.ts';
import { createEndpoint } from '../server/endpoint.ts';
import type { CloseOptions } from '../server/endpoint.ts';
import type { Body, HeaderFields, HttpRequest } from '../server/http-request.ts';
import type { HttpOptions } from '../server/options.ts';
import type { Unread } from '../server/unread.ts';
import type { ServerPort } from '../../port.ts';

/** What a framework knows of a request already. */
export interface FetchContext {
  /** The body, where it was read before: the parsed value, its text or its bytes. */
  readonly body?: unknown;
}

/** Answers a web-standard request. Never rejects. */
export interface FetchHandler {
  /** `context.body` takes the place of a body that was read: `handler(c.req.raw, { body: await c.req.json() })`. */
  (request: Request, context?: FetchContext): Promise<Response>;
  /**
   * Ends GET and `subscriptions/listen` streams and serves requests until none is in flight, for at most
   * `drainMs` (default 5 seconds); then it ends every session and answers 503.
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Serves a server wherever requests and responses are the web's: Bun, Deno, workers, Node.
 * Behind a public name, set `allowedHosts` to it.
 */
export function fetchHandler(server: ServerPort, options: HttpOptions = {}): FetchHandler {
  const endpoint = createEndpoint(server, options);
  const handle = (request: Request, context?: FetchContext): Promise<Response> =>
    new Promise((resolve) => endpoint.handle(new FetchHttpRequest(request, resolve, context?.body)));
  return Object.assign(handle, { close: endpoint.close });
}

let encoder: InstanceType<typeof TextEncoder> | undefined;

class FetchHttpRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  exchange: number | undefined;
  onHead: HttpRequest['onHead'];
  unread: Unread | undefined;
  common: HeaderFields | undefined;
  readonly #request: Request;
  readonly #body: unknown;
  readonly #host: string;
  readonly #resolve: (response: Response) => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #gone: (() => void) | undefined;
  #over = false;

  constructor(request: Request, resolve: (response: Response) => void, body: unknown) {
    const { pathname, search, host } = new URL(request.url);
    this.method = request.method;
    this.path = pathname;
    this.query = search.slice(1);
    this.#host = host;
    this.#request = request;
    this.#body = body;
    this.#resolve = resolve;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#host : undefined);
  }

  headers(): Iterable<readonly [name: string, value: unknown]> {
    return this.#request.headers;
  }

  read(maxBytes: number, done: (body: Body) => void): void {
    const given = this.#body;
    // The runtimes of workers call a handler with an environment as its second argument, which has no body.
    if (given !== undefined) {
      return done(typeof given === 'string' || given instanceof Uint8Array ? given : { value: given });
    }
    readBody(this.#request, maxBytes).then(done, () => done({ fault: 'unreadable' }));
  }

  respond(status: number, body: string, fields?: HeaderFields): void {
    if (this.#over) return;
    this.#over = true;
    const type = body === '' ? undefined : { 'content-type': 'application/json' };
    // A status that forbids a body forbids an empty one too.
    this.#answer(body === '' ? null : body, status, { ...type, ...fields });
  }

  open(fields: HeaderFields, lasts: () => void): void {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.#leave(),
    }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
    this.#answer(stream, 200, fields);
    lasts();
  }

  #answer(body: string | ReadableStream | null, status: number, fields: HeaderFields): void {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...this.common, ...fields })) headers[name] = String(value);
    this.onHead?.(status, headers);
    this.#resolve(new Response(body, { status, headers }));
  }

  write(text: string): void {
    if (!this.#over) this.#controller?.enqueue((encoder ??= new TextEncoder()).encode(text));
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.close();
  }

  destroy(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.error(new Error('the connection was broken off'));
  }

  get buffered(): number {
    return -(this.#controller?.desiredSize ?? 0);
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

async function readBody(request: Request, maxBytes: number): Promise<Body> {
  if (request.body === null) return '';
  if (Number(request.headers.get('content-length')) > maxBytes) return { fault: 'too large' };
  const gathered = new BodyReader(maxBytes);
  const reader = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return gathered.take();
      const fault = gathered.push(value);
      if (fault === undefined) continue;
      reader.cancel().catch(() => {});
      return fault;
    }
  } finally {
    gathered.clear();
  }
}
