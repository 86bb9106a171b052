import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { pinging } from '../../src/protocol/index.ts';
import {
  asking, caching, changes, guards, McpServer, pages, resources, resourceUpdated, ServerCore, tools,
} from '../../src/server/index.ts';
import type { Context, CoreOptions } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { ClientTransport } from '../../src/transport/client-port.ts';
import { mockClock } from '../mock-clock.ts';
import { connect } from './peer.ts';
import type { Bag } from './peer.ts';

// The optional parts of `ServerCore`: with each of them, and without it.

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';
const invalidParams = -32602;
const eras = ['legacy', 'modern'] as const;

/** A core with the tools t1 to t5, and a memory client of it. */
async function five(era: 'legacy' | 'modern', options: Omit<CoreOptions, 'features'>): Promise<McpClient> {
  const some = tools();
  const server = new ServerCore(info, { ...options, features: [some] });
  for (let n = 1; n <= 5; n++) some.add(`t${n}`, {}, () => '');
  return await connected(server, era);
}

async function connected(server: ServerCore, era: 'legacy' | 'modern', options: ClientOptions = {}): Promise<McpClient> {
  const client = new McpClient(info, { era, ...options });
  await client.connect(memoryTransport(server));
  return client;
}

const names = (result: Bag): string[] => (result['tools'] as { name: string }[]).map(({ name }) => name);

for (const era of eras) {
  test(`${era}: a core lists in the pages that it is given, and every cursor leads on`, async () => {
    const client = await five(era, { pages: pages(2) });
    const found: string[][] = [];
    let cursor: unknown;
    do {
      const result = await client.request('tools/list', cursor === undefined ? {} : { cursor });
      found.push(names(result));
      cursor = result['nextCursor'];
    } while (cursor !== undefined);
    assert.deepEqual(found, [['t1', 't2'], ['t3', 't4'], ['t5']]);
    for (const wrong of ['', 'x', 7, null]) {
      await assert.rejects(client.request('tools/list', { cursor: wrong }), { code: invalidParams }, JSON.stringify(wrong));
    }
    await client.close();
  });

  test(`${era}: without pages a list is one page, and no cursor leads anywhere`, async () => {
    const paged = await five(era, { pages: pages(2) });
    const { nextCursor } = await paged.request('tools/list');
    assert.equal(typeof nextCursor, 'string');
    const client = await five(era, {});
    const whole = await client.request('tools/list');
    assert.deepEqual(names(whole), ['t1', 't2', 't3', 't4', 't5']);
    assert.equal('nextCursor' in whole, false);
    for (const cursor of [nextCursor, '', null]) {
      await assert.rejects(client.request('tools/list', { cursor }), {
        code: invalidParams, message: 'Invalid params: params.cursor is not a cursor of this list',
      });
    }
    await Promise.all([paged.close(), client.close()]);
  });
}

test('a page has 1000 entries where no size is given, and at least one', async () => {
  const listed = pages()(Array.from({ length: 1001 }, (_, sequence) => ({ sequence })), undefined);
  assert.equal(listed?.items.length, 1000);
  assert.equal(typeof listed?.nextCursor, 'string');
  // An empty page would lead to itself for ever.
  for (const size of [0, -1, 0.5]) {
    assert.throws(() => pages(size), { name: 'RangeError', message: `the size of a page must be at least 1, not ${size}` });
    assert.throws(() => new McpServer(info, { pageSize: size }), RangeError);
  }
  assert.throws(() => pages(NaN), { code: 'invalid_option', message: 'pages: size is invalid, expected number, not NaN' });
});

/** A core with a tool, a resource without its own cache hint, and a resource with one. */
function kept(options: Omit<CoreOptions, 'features'>): ServerCore {
  const some = tools();
  const notes = resources();
  const server = new ServerCore(info, { ...options, features: [some, notes] });
  some.add('a', {}, () => '');
  notes.add('note://a', {}, () => 'a');
  notes.add('note://b', { cache: { ttlMs: 7, scope: 'public' } }, () => 'b');
  return server;
}

