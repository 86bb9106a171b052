import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import type { Bus, Fleet, FleetOptions, StoringEngine } from '../../src/fleet/index.ts';
import type { FleetMessage, Told } from '../../src/fleet/messages.ts';
import { sealedBus } from '../../src/fleet/sealed-bus.ts';
import { readRecord } from '../../src/fleet/session-records.ts';
import type { StoredRecord } from '../../src/fleet/session-records.ts';
import { McpServer } from '../../src/server/index.ts';
import { createEndpoint } from '../../src/transport/http/server/endpoint.ts';
import type { HttpOptions } from '../../src/transport/http/server/options.ts';
import { steppedClock } from '../mock-clock.ts';
import type { SteppedClock } from '../mock-clock.ts';
import { ScriptedRequest } from '../transport/http/scripted-request.ts';
import { word } from './reading.ts';
import { turn } from './scheduled-engine.ts';

export const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 8; turns++) await turn();
};

/** An event of a response. */
export interface SeenEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events in the response so far, without those that have only an id. */
export const eventsOf = ({ text }: ScriptedRequest): SeenEvent[] => text.split('\n\n').flatMap((event) => {
  const data = /^data: (.+)$/m.exec(event)?.[1];
  return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(event)?.[1], data }];
});

export const wordsOf = (request: ScriptedRequest): string[] => eventsOf(request).map(({ data }) => word(data));

/**
 * One member of a fleet, and a spy in the place of all others: it has the key of the fleet, joins the bus under the name `spy`, and reads and
 * writes what the processes send to each other. Requests need no socket, and time passes only by the clock.
 */
export interface SpiedMember {
  readonly own: Fleet;
  readonly server: McpServer;
  readonly clock: SteppedClock;
  readonly hub: StoringEngine;
  readonly bus: Bus;
  readonly errors: string[];
  /** Sends a request, and waits until all that follows at once has happened. */
  ask(method: 'GET' | 'POST' | 'DELETE', headers: Record<string, string>, body?: object): Promise<ScriptedRequest>;
  /** Opens a session; returns its headers. */
  open(version?: string, headers?: Record<string, string>): Promise<Record<string, string>>;
  /** Calls a tool with progress. */
  call(headers: Record<string, string>, name: string, args?: object, id?: number): Promise<ScriptedRequest>;
  /** Lets the tool `steps` take its next step. */
  step(): Promise<void>;
  /** Resolves the tool `wait`. */
  readonly finish: (() => void)[];
  /** The messages that the spy has got since the last call. */
  sent(): FleetMessage[];
  /** What the member has told all since the last call. */
  told(): Told[];
  send(message: FleetMessage): Promise<void>;
  tell(told: Told, from?: string): Promise<void>;
  record(headers: Record<string, string>): Promise<StoredRecord>;
  /** The functions of the engine that fail, such as `load`. */
  readonly broken: Map<string, Error>;
  readonly endpoint: ReturnType<typeof createEndpoint>;
}

const key = new Uint8Array(32).fill(9);

/** The functions of an object, of which each fails while `broken` has its name. */
function breakable<T extends object>(object: T, broken: ReadonlyMap<string, Error>): T {
  return new Proxy(object, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      return (...args: unknown[]): unknown => {
        const error = broken.get(String(name));
        return error ? Promise.reject(error) : Reflect.apply(found, target, args);
      };
    },
  });
}

/** `engine`: with `bus` only, the member seals its sessions. */
export async function spiedMember(
  t: TestContext, { engine = 'stores', http, ...fleetOptions }: Omit<Partial<FleetOptions>, 'engine'> & { engine?: 'stores' | 'bus'; http?: HttpOptions } = {},
): Promise<SpiedMember> {
  const clock = steppedClock();
  const hub = memoryEngine({ clock });
  const broken = new Map<string, Error>();
  const errors: string[] = [];
  const onError = ({ message }: Error): void => void errors.push(message);
  const raw = await hub.join('spy');
  const bus = await sealedBus(raw, 'spy', [key], onError, clock);
  const join = async (name: string): Promise<Bus> => breakable(await hub.join(name), broken);
  const own = await fleet({
    keys: [key], clock, onError,
    engine: engine === 'bus' ? { join } : { join, sessions: breakable(hub.sessions, broken), streams: breakable(hub.streams, broken), spent: hub.spent },
    ...fleetOptions,
  });
  const [sent, told]: [FleetMessage[], Told[]] = [[], []];
  bus.receive({
    message: (text) => sent.push(JSON.parse(text) as FleetMessage),
    told(topic, text) {
      // What the spy itself has told comes back.
      if (topic !== 'barewire.fleet' || !text.startsWith('{')) return;
      const { from, told: what } = JSON.parse(text) as { from: string; told: Told };
      if (from === own.process) told.push(what);
    },
    gap: () => assert.fail(), lost: () => assert.fail(),
  });
  const server = new McpServer({ name: 'spied', version: '1' }, { clock, onError: () => {} });
  for (const uri of ['note:a', 'note:b']) server.resource(uri, { name: uri }, () => 'text');
  let steps: (() => void)[] = [];
  const finish: (() => void)[] = [];
  server.tool('steps', { input: { type: 'object', properties: { n: { type: 'integer' } } } }, async ({ n }, ctx) => {
    for (let done = 1; done <= Number(n); done++) {
      await new Promise<void>((resolve) => steps.push(resolve));
      ctx.progress(done);
    }
    await new Promise<void>((resolve) => steps.push(resolve));
    return 'arrived';
  });
  server.tool('wait', {}, (_, ctx) => new Promise((resolve) => {
    finish.push(() => resolve('finished'));
    ctx.signal.addEventListener('abort', () => resolve(String((ctx.signal.reason as Error).message)));
  }));
  server.tool('confirm', {}, async (_, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action);
  const endpoint = createEndpoint(server, { fleet: own, onError, ...http });
  t.after(async () => {
    broken.clear();
    await endpoint.close({ drainMs: 0 });
    await own.close();
  });
  const ask: SpiedMember['ask'] = async (method, headers, body) => {
    const request = new ScriptedRequest({ method, headers, ...body && { body } });
    endpoint.handle(request);
    await settled();
    return request;
  };
  return {
    own, server, clock, hub, bus, errors, ask, finish, broken, endpoint,
    async open(protocolVersion = '2025-11-25', headers = {}) {
      const params = { protocolVersion, capabilities: { elicitation: {} }, clientInfo: { name: 'raw', version: '1' } };
      const { fields } = await ask('POST', headers, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      return { ...headers, 'mcp-session-id': String(fields?.['mcp-session-id']), 'mcp-protocol-version': protocolVersion };
    },
    call: (headers, name, args = {}, id = 1) =>
      ask('POST', headers, { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: id } } }),
    async step() {
      const ready = steps;
      steps = [];
      for (const one of ready) one();
      await settled();
    },
    sent: () => sent.splice(0),
    told: () => told.splice(0),
    async send(message) {
      await bus.send(own.process, JSON.stringify(message));
      await settled();
    },
    async tell(what, from = 'spy') {
      await bus.tell('barewire.fleet', JSON.stringify({ from, told: what }));
      await settled();
    },
    record: async (headers) => readRecord((await hub.sessions.load(headers['mcp-session-id'] ?? ''))?.text ?? assert.fail('there is no record')),
  };
}
