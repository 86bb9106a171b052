// A scripted HTTP request without a runtime or a socket: records exactly what the endpoint does with it.
import { mcpFields } from '../../../src/transport/http/server/http-request.ts';
import type { Body, HeaderFields, HttpRequest, McpFields } from '../../../src/transport/http/server/http-request.ts';
import { createEndpoint } from '../../../src/transport/http/server/endpoint.ts';
import type { Endpoint } from '../../../src/transport/http/server/endpoint.ts';
import type { HttpOptions } from '../../../src/transport/http/server/options.ts';
import type { Unread } from '../../../src/transport/http/server/unread.ts';
import { both, rpc } from './harness.ts';
import type { Sent } from './harness.ts';
import { fakeServer } from './fake-server.ts';
import type { FakeServer } from './fake-server.ts';

export class ScriptedRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  exchange: number | undefined;
  onHead: HttpRequest['onHead'];
  unread: Unread | undefined;
  common: HeaderFields | undefined;
  /** The status of the answer; 200 for a stream; undefined before the answer. */
  status: number | undefined;
  fields: HeaderFields | undefined;
  text = '';
  /** `open`, `ended`, `ended last`, `destroyed`; undefined without a stream. */
  stream: string | undefined;
  /** The number of answers. */
  answers = 0;
  /** Bytes that the client has not read. */
  buffered = 0;
  /** True if the client left before a stream began. */
  left = false;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: Body;
  #gone: (() => void) | undefined;

  constructor({ method = 'POST', path = '/mcp', headers = {}, body }: Sent & { body?: string | object | Uint8Array }) {
    const [place = '', query = ''] = path.split('?');
    Object.assign(this, { buffered: 0 });
    this.method = method;
    this.path = place;
    this.query = query;
    this.#headers = {
      host: 'localhost', ...method === 'POST' ? { 'content-type': 'application/json', accept: both } : { accept: 'text/event-stream' }, ...headers,
    };
    this.#body = body === undefined ? '' : typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  }

  get mcp(): McpFields {
    return mcpFields((name) => this.header(name));
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  headers(): Iterable<readonly [name: string, value: unknown]> {
    return Object.entries(this.#headers);
  }

  read(_maxBytes: number, done: (body: Body) => void): undefined {
    done(this.#body);
  }

  respond(status: number, body: string, fields?: HeaderFields): void {
    this.answers++;
    this.status = status;
    this.text = body;
    this.fields = { ...this.common, ...fields };
    this.onHead?.(status, this.fields);
  }

  open(fields: HeaderFields, lasts: () => void): void {
    this.answers++;
    this.status = 200;
    this.fields = { ...this.common, ...fields };
    this.stream = 'open';
    this.onHead?.(200, this.fields);
    lasts();
  }

  write(text: string): void {
    this.text += text;
  }

  end(last: boolean): void {
    this.stream = last ? 'ended last' : 'ended';
  }

  destroy(): void {
    this.stream = 'destroyed';
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
    if (this.left) listener();
  }

  /** Disconnects the client. */
  leave(): void {
    this.left = true;
    this.#gone?.();
  }
}

export interface Place {
  readonly server: FakeServer;
  readonly endpoint: Endpoint;
  ask(sent: Sent & { body?: string | object | Uint8Array }, before?: (request: ScriptedRequest) => void): ScriptedRequest;
  /** Opens a session, and returns its headers. */
  open(version?: string): Record<string, string>;
}

export function place(options: HttpOptions = {}, server: FakeServer = fakeServer()): Place {
  const endpoint = createEndpoint(server, options);
  const ask: Place['ask'] = (sent, before) => {
    const request = new ScriptedRequest(sent);
    before?.(request);
    endpoint.handle(request);
    return request;
  };
  return {
    server, endpoint, ask,
    open(version = '2025-11-25') {
      const { fields } = ask({ body: rpc('initialize', { protocolVersion: version }, 0) });
      return { 'mcp-session-id': String(fields?.['mcp-session-id']) };
    },
  };
}