const questions: [string, Bag?][] = [
  ['server/discover'], ['tools/list'], ['resources/list'], ['resources/templates/list'],
  ['resources/read', { uri: 'note://a' }], ['resources/read', { uri: 'note://b' }],
];

async function hints(server: ServerCore): Promise<unknown[][]> {
  const peer = await connect(server);
  const answers = await Promise.all(questions.map(([method, params]) => peer.modern(method, params)));
  return answers.map(({ result }) => [result?.['ttlMs'], result?.['cacheScope']]);
}

test('a core says of each result how long it may be kept as caching has it, and without it that nobody may', async () => {
  const own = [7, 'public'];
  const never = [0, 'private'];
  assert.deepEqual(await hints(kept({})), [never, never, never, never, never, own]);
  const given = caching({
    discover: { ttlMs: 1000, scope: 'public' }, tools: { ttlMs: 2000.9 }, resources: { ttlMs: -5, scope: 'public' }, read: { ttlMs: 4 },
  });
  assert.deepEqual(await hints(kept({ caching: given })), [
    [1000, 'public'], [2000, 'private'], [0, 'public'], never, [4, 'private'], own,
  ]);
  assert.throws(() => caching({ prompts: { ttlMs: Infinity } }), RangeError);
  assert.throws(() => caching({ prompts: { ttlMs: NaN } }), { code: 'invalid_option' });
});

test('a list that is not the same for all is kept by its reader alone', async () => {
  const server = kept({
    caching: caching({ tools: { ttlMs: 5, scope: 'public' } }),
    guards: guards({ listFilter: { key: () => 'k', shows: () => true } }),
  });
  const { result } = await (await connect(server)).modern('tools/list');
  assert.deepEqual([result?.['ttlMs'], result?.['cacheScope']], [5, 'private']);
});

test('a legacy client reads nothing of keeping', async () => {
  const peer = await connect(kept({ caching: caching({ tools: { ttlMs: 5 }, read: { ttlMs: 5 } }) }), { revision });
  for (const [method, params] of questions.slice(1)) {
    const { result } = await peer.request(method, params);
    assert.ok(result, method);
    assert.equal('ttlMs' in result || 'cacheScope' in result, false, method);
  }
});

for (const era of eras) {
  test(`${era}: resourceUpdated tells who watches that resource of a core with changes`, async () => {
    const notes = resources();
    const server = new ServerCore(info, { features: [notes], changes: changes() });
    for (const uri of ['note://a', 'note://b']) notes.add(uri, {}, () => uri);
    let told = (_: string): void => {};
    const next = new Promise<string>((resolve) => (told = resolve));
    const client = await connected(server, era, { onResourceUpdated: (uri) => told(uri) });
    await client.subscribe('note://b');
    resourceUpdated(server, 'note://a');
    resourceUpdated(server, 'note://b');
    // A notification of the first one would have come before.
    assert.equal(await next, 'note://b');
    await client.close();
  });
}

test('resourceUpdated tells nobody where a core has no changes or no resources', async () => {
  const notes = resources();
  const quiet = new ServerCore(info, { features: [notes] });
  notes.add('note://a', {}, () => 'a');
  const legacy = await connect(quiet, { revision });
  const { result } = await (await connect(quiet)).modern('server/discover');
  assert.deepEqual(result?.['capabilities'], { logging: {}, resources: {} });
  resourceUpdated(quiet, 'note://a');
  resourceUpdated(new ServerCore(info, { changes: changes() }), 'note://a');
  assert.deepEqual(await legacy.rest(), []);
});

const rootsChanged = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };

