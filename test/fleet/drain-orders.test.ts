import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { fleet } from '../../src/fleet/index.ts';
import type { Fleet } from '../../src/fleet/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import type { FetchHandler } from '../../src/transport/http/fetch/index.ts';
import { sseParser } from '../../src/transport/http/sse-parser.ts';
import { drawn, randomOf } from '../random.ts';
import { newKey } from './harness.ts';
import { ScheduledEngine } from './scheduled-engine.ts';
import type { Process } from './scheduled-engine.ts';

// A rolling restart in random order: calls ask questions, their connections are cut, and clients resume and answer in any process.
// Meanwhile processes are closed, with more drain time than passes. Every call that a process received before it began to close must get
// its result, and every process must close. DRAIN_SEEDS=from-to runs other orders.

const [from = 1, to = from] = (process.env['DRAIN_SEEDS'] ?? '1-20').split('-').map(Number);
const version = '2025-11-25';
const url = 'http://localhost/mcp';

/** One process of the fleet. */
interface Place {
  readonly process: Process;
  readonly own: Fleet;
  readonly handle: FetchHandler;
  /** Disconnects each client that listens there. */
  readonly listening: Set<() => void>;
}

/** A call of a tool that asks a question. */
interface Call {
  readonly id: number;
  last: string | undefined;
  question: unknown;
  answer: 'owed' | 'on its way' | 'taken';
  said: string | undefined;
  /** Disconnects the client; undefined while it is disconnected. */
  leave: (() => void) | undefined;
}

class World {
  readonly random: () => number;
  readonly engine: ScheduledEngine;
  /** The processes that have not begun to close. */
  readonly places: Place[] = [];
  readonly closing = new Set<Promise<void>>();
  readonly calls: Call[] = [];
  readonly story: string[] = [];
  headers: Record<string, string> = {};
  readonly #keys = [newKey()];
  readonly #t: TestContext;

  constructor(t: TestContext, seed: number) {
    this.#t = t;
    this.random = randomOf(seed);
    this.engine = new ScheduledEngine(this.random);
  }

  pick<T>(among: readonly T[]): T | undefined {
    return among[Math.floor(this.random() * among.length)];
  }

  place(): Place {
    return this.pick(this.places) as Place;
  }

  async start(): Promise<void> {
    const server = new McpServer({ name: 'world', version: '1' }, { onError: () => {} });
    server.tool('confirm', {}, async (_, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action);
    let process: Process | undefined;
    const own = await fleet({ keys: this.#keys, engine: this.engine.open((joined) => (process = joined)) });
    this.places.push({ process: process as Process, own, handle: fetchHandler(server, { fleet: own }), listening: new Set() });
  }

  close(): void {
    if (this.places.length === 1) return;
    const [{ process, own, handle, listening }] = this.places.splice(Math.floor(this.random() * this.places.length), 1) as [Place];
    this.story.push(`${process.name} closes`);
    const closed = handle.close({ drainMs: 1e9 }).then(async () => {
      this.story.push(`${process.name} has drained`);
      await own.close();
      this.engine.kill(process);
      // The process exits and breaks its GET connections. POSTs to it have been answered.
      for (const leave of [...listening]) leave();
      this.closing.delete(closed);
    });
    this.closing.add(closed);
  }

  send(place: Place, method: 'GET' | 'POST', body?: object, more?: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...this.headers, ...more?.headers };
    return place.handle(new Request(url, { ...more, method, headers, ...body && { body: JSON.stringify(body) } }));
  }

  call(): void {
    const place = this.place();
    const call: Call = {
      id: this.calls.length + 1, last: undefined, question: undefined, answer: 'owed', said: undefined, leave: undefined,
    };
    this.calls.push(call);
    this.story.push(`call ${call.id} of ${place.process.name}`);
    this.#read(call, place, { jsonrpc: '2.0', id: call.id, method: 'tools/call', params: { name: 'confirm', arguments: {} } });
  }

  resume(call: Call): void {
    const place = this.place();
    this.story.push(`call ${call.id} comes back to ${place.process.name} after ${call.last}`);
    this.#read(call, place);
  }

  #read(call: Call, place: Place, body?: object): void {
    const abort = new AbortController();
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const leave = call.leave = (): void => {
      if (call.leave !== leave) return;
      call.leave = undefined;
      place.listening.delete(leave);
      abort.abort();
      reader?.cancel().catch(() => {});
    };
    if (!body) place.listening.add(leave);
    const headers = { ...call.last !== undefined && { 'last-event-id': call.last } };
    this.send(place, body ? 'POST' : 'GET', body, { headers, signal: abort.signal }).then(async (response) => {
      if (call.leave !== leave) return response.body?.cancel();
      // A GET that a closing process refuses is repeated in another process.
      if (response.status !== 200) {
        if (body || response.status < 500) call.said = `HTTP ${response.status}`;
        return leave();
      }
      reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const parser = sseParser({
        lastEventId: call.last ?? '', maxEventBytes: 1e6, onRefused: () => {},
        onEvent: ({ data }) => this.#hear(call, data),
      });
      for (;;) {
        const { done, value } = await reader.read();
        if (done || call.leave !== leave) break;
        parser.push(value);
        call.last = parser.lastEventId;
      }
      leave();
    }).catch(leave);
  }

  #hear(call: Call, data: string): void {
    if (data === '') return;
    const { id, method, result, error } = JSON.parse(data) as {
      id: unknown; method?: string; result?: { content: [{ text: string }] }; error?: { message: string };
    };
    if (method === 'elicitation/create') call.question = id;
    else if (call.said !== undefined) call.said += ', and once more';
    else call.said = result ? result.content[0].text : error?.message ?? `${method}`;
    this.story.push(`call ${call.id} hears ${method ?? call.said}`);
  }

