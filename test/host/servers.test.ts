import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { clockOf } from '../mock-clock.ts';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { memoryLog } from '../../src/host/activity-log.ts';
import { findTools } from '../../src/host/find-tools.ts';
import { Host } from '../../src/host/host.ts';
import type { HostOptions } from '../../src/host/options.ts';
import type { PinChange } from '../../src/host/pins.ts';
import { memoryStore } from '../../src/host/store.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

function server(name: string): McpServer {
  const made = new McpServer({ name, version: '1.0.0' });
  made.tool('look', { description: 'Looks', annotations: { readOnlyHint: true } }, () => `${name} looked`);
  return made;
}

function make(t: { after(run: () => Promise<void>): void }, options: Partial<HostOptions> = {}): Host {
  const servers: Record<string, McpServer> = { a: server('a'), b: server('b') };
  const host = new Host({
    info: { name: 'host', version: '1.0.0' },
    servers: { a: { command: 'a' } },
    transport: (name) => memoryTransport(servers[name] as McpServer),
    rules: [{ annotations: { readOnlyHint: true }, then: 'allow' }],
    ...options,
  });
  t.after(() => host.close());
  return host;
}

test('host: servers come and go while it runs', async (t) => {
  const host = make(t);
  assert.deepEqual((await host.tools()).map(({ name }) => name), ['a__look']);
  await host.add('b', { command: 'b', trusted: true });
  assert.deepEqual((await host.tools()).map(({ name }) => name), ['a__look', 'b__look']);
  assert.deepEqual((await host.call('b/look')).content, [{ type: 'text', text: 'b looked' }]);
  await assert.rejects(host.add('b', { command: 'b' }), { code: 'ambiguous-name' });
  const client = await host.connect('b');
  await host.remove('b');
  await assert.rejects(client.ping());
  await assert.rejects(host.connect('b'), { code: 'no-such-server' });
  await assert.rejects(host.remove('b'), { code: 'no-such-server' });
  assert.deepEqual((await host.tools()).map(({ name }) => name), ['a__look']);
  assert.deepEqual((await host.servers()).map(({ name }) => name), ['a']);
});

test('host: trust can be given and taken while it runs', async (t) => {
  const host = make(t);
  await assert.rejects(host.call('a/look'), { code: 'refused' });
  host.trust('a', true);
  assert.deepEqual((await host.call('a/look')).content, [{ type: 'text', text: 'a looked' }]);
  host.trust('a', false);
  await assert.rejects(host.call('a/look'), { code: 'refused' });
  assert.throws(() => host.trust('z', true), { code: 'no-such-server' });
});

test('host: the application makes the client, and says how an allowed call is sent', async (t) => {
  const made: string[] = [];
  class Counted extends McpClient {}
  const host = make(t, {
    rules: [{ then: 'allow' }],
    client: (name, info, options) => {
      made.push(name);
      return new Counted(info, { ...options, era: 'legacy' });
    },
  });
  const result = await host.call('a/look', {}, {
    via: async (client, tool, args, options) => {
      assert.ok(client instanceof Counted);
      assert.equal(client.revision?.era, 'legacy');
      assert.ok(!('via' in options));
      const { content } = await client.callTool(tool, args, options);
      return { content, isError: true };
    },
  });
  assert.equal(result.isError, true);
  assert.deepEqual(made, ['a']);
});

test('host: a call by server and tool starts no other server, and each listing is told', async (t) => {
  const opened: string[] = [];
  const listed: string[] = [];
  const servers: Record<string, McpServer> = { a: server('a'), b: server('b') };
  const host = make(t, {
    servers: { a: { command: 'a', trusted: true }, b: { command: 'b' } },
    transport: (name) => {
      opened.push(name);
      return memoryTransport(servers[name] as McpServer);
    },
    onListed: (name) => listed.push(name),
  });
  await host.call('a/look');
  assert.deepEqual([opened, listed], [['a'], ['a']]);
  await host.refresh('a');
  assert.deepEqual(listed, ['a', 'a']);
  await host.tools();
  assert.deepEqual([opened, listed], [['a', 'b'], ['a', 'a', 'b']]);
});

