import { joinBytes } from '../../../jsonrpc/bytes.ts';
import { createEndpoint } from '../server/endpoint.ts';
import type { CloseOptions } from '../server/endpoint.ts';
import type { Body, Exchange, HeaderFields } from '../server/http-request.ts';
import type { HttpOptions } from '../server/options.ts';
import type { ServerPort } from '../../port.ts';

/** Answers a web-standard request. Never rejects. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /**
   * Takes no new work, lets what is in flight finish within `drainMs` (default 5 seconds), and ends the rest.
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Serves a server wherever requests and responses are the web's: Bun, Deno, workers, Node.
 * Behind a public name, set `allowedHosts` to it.
 */
export function fetchHandler(server: ServerPort, options: HttpOptions = {}): FetchHandler {
  const endpoint = createEndpoint(server, options);
  const handle = (request: Request): Promise<Response> =>
    new Promise((resolve) => endpoint.handle(new FetchExchange(request, resolve)));
  return Object.assign(handle, { close: endpoint.close });
}

let encoder: InstanceType<typeof TextEncoder> | undefined;

class FetchExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  common: HeaderFields | undefined;
  readonly #request: Request;
  readonly #host: string;
  readonly #resolve: (response: Response) => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #gone: (() => void) | undefined;
  #over = false;

  constructor(request: Request, resolve: (response: Response) => void) {
    const { pathname, search, host } = new URL(request.url);
    this.method = request.method;
    this.path = pathname;
    this.query = search.slice(1);
    this.#host = host;
    this.#request = request;
    this.#resolve = resolve;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#host : undefined);
  }

  read(maxBytes: number, done: (body: Body) => void): void {
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      return { fault: 'too large' };
    }
    chunks.push(value);
  }
  return joinBytes(chunks, size);
}
