import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { fleet } from '../../src/fleet/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import type { FetchHandler } from '../../src/transport/http/fetch/index.ts';
import { sseParser } from '../../src/transport/http/sse-parser.ts';
import { drawn, randomOf } from '../random.ts';
import { newKey } from './harness.ts';
import { ScheduledEngine } from './scheduled-engine.ts';
import type { Process } from './scheduled-engine.ts';

// A listening client in a random order of events: it opens a GET stream, loses it and resumes anywhere; processes are killed; leases
// expire; the engine fails and returns. A client that has subscribed, and has a stream at the end, must have heard of each change, or been
// told afterwards that the resource may have changed; and it must hear of the next change once. FLEET_SEEDS=from-to runs other orders.

const [from = 1, to = from] = (process.env['FLEET_SEEDS'] ?? '1-12').split('-').map(Number);
const version = '2025-11-25';
const uris = ['note:a', 'note:b'];
const processCount = 3;

/** One process of the fleet. */
interface Place {
  readonly process: Process;
  readonly server: McpServer;
  readonly handle: FetchHandler;
  readonly connections: Set<() => void>;
}

const url = 'http://localhost/mcp';

class World {
  readonly random: () => number;
  readonly engine: ScheduledEngine;
  readonly places: (Place | undefined)[] = [];
  readonly story: string[] = [];
  readonly errors: Error[] = [];
  /** Counts the events. */
  clock = 0;
  readonly #keys = [newKey()];
  readonly #t: TestContext;

  constructor(t: TestContext, seed: number) {
    this.#t = t;
    this.random = randomOf(seed);
    this.engine = new ScheduledEngine(this.random);
  }

  note(what: string): number {
    this.story.push(`${++this.clock} ${what}`);
    return this.clock;
  }

  /** A random integer from 0 to `count - 1`. */
  pick(count: number): number {
    return Math.floor(this.random() * count);
  }

