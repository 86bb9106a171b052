import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import type { Fleet, FleetEngine, FleetOptions } from '../../src/fleet/index.ts';
import { liveAt } from '../transport/http/harness.ts';
import type { Live } from '../transport/http/harness.ts';
import { McpServer } from '../../src/server/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import type { HttpServer, ServeHttpOptions } from '../../src/transport/http/node/index.ts';
import { serveHttp } from '../transport/http/engine.ts';

export const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
export const newKey = (): Uint8Array => new Uint8Array(randomBytes(32));

/** An engine with a bus and without session storage. */
export function busEngine(): FleetEngine {
  const { join } = memoryEngine();
  return { join };
}

/** One member of a fleet; all members run in this process. */
export interface Member {
  readonly fleet: Fleet;
  readonly http: HttpServer;
  readonly server: McpServer;
}

export interface FleetBench {
  readonly members: readonly Member[];
  readonly errors: Error[];
  /** Connects a client whose requests go to the members in turn. */
  client(options?: ClientOptions, path?: string): Promise<McpClient>;
  /** The `fetch` of these clients. */
  readonly roundRobin: typeof globalThis.fetch;
  /** The member that received each request, and the status of its response. */
  readonly log: { readonly member: number; readonly method: string; readonly body: string; readonly status: number }[];
  /** The id of the newest session. */
  session(): string;
  /** Resolves when `count` GET streams have been opened. */
  listening(count: number): Promise<void>;
  /** Initializes a session with one member, and returns the headers of the session. */
  open(member: number, version?: string, headers?: Record<string, string>): Promise<Record<string, string>>;
  /** Calls a tool of one member, with progress; returns the response event by event. */
  call(member: number, headers: Record<string, string>, name: string, args?: object, id?: number): Promise<Live>;
  /** Sends a GET to one member. */
  get(member: number, headers: Record<string, string>, last?: string): Promise<Live>;
  /** Sends a POST to one member. */
  post(member: number, headers: Record<string, string>, body: unknown): Promise<Response>;
  /** `begun` resolves when some member runs the tool `wait`, and `stopped` when that call is aborted. */
  readonly waiting: { readonly begun: Promise<void>; readonly stopped: Promise<string> };
  /** Lets the tool `steps` send one progress notification or, after the last one, its answer. */
  step(): void;
}

export interface BenchOptions {
  readonly version?: string;
  readonly engine?: FleetEngine | undefined;
  /** The engine of each member, if they do not share one. */
  readonly engines?: ((member: number) => FleetEngine) | undefined;
  readonly count?: number;
  /** The clock of the members. Default: the runtime's. */
  readonly clock?: Clock | undefined;
  readonly fleet?: Partial<FleetOptions>;
  readonly http?: ServeHttpOptions;
}

const info = { name: 'member', version: '1' };