test('host: after the clock was set back by a day, a server that failed is started again when its time has passed', async (t) => {
  const day = 86_400_000;
  const clock = manualClock(2 * day);
  let works = false;
  const good = server('good');
  const host = make(t, {
    servers: { good: { command: 'good', trusted: true } },
    transport: () => {
      if (works) return memoryTransport(good);
      throw new Error('no such program');
    },
    clock,
    limits: { backoffMs: 0, maxBackoffMs: 0, breakerFailures: 3, breakerMs: 60_000 },
  });
  for (let i = 0; i < 3; i++) await assert.rejects(host.call('good/look'), { code: 'server-down', message: /no such program/ });
  works = true;
  clock.tick(day);
  await assert.rejects(host.call('good/look'), { code: 'server-down', message: /not restarted for 60 s more/ });
  clock.tick(day + 60_000);
  assert.ok(await host.call('good/look'));
});

test('host: a server that cannot be started is started and reported in calls to itself, not in those to others', async (t) => {
  let now = 1_000_000;
  const tries: number[] = [];
  const errors: string[] = [];
  const states: string[] = [];
  const good = server('good');
  const host = make(t, {
    servers: { bad: { command: 'bad' }, good: { command: 'good', trusted: true } },
    transport: (name) => {
      if (name === 'good') return memoryTransport(good);
      tries.push(now);
      throw new Error('no such program');
    },
    clock: clockOf(() => now),
    limits: { backoffMs: 1_000, maxBackoffMs: 4_000, breakerFailures: 3, breakerMs: 60_000 },
    onError: (error, name) => errors.push(`${name}: ${error.message}`),
    onState: (name, state) => name === 'bad' && states.push(state),
  });
  const calls = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      await host.call('good__look');
      await host.call('good/look');
      await host.tools();
      await findTools(host, 'look');
    }
  };
  await calls();
  assert.equal(tries.length, 1);
  assert.deepEqual(errors, ['bad: bad could not be started: no such program']);
  assert.deepEqual(states, ['starting', 'down']);
  // A request for all servers retries the failed one each time the wait has passed; the failure is reported once.
  for (const wait of [1_000, 2_000, 60_000]) {
    now += wait - 1;
    await calls();
    now += 1;
    await calls();
  }
  assert.deepEqual(tries, [1_000_000, 1_001_000, 1_003_000, 1_063_000]);
  assert.equal(errors.length, 1);
  assert.deepEqual(states, ['starting', 'down', 'starting', 'down', 'starting', 'broken', 'starting', 'broken']);
  // A direct call to this server gets the error.
  await assert.rejects(host.call('bad/look'), { code: 'server-down', message: /not restarted for 60 s more/ });
  await assert.rejects(host.call('bad/look'), { code: 'server-down' });
  assert.deepEqual([tries.length, states.length], [4, 8]);
});

test('host: the state of each server, and what is known of it before it runs; an unknown name is answered with the known ones', async (t) => {
  const shared: Partial<HostOptions> = { store: memoryStore(), servers: { a: { command: 'a' }, off: { command: 'b', disabled: true, trusted: true } } };
  const stateOf = async (host: Host): Promise<unknown[]> => (await host.servers()).map(({ name, state, why, disabled, trusted, client, listed }) =>
    [name, state, why, disabled, trusted, client !== undefined, Object.keys(listed?.tools ?? {})]);
  const host = make(t, shared);
  const off = ['off', 'resting', '', true, true, false, []];
  assert.deepEqual(await stateOf(host), [['a', 'resting', '', false, false, false, []], off]);
  await host.tools();
  assert.deepEqual(await stateOf(host), [['a', 'ready', '', false, false, true, ['look']], off]);
  const later = make(t, shared);
  assert.deepEqual(await stateOf(later), [['a', 'resting', '', false, false, false, ['look']], off]);
  await assert.rejects(later.connect('off'), { code: 'no-such-server', message: 'there is no server "off"; there are a' });
  await assert.rejects(make(t, { servers: { a: { command: 'a' }, b: { command: 'b' } } }).connect('z'), { message: 'there is no server "z"; there are a, b' });
  await assert.rejects(make(t, { servers: {} }).connect('z'), { message: 'there is no server "z"; there are none' });
});

