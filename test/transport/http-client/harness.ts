import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import nodeTest from 'node:test';
import type { TestContext } from 'node:test';
import { waitingClock } from '../../mock-clock.ts';
import type { Decoded, RequestId } from '../../../src/jsonrpc/message.ts';
import { findRevision, revisions } from '../../../src/protocol/revisions.ts';
import type { Revision } from '../../../src/protocol/revisions.ts';
import { fetchSender } from '../../../src/transport/http/client/fetch-sender.ts';
import type { HttpTransportOptions } from '../../../src/transport/http/client/options.ts';
import type { HttpSender } from '../../../src/transport/http/client/sender.ts';
import { clientTransport } from '../../../src/transport/http/client/transport.ts';
import { nodeSender } from '../../../src/transport/http/node/sender.ts';
import { defaultNodeHttpClientLimits } from '../../../src/transport/http/node/transport-options.ts';
import type { ClientTransport, Outgoing } from '../../../src/transport/client-port.ts';

export type SenderName = 'fetch' | 'node:http';

const senders: Record<SenderName, (url: string) => HttpSender> = {
  fetch: () => fetchSender(undefined),
  'node:http': (url) => nodeSender(new URL(url), {}, defaultNodeHttpClientLimits),
};
const senderNames = new WeakMap<TestContext, SenderName>();

/** The sender with which a test runs. */
export const senderOf = (t: TestContext): SenderName => senderNames.get(t) ?? 'fetch';

/** Runs a test once with each sender. `client(t, …)` inside it uses that sender. */
export function test(name: string, body: (t: TestContext) => void | Promise<void>): void {
  for (const sender of Object.keys(senders) as SenderName[]) {
    nodeTest(`${sender}: ${name}`, (t) => {
      senderNames.set(t, sender);
      return body(t);
    });
  }
}

/** An HTTP request that a scripted server has received. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; {} without a body. */
  readonly body: { readonly id?: RequestId; readonly method?: string };
}

export interface Scripted {
  readonly url: string;
  readonly calls: Call[];
}

/** A server on a separate port that answers by `script`. It stops when the test ends. */
export async function serve(t: TestContext, script: (call: Call, response: ServerResponse) => void): Promise<Scripted> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const call = { method, path, headers, text, body: text === '' ? {} : JSON.parse(text) as Call['body'] };
      calls.push(call);
      script(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls };
}

export const result = (id: RequestId | undefined, value: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: value });
export const notice = (n: number): string => JSON.stringify({ jsonrpc: '2.0', method: 'note', params: { n } });

export function json(
  response: ServerResponse,
  text: string,
  status: number = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

export function stream(response: ServerResponse, headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders();
  return response;
}

export type Told =
  | { kind: 'message'; decoded: Decoded; message: unknown }
  | { kind: 'failed'; id: RequestId; error: Error }
  | { kind: 'closed'; why: string }
  | { kind: 'error'; error: Error };

export interface Client {
  readonly transport: ClientTransport;
  /** The milliseconds of each wait before a reconnection. The wait itself ends at once. */
  readonly waits: number[];
  /** Takes the next event that the transport has reported. */
  next(): Promise<Told>;
  /** Reported events that were not yet taken. */
  readonly untaken: Told[];
  send(message: Outgoing): void;
  request(id: RequestId, method?: string, params?: Outgoing['params']): Promise<Told>;
  /** Completes the handshake with a cooperating server. */
  handshake(version?: string, capabilities?: object): Promise<void>;
}

// Waits of these lengths are not reconnections. They end only when aborted.
const lingerMs = 1_000_001;
const endpointMs = 1_000_002;
const closeMs = 1_000_003;
const listenMs = 1_000_004;

export const revision = (version: string): Revision => findRevision(revisions, version) as Revision;

export interface ClientOptions extends HttpTransportOptions {
  /** Wraps the transport's sender. */
  readonly wrap?: (send: HttpSender['send']) => HttpSender['send'];
}

export async function client(t: TestContext, url: string, options: ClientOptions = {}): Promise<Client> {
  const waits: number[] = [];
  const untaken: Told[] = [];
  let wake: ((told: Told) => void) | undefined;
  const tell = (told: Told): void => {
    if (wake) wake(told);
    else untaken.push(told);
    wake = undefined;
  };
  const sender = senders[senderOf(t)](url);
  const { wrap = (send) => send } = options;
  const transport = clientTransport(url, {
    clock: waitingClock((ms) => {
      if (ms > 1_000_000) return new Promise(() => {});
      waits.push(ms);
      return Promise.resolve();
    }),
    random: () => 1,
    ...options,
    limits: { reconnectMinMs: 0, lingerMs, endpointMs, closeMs, listenMs, ...options.limits },
  }, { ...sender, send: wrap(sender.send) });
  t.after(() => transport.close());
  await transport.open({
    message: (decoded) => tell({ kind: 'message', decoded, message: 'message' in decoded ? decoded.message : decoded }),
    failed: (id, error) => tell({ kind: 'failed', id, error }),
    closed: (why) => tell({ kind: 'closed', why }),
    error: (error) => tell({ kind: 'error', error }),
  });
  const next = (): Promise<Told> => {
    const first = untaken.shift();
    return first ? Promise.resolve(first) : new Promise((resolve) => (wake = resolve));
  };
  const send = (message: Outgoing): void => {
    const { id, method, params } = message;
    transport.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), message);
  };
  return {
    transport, waits, untaken, next, send,
    request(id, method = 'tools/list', params) {
      send({ id, method, params });
      return next();
    },
    async handshake(version = '2025-11-25', capabilities = {}) {
      send({ id: 'init', method: 'initialize', params: { protocolVersion: version, capabilities } });
      const told = await next();
      if (told.kind !== 'message') throw new Error(`the handshake failed: ${told.kind}`);
      transport.agreed?.(revision(version));
      send({ method: 'notifications/initialized' });
    },
  };
}

/** Answers the requests of a handshake and returns true; returns false for other requests. A GET stream gets 405. */
export function handshake(call: Call, response: ServerResponse, headers: Record<string, string> = {}): boolean {
  if (call.body.method === 'initialize') json(response, result(call.body.id), 200, headers);
  else if (call.method === 'POST' && call.body.id === undefined) response.writeHead(202).end();
  else if (call.method === 'GET' && call.headers['last-event-id'] === undefined) response.writeHead(405).end();
  else if (call.method === 'DELETE') response.writeHead(204).end();
  else return false;
  return true;
}