/** Several endpoints that share keys and an engine, behind a round robin. */
export async function startFleet(t: TestContext, options: BenchOptions = {}): Promise<FleetBench> {
  const { version, engine, count = 3, clock } = options;
  const keys = [newKey()];
  const errors: Error[] = [];
  const members: Member[] = [];
  const log: FleetBench['log'] = [];
  let [begin, stop]: [() => void, (reason: string) => void] = [() => {}, () => {}];
  const waiting = {
    begun: new Promise<void>((resolve) => (begin = resolve)),
    stopped: new Promise<string>((resolve) => (stop = resolve)),
  };
  let steps = 0;
  let wakeStep: (() => void) | undefined;
  const stepped = async (): Promise<void> => {
    while (steps === 0) await new Promise<void>((resolve) => (wakeStep = resolve));
    steps--;
  };
  for (let i = 0; i < count; i++) {
    const server = new McpServer(info, { ...(version !== undefined && { revisions: [version] }), ...(clock && { clock }), onError: () => {} });
    for (const uri of ['note:a', 'note:b']) server.resource(uri, { name: uri }, () => 'text');
    server.tool('add', { input: { type: 'object' } }, ({ a, b }) => String(Number(a) + Number(b)));
    server.tool('count', {}, async (_, ctx) => {
      for (let done = 1; done <= 3; done++) ctx.progress(done, 3);
      return 'counted';
    });
    server.tool('confirm', {}, async (_, ctx) => {
      const answer = await ctx.elicit('Sure?', { sure: { type: 'boolean' } });
      return `${answer.action} ${answer.action === 'accept' && String(answer.content['sure'])}`;
    });
    server.tool('think', {}, async (_, ctx) => {
      const { content } = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Think.' } }], maxTokens: 5,
      });
      return JSON.stringify(content);
    });
    server.tool('steps', { input: { type: 'object', properties: { n: { type: 'integer' } } } }, async ({ n }, ctx) => {
      for (let done = 1; done <= Number(n); done++) {
        await stepped();
        ctx.progress(done, Number(n));
      }
      await stepped();
      return 'arrived';
    });
    server.tool('speak', {}, (_, ctx) => {
      for (const level of ['info', 'error'] as const) ctx.log(level, level);
      return 'spoken';
    });
    server.tool('wait', {}, (_, ctx) => new Promise((resolve) => {
      begin();
      ctx.signal.addEventListener('abort', () => {
        stop(String((ctx.signal.reason as Error).message));
        resolve('stopped');
      });
    }));
    const own = await fleet({ keys, engine: options.engines?.(i) ?? engine, clock, onError: (error) => errors.push(error), ...options.fleet });
    const http = await serveHttp(server, { fleet: own, onError: (error) => errors.push(error), ...options.http });
    t.after(async () => {
      await http.close({ drainMs: 0 });
      await own.close();
    });
    members.push({ fleet: own, http, server });
  }
  let next = 0;
  let session = '';
  let streams = 0;
  let streamOpened = (): void => {};
  const roundRobin: typeof globalThis.fetch = async (input, init) => {
    const member = next++ % count;
    const { pathname, search } = new URL(String(input));
    const response = await fetch(`http://127.0.0.1:${(members[member] as Member).http.port}${pathname}${search}`, init);
    session = response.headers.get('mcp-session-id') ?? session;
    if (init?.method === 'GET' && response.ok) {
      streams++;
      streamOpened();
    }
    log.push({ member, method: init?.method ?? 'GET', body: String(init?.body ?? ''), status: response.status });
    return response;
  };
  const bench: FleetBench = {
    members, errors, roundRobin, log, waiting,
    session: () => session,
    step() {
      steps++;
      wakeStep?.();
    },
    async listening(wanted) {
      while (streams < wanted) await new Promise<void>((resolve) => (streamOpened = resolve));
    },
    async client(clientOptions = {}, path = '/mcp') {
      const client = new McpClient({ name: 'test', version: '1' }, clientOptions);
      t.after(() => client.close());
      await client.connect(httpTransport(`http://127.0.0.1:1${path}`, { fetch: roundRobin }));
      return client;
    },
    async open(member, protocolVersion = '2025-11-25', headers = {}) {
      const params = { protocolVersion, capabilities: { elicitation: {} }, clientInfo: { name: 'raw', version: '1' } };
      const response = await bench.post(member, headers, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      await response.text();
      return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
    },
    call: (member, headers, name, args = {}, id = 1) => liveAt((members[member % count] as Member).http.port, {
      headers,
      body: {
        jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: id } },
      },
    }),
    get: (member, headers, last) => liveAt((members[member % count] as Member).http.port, {
      method: 'GET', headers: { ...headers, ...last !== undefined && { 'last-event-id': last } },
    }),
    post: (member, headers, body) => fetch((members[member] as Member).http.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    }),
  };
  return bench;
}

/** Checks that a client's cancellation reaches the process that runs the call. */
export async function cancelsACall({ waiting }: Pick<FleetBench, 'waiting'>, client: McpClient): Promise<void> {
  const abort = new AbortController();
  const call = client.callTool('wait', {}, { signal: abort.signal });
  await waiting.begun;
  abort.abort(new Error('never mind'));
  await assert.rejects(call, /never mind/);
  assert.match(await waiting.stopped, /never mind/);
}
