import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import type { Clock } from '../../../src/bounds/clock.ts';
import type { HttpServer, ServeHttpOptions } from '../../../src/transport/http/node/index.ts';
import { sseParser } from '../../../src/transport/http/sse-parser.ts';
import type { SseEvent } from '../../../src/transport/http/sse-parser.ts';
import { fakeServer } from './fake-server.ts';
import type { FakeServer } from './fake-server.ts';
import { serveHttp } from './engine.ts';

export const both = 'application/json, text/event-stream';
export const modernVersion = '2026-07-28';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** An answer whose events are read one at a time. */
export interface Live {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The next event; undefined at the end of the stream, clean or not. */
  next(): Promise<SseEvent | undefined>;
  all(): Promise<SseEvent[]>;
  /** Stops reading, so that the server's buffers fill. */
  pause(): void;
  cut(): void;
  readonly closed: Promise<void>;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | object;
}

export interface Bench {
  readonly server: FakeServer;
  readonly http: HttpServer;
  readonly errors: Error[];
  /** Sends JSON, by POST if no other method is given, and returns the complete answer. */
  ask(sent: Sent): Promise<Answer>;
  live(sent: Sent): Promise<Live>;
  /** Opens a session, and returns its headers. */
  open(version?: string, more?: Record<string, string>): Promise<Record<string, string>>;
}

export async function start(
  t: TestContext,
  options: ServeHttpOptions = {},
  versions?: readonly string[],
  clock?: Clock,
): Promise<Bench> {
  const errors: Error[] = [];
  const server = Object.assign(fakeServer(versions), clock && { clock });
  const http = await serveHttp(server, { onError: (error) => errors.push(error), ...options });
  t.after(() => http.close({ drainMs: 0 }));
  const ask = async (sent: Sent): Promise<Answer> => whole(await send(http.port, sent));
  return {
    server, http, errors, ask,
    live: async (sent) => liveOf(await send(http.port, sent)),
    async open(version = '2025-11-25', more = {}) {
      const { headers } = await ask({ headers: more, body: rpc('initialize', { protocolVersion: version }, 0) });
      return { ...more, 'mcp-session-id': String(headers['mcp-session-id']) };
    },
  };
}

export function rpc(method: string, params: object = {}, id: number | string | undefined = 1): object {
  return id === undefined ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', id, method, params };
}

/** A notification. */
export const note = (method: string): object => ({ jsonrpc: '2.0', method });

/** Builds a modern request: headers and body. */
export function modern(method: string, params: object = {}, headers: Record<string, string> = {}): Sent {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    headers: { 'mcp-protocol-version': modernVersion, 'mcp-method': method, ...headers },
    body: rpc(method, { _meta: meta, ...params }),
  };
}

export const code = ({ text }: Answer): unknown => (JSON.parse(text) as { error: { code: unknown } }).error.code;

function send(port: number, { method = 'POST', path = '/mcp', headers = {}, body }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const given = method === 'POST'
      ? { 'content-type': 'application/json', accept: both }
      : { accept: 'text/event-stream' };
    const req = request(
      { port, host: '127.0.0.1', method, path, headers: { ...given, ...headers }, agent: false }, resolve,
    );
    req.on('error', reject);
    req.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** `live` without a bench. */
export const liveAt = async (port: number, sent: Sent): Promise<Live> => liveOf(await send(port, sent));

async function whole(res: IncomingMessage): Promise<Answer> {
  let text = '';
  res.setEncoding('utf8');
  for await (const chunk of res) text += chunk;
  return { status: res.statusCode ?? 0, headers: res.headers, text };
}

function liveOf(res: IncomingMessage): Live {
  const events: SseEvent[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  const parser = sseParser({ onEvent: (event) => void events.push(event), maxEventBytes: 64 * 1024 * 1024 });
  res.on('data', (chunk: Buffer) => {
    parser.push(chunk);
    wake?.();
  });
  res.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    res.on('close', () => {
      over = true;
      wake?.();
      resolve();
    });
  });
  const next = async (): Promise<SseEvent | undefined> => {
    while (events.length === 0 && !over) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return events.shift();
  };
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    next,
    async all() {
      const found: SseEvent[] = [];
      for (let event = await next(); event; event = await next()) found.push(event);
      return found;
    },
    pause: () => void res.pause(),
    cut: () => void res.destroy(),
    closed,
  };
}

/** Writes each piece to a socket after the one before has been written. Returns everything received until the end. */
export function raw(port: number, pieces: readonly string[], end = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setNoDelay(true);
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    const left = [...pieces];
    const more = (): void => {
      const piece = left.shift();
      if (piece !== undefined) socket.write(piece, more);
      else if (end) socket.end();
    };
    more();
  });
}