test('asking tells of changed roots, once each, and of nothing else', async () => {
  let times = 0;
  const server = new ServerCore(info, { asking: asking({ onRootsChanged: () => times++ }) });
  const client = await connected(server, 'legacy', { roots: [{ uri: 'file:///a' }] });
  client.notify('notifications/roots/list_changed');
  client.notify('notifications/other');
  client.notify('notifications/roots/list_changed');
  await client.ping();
  assert.equal(times, 2);
  await client.close();
});

test('who fails to hear of changed roots is reported; without asking or a listener they are dropped', async () => {
  const heard: unknown[] = [];
  const onError: CoreOptions['onError'] = ({ message }, { what, name }) => heard.push([message, what, name]);
  const failing = asking({
    onRootsChanged() {
      throw new Error('no roots');
    },
  });
  const servers = [
    new ServerCore<Context>(info, { onError, asking: failing }), new ServerCore(info, { onError }),
    new ServerCore<Context>(info, { onError, asking: asking() }),
  ];
  for (const server of servers) {
    const peer = await connect(server as ServerCore, { revision });
    peer.send(rootsChanged);
    assert.deepEqual((await peer.request('ping')).result, {});
    assert.deepEqual(await peer.rest(), []);
  }
  assert.deepEqual(heard, [['no roots', 'notification', 'notifications/roots/list_changed']]);
});

/** A text-only client over the memory transport that does not answer pings. */
function silent(server: ServerCore): { transport: ClientTransport; sent: Bag[]; closed: Promise<string> } {
  const transport = memoryTransport(server, {
    trace({ direction, text }) {
      if (direction === 'received') sent.push(JSON.parse(text) as Bag);
    },
  });
  const sent: Bag[] = [];
  const closed = new Promise<string>((resolve) => {
    void transport.open({ message() {}, failed() {}, error() {}, closed: resolve });
  });
  return { transport, sent, closed };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const initialize = JSON.stringify({
  jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion: revision, capabilities: {}, clientInfo: info },
});
const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

test('a core with pinging ends the session of a client that has gone silent, once it is ready', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const errors: string[] = [];
  const server = new ServerCore(info, {
    pinging: pinging({ intervalMs: 1000, timeoutMs: 300 }), onError: ({ message }, { what }) => errors.push(`${what}: ${message}`),
  });
  const { transport, sent, closed } = silent(server);
  transport.send(initialize);
  await turn();
  t.mock.timers.tick(1000);
  await turn();
  assert.deepEqual(sent.splice(0).map(({ id }) => id), ['i'], 'not before it is ready');
  transport.send(initialized);
  await turn();
  t.mock.timers.tick(1000);
  await turn();
  assert.deepEqual(sent.map(({ method }) => method), ['ping']);
  t.mock.timers.tick(300);
  const why = 'the other side has not answered a ping within 300 ms';
  assert.equal(await closed, `the server has ended the connection: ${why}`);
  assert.deepEqual(errors, [`connection: ${why}`]);
});

test('a core without pinging asks no client, and one with it asks none that speaks 2026-07-28', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const plain = silent(new ServerCore(info));
  plain.transport.send(initialize);
  plain.transport.send(initialized);
  const modern = silent(new ServerCore(info, { pinging: pinging({ intervalMs: 1000, timeoutMs: 300 }) }));
  modern.transport.send(JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'server/discover', params: {
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
    },
  }));
  for (let n = 0; n < 5; n++) {
    await turn();
    t.mock.timers.tick(100_000);
  }
  assert.deepEqual(plain.sent.map(({ id }) => id), ['i']);
  assert.deepEqual(modern.sent.map(({ id }) => id), [1]);
  assert.equal('result' in (modern.sent[0] ?? {}), true);
});

test('modern: a result without members is complete, and names its server', async () => {
  const server = new ServerCore(info, {
    features: [{ methods: { 'org.example/nothing': () => ({}) }, capabilities: () => ({}), attach() {} }],
  });
  const client = await connected(server, 'modern');
  const result = await client.request('org.example/nothing');
  assert.deepEqual(result, { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': info } });
  await client.close();
});