  async start(at: number): Promise<void> {
    const server = new McpServer({ name: 'world', version: '1' }, { onError: () => {} });
    for (const uri of uris) server.resource(uri, { name: uri }, () => 'text');
    server.tool('none', {}, () => '');
    let process: Process | undefined;
    const onError = (error: Error): void => void this.errors.push(error);
    const own = await fleet({ keys: this.#keys, engine: this.engine.open((joined) => (process = joined)), onError });
    const handle = fetchHandler(server, { fleet: own, onError });
    this.places[at] = { process: process as Process, server, handle, connections: new Set() };
  }

  place(): Place {
    const alive = this.places.filter((place) => place !== undefined);
    return alive[this.pick(alive.length)] as Place;
  }

  /**
   * Runs everything that happens by itself. A process that carries another process's stream checks the lease of that process at each tick.
   */
  calm(): Promise<void> {
    return this.engine.calm(this.#t, 4);
  }
}

class Client {
  readonly heard: { uri: string; at: number }[] = [];
  readonly subscribed = new Set<string>();
  readonly ids = new Set<string>();
  readonly faults: string[] = [];
  state: 'away' | 'asking' | 'open' = 'away';
  readonly #world: World;
  readonly #headers: Record<string, string>;
  #last: string | undefined;
  /** The last event id on this connection. */
  #current: string | undefined;
  #leave = (): void => {};

  constructor(world: World, session: string) {
    this.#world = world;
    this.#headers = {
      'mcp-session-id': session, 'mcp-protocol-version': version, accept: 'application/json, text/event-stream',
    };
  }

  /** Opens or resumes the GET stream in a random process. */
  listen(): void {
    const world = this.#world;
    const { handle, connections, process } = world.place();
    const last = this.#last;
    world.note(`GET to ${process.name} ${last === undefined ? '' : `after ${last}`}`);
    const abort = new AbortController();
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    let left = false;
    const leave = this.#leave = (): void => {
      if (left) return;
      left = true;
      connections.delete(leave);
      this.state = 'away';
      abort.abort();
      reader?.cancel().catch(() => {});
    };
    connections.add(leave);
    this.state = 'asking';
    this.#current = undefined;
    const headers = { ...this.#headers, ...last !== undefined && { 'last-event-id': last } };
    handle(new Request(url, { headers, signal: abort.signal })).then(async (response) => {
      if (left) return response.body?.cancel();
      if (response.status >= 400 && response.status < 500) this.faults.push(`GET got ${response.status}`);
      if (response.status !== 200 || response.body === null) return leave();
      this.state = 'open';
      reader = response.body.getReader();
      const parser = sseParser({
        lastEventId: last ?? '', maxEventBytes: 1e6, onRefused: () => {},
        onEvent: ({ id, data }) => this.#hear(id, data),
      });
      for (;;) {
        const { done, value } = await reader.read();
        if (left) return;
        if (done) break;
        parser.push(value);
        this.#last = parser.lastEventId;
      }
      world.note('the stream has ended');
      leave();
    }).catch(leave);
  }

  #hear(id: string | undefined, data: string): void {
    // An event that was not stored has no id; the parser then repeats the last one.
    const own = id !== this.#current;
    this.#current = id;
    if (data === '') return;
    if (id !== undefined && own) {
      if (this.ids.has(id)) this.faults.push(`event ${id} came twice`);
      this.ids.add(id);
    }
    const { params } = JSON.parse(data) as { params?: { uri?: string } };
    if (params?.uri !== undefined) this.heard.push({ uri: params.uri, at: this.#world.note(`heard of ${params.uri} ${id}`) });
  }

  cut(): void {
    if (this.state === 'away') return;
    this.#world.note('cut');
    this.#leave();
  }

  subscribe(uri: string): void {
    const world = this.#world;
    const { handle, process } = world.place();
    world.note(`subscribe ${uri} at ${process.name}`);
    post(handle, this.#headers, { jsonrpc: '2.0', id: `s${world.clock}`, method: 'resources/subscribe', params: { uri } })
      .then(async (response) => {
        const { result } = await response.json() as { result?: unknown };
        if (!result || !process.alive) return;
        world.note(`subscribed ${uri}`);
        this.subscribed.add(uri);
      }).catch(() => {});
  }
}

function post(handle: FetchHandler, headers: Record<string, string>, body: object): Promise<Response> {
  return handle(new Request(url, {
    method: 'POST', body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  }));
}

/** A change that the client must hear of. */
interface Update {
  readonly uri: string;
  readonly at: number;
  readonly process: Process;
}

async function live(t: TestContext, world: World): Promise<void> {
  const { engine } = world;
  for (let i = 0; i < processCount; i++) await world.start(i);
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'client', version: '1' } };
  const opened = post(world.place().handle, {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await world.calm();
  const client = new Client(world, (await opened).headers.get('mcp-session-id') as string);
  let updates: Update[] = [];
  const update = ({ server, process }: Place, uri: string): void => {
    const at = world.note(`update ${uri} at ${process.name}`);
    if (client.subscribed.has(uri)) updates.push({ uri, at, process });
    server.resourceUpdated(uri);
  };
  const actions: [weight: number, act: () => void | Promise<void>][] = [
    [10, () => client.state === 'away' ? client.listen() : client.cut()],
    [4, () => client.subscribe(uris[world.pick(uris.length)] as string)],
    [8, () => update(world.place(), uris[world.pick(uris.length)] as string)],
    [2, async () => {
      const at = world.pick(processCount);
      const place = world.places[at];
      if (place === undefined) return world.start(at);
      if (world.places.filter((one) => one !== undefined).length === 1) return;
      const { process, connections } = place;
      world.note(`kill ${process.name}`);
      // Notifications that it has not yet sent are lost with it.
      if (process.telling > 0 || process.refused) updates = updates.filter((one) => one.process !== process);
      world.places[at] = undefined;
      engine.kill(process);
      for (const leave of [...connections]) leave();
    }],
    [1, () => {
      const { process } = world.place();
      world.note(`the lease of ${process.name} is out`);
      engine.lapse(process);
    }],
    [1, () => {
      world.note(engine.away ? 'the engine is back' : 'the engine is away');
      if (engine.away) engine.back();
      else engine.away = true;
    }],
    [4, () => t.mock.timers.tick(300)],
  ];
  for (let i = 0; i < 60; i++) {
    await drawn(world.random, actions)?.();
    await engine.steps(world.pick(8));
  }
  if (engine.away) engine.back();
  for (let tries = 0; tries < 10; tries++) {
    await world.calm();
    if (client.state === 'open') break;
    if (client.state === 'asking') client.cut();
    client.listen();
  }
  assert.equal(client.state, 'open', 'it has a stream');
  assert.deepEqual(client.faults, []);
  for (const { uri, at } of updates) {
    assert.ok(client.heard.some((one) => one.uri === uri && one.at > at), `the change ${at} of ${uri}`);
  }
  for (const place of world.places) {
    for (const uri of client.subscribed) {
      if (place === undefined) continue;
      const before = client.heard.length;
      update(place, uri);
      await world.calm();
      assert.deepEqual(client.heard.slice(before).map((one) => one.uri), [uri], `the change of ${uri} at ${place.process.name}`);
    }
  }
  client.cut();
}

test(`whoever has subscribed and has a stream hears of each change, in ${to - from + 1} orders of what may happen`, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  for (let seed = from; seed <= to; seed++) {
    const world = new World(t, seed);
    await live(t, world).catch((thrown: unknown) => {
      throw new Error(`seed ${seed}: ${(thrown as Error).message}\n${world.story.join('\n')}\n${[...new Set(world.errors.map((error) => error.stack))].slice(-4).join('\n')}`, { cause: thrown });
    });
  }
});