  answer(call: Call): void {
    const place = this.place();
    call.answer = 'on its way';
    this.story.push(`call ${call.id} is answered at ${place.process.name}`);
    this.send(place, 'POST', { jsonrpc: '2.0', id: call.question, result: { action: 'accept', content: { sure: true } } }).then(
      ({ status }) => {
        // A closed process accepts no answer: send it again.
        call.answer = status === 202 ? 'taken' : 'owed';
      });
  }

  calm(): Promise<void> {
    return this.engine.calm(this.#t, 3);
  }
}

async function live(world: World): Promise<void> {
  const { calls } = world;
  for (let i = 0; i < 3; i++) await world.start();
  const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo: { name: 'client', version: '1' } };
  const opened = world.send(world.place(), 'POST', { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await world.calm();
  world.headers = { 'mcp-session-id': (await opened).headers.get('mcp-session-id') as string, 'mcp-protocol-version': version };
  const open = (call: Call): boolean => call.said === undefined;
  const asked = (call: Call): boolean => open(call) && call.question !== undefined && call.answer === 'owed';
  const connected = (call: Call): boolean => open(call) && call.leave !== undefined && call.last !== undefined;
  const away = (call: Call): boolean => open(call) && call.leave === undefined;
  const some = (which: (call: Call) => boolean, act: (call: Call) => void): void => {
    const call = world.pick(calls.filter(which));
    if (call) act(call);
  };
  const actions: [weight: number, act: () => void | Promise<void>][] = [
    [6, () => world.call()],
    [4, () => some(connected, (call) => {
      world.story.push(`call ${call.id} is cut`);
      call.leave?.();
    })],
    [6, () => some(away, (call) => world.resume(call))],
    [4, () => some(asked, (call) => world.answer(call))],
    [2, () => world.close()],
    [2, () => world.places.length < 3 ? world.start() : undefined],
  ];
  for (let i = 0; i < 50; i++) {
    await drawn(world.random, actions)?.();
    await world.engine.steps(Math.floor(world.random() * 8));
  }
  for (let tries = 0; tries < 12 && (calls.some(open) || world.closing.size > 0); tries++) {
    await world.calm();
    for (const call of calls.filter(away)) world.resume(call);
    for (const call of calls.filter(asked)) world.answer(call);
  }
  assert.deepEqual(calls.filter(({ said }) => said !== 'accept'), []);
  assert.equal(world.closing.size, 0, 'all have closed');
}

test(`in a rolling restart every call that asks gets its result, in ${to - from + 1} orders of what may happen`, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  for (let seed = from; seed <= to; seed++) {
    const world = new World(t, seed);
    await live(world).catch((thrown: unknown) => {
      throw new Error(`seed ${seed}: ${(thrown as Error).message}\n${world.story.join('\n')}`, { cause: thrown });
    });
  }
});