test('host: the callbacks of the application are called, and none is needed', async (t) => {
  for (const heard of [undefined, [] as unknown[]]) {
    const note = (what: string) => (...args: unknown[]): void => void heard?.push([what, ...args]);
    let given: ClientOptions = {};
    const error = new Error('odd');
    const entry = { direction: 'sent', text: '{}' } as never;
    const host = make(t, {
      servers: { a: { command: 'a', trusted: true } },
      transport: (_name, _config, { trace, onStderr }) => {
        trace?.(entry);
        onStderr?.('a line');
        return memoryTransport(server('a'));
      },
      client: (_name, info, options) => new McpClient(info, given = options),
      ...heard && { trace: note('trace'), onStderr: note('stderr'), onError: note('error'), onState: note('state'), onListed: note('listed') },
    });
    await host.call('a/look');
    given.onError?.(error);
    assert.deepEqual(typeof given.roots === 'function' && await given.roots(), [], 'a server without roots is told that there are none');
    if (heard) {
      assert.deepEqual(heard, [
        ['state', 'a', 'starting', undefined], ['trace', 'a', entry], ['stderr', 'a', 'a line'], ['state', 'a', 'ready', undefined], ['listed', 'a'], ['error', error, 'a'],
      ]);
    }
  }
});

test('host: a log that does not take a line is reported, of no server, and without a callback nothing happens', async (t) => {
  for (const heard of [undefined, [] as unknown[]]) {
    const log = { append: async () => { throw new Error('disk full'); } };
    const host = make(t, { log, servers: { a: { command: 'a', trusted: true } }, ...heard && { onError: (error, name) => void heard.push([error.message, name]) } });
    await host.tools();
    await host.flushed();
    if (heard) assert.deepEqual(heard[0], ['the activity log could not be written: disk full', undefined]);
  }
});

test('host: a list counts for a minute at an address without sessions, and otherwise until it changes', async (t) => {
  for (const [kind, era, again] of [['http', 'modern', true], ['http', 'legacy', false], ['pipe', 'modern', false], ['pipe', 'legacy', false]] as const) {
    const clock = manualClock();
    let listed = 0;
    const host = make(t, {
      clock, servers: { a: { command: 'a', trusted: true } }, onListed: () => listed++,
      transport: () => ({ ...memoryTransport(server('a')), kind }), client: (_name, info, options) => new McpClient(info, { ...options, era }),
    });
    for (const [at, expected] of [[0, 1], [59_999, 1], [60_000, again ? 2 : 1], [119_999, again ? 2 : 1], [120_000, again ? 3 : 1]] as const) {
      clock.tick(at);
      await host.call('a/look');
      assert.equal(listed, expected, `${kind} ${era} ${at}`);
    }
  }
});

test('host: of the changes that wait, one is accepted and the others wait; what has gone, or waits no more, cannot be accepted', async (t) => {
  const changing = new McpServer({ name: 'a', version: '1.0.0' });
  const tools = Array.from({ length: 103 }, (_, at) => changing.tool(`t${at}`, { description: 'first' }, () => ''));
  const log = memoryLog();
  const changes: PinChange[] = [];
  const host = make(t, { log, transport: () => memoryTransport(changing), onChanges: (_name, some) => changes.push(...some) });
  await host.tools();
  changes.length = 0;
  tools.slice(1).forEach((tool) => tool.update({ description: 'second' }));
  tools[0]?.remove();
  await host.refresh('a');
  const waiting = (): string[] => host.pendingChanges().map(({ name }) => name);
  const names = tools.slice(1).map((_, at) => `t${at + 1}`);
  assert.deepEqual(waiting().sort(), [...names].sort());
  const [gone] = changes.filter(({ kind }) => kind === 'gone');
  const [change] = host.pendingChanges();
  assert.ok(gone && change);
  await assert.rejects(host.acceptChange(gone), { code: 'tool-changed' });
  await host.acceptChange(change);
  assert.deepEqual(waiting().sort(), names.filter((name) => name !== change.name).sort());
  await assert.rejects(host.acceptChange(change), { code: 'tool-changed' });
  const pins = (await host.servers())[0]?.listed?.tools ?? {};
  assert.deepEqual(Object.values(pins).filter(({ tool }) => tool.description === 'second').map(({ tool }) => tool.name), [change.name]);
  await host.flushed();
  // A hundred changes have lines of their own; the log counts the others.
  const lines = log.lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ kind }) => kind === 'pin');
  const counted = lines.filter(({ change: what }) => what === 'more').map(({ server: name, count }) => [name, count]);
  assert.deepEqual([lines.filter(({ change: what }) => what === 'changed' || what === 'gone').length, counted], [100, [['a', 3]]]);
});
