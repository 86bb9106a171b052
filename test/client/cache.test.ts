import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { legacy, modern, RpcFault, Scripted } from './scripted.ts';
import type { Script } from './scripted.ts';

const info = { name: 'tester', version: '1' };

async function connect(
  script: Script,
  options: ClientOptions = {},
): Promise<{ client: McpClient; wire: Scripted; asked(): number }> {
  const wire = new Scripted('pipe', script);
  const client = new McpClient(info, options);
  await client.connect(wire);
  return { client, wire, asked: () => wire.methods().filter((method) => method !== 'subscriptions/listen').length - 1 };
}

const fresh = (ttlMs: unknown = 60_000): object =>
  ({
    resultType: 'complete', ttlMs, cacheScope: 'private',
    contents: [{ uri: 'a:b', text: 'x' }], tools: [], resources: [], prompts: [], resourceTemplates: [],
  });

test('a fresh result is not asked for twice, and belongs to its caller', async () => {
  const { client, asked } = await connect(modern(() => fresh()));
  const first = await client.readResource('a:b');
  first.contents.length = 0;
  assert.equal((await client.readResource('a:b')).contents.length, 1);
  assert.equal(asked(), 1);
  await client.readResource('a:c');
  assert.equal(asked(), 2);
  await client.readResource('a:b', { fresh: true });
  assert.equal(asked(), 3);
  client.clearCache();
  await client.readResource('a:b');
  assert.equal(asked(), 4);
});

test('freshness ends when its time is up', async () => {
  for (const cacheScope of ['private', 'public']) {
    const { client, asked } = await connect(modern(() => ({ ...fresh(1000), cacheScope })));
    mockClock(mock, { apis: ['Date'], now: 5000 });
    try {
      for (const get of [() => client.listTools(), () => client.listPrompts(), () => client.listResources(), () => client.listResourceTemplates(), () => client.readResource('a:b')]) {
        const before = asked();
        await get();
        mock.timers.tick(999);
        await get();
        assert.equal(asked(), before + 1);
        mock.timers.tick(1);
        await get();
        assert.equal(asked(), before + 2);
      }
    } finally {
      mock.reset();
    }
  }
  // Caches a later page like the first.
  const { client, asked } = await connect(modern(() => ({ ...fresh(60_000), tools: [] })));
  for (const cursor of ['two', 'three', 'two', 'three']) await client.request('tools/list', { cursor });
  assert.equal(asked(), 2);
});

test('a page that has run out is fetched again with its own cursor', async () => {
  const { client, wire } = await connect(modern(({ params }) => (
    params?.['cursor'] === undefined ? { ...fresh(1000), nextCursor: 'second' } : fresh(500))));
  mockClock(mock, { apis: ['Date'], now: 5000 });
  try {
    await client.listTools();
    mock.timers.tick(600);
    await client.listTools();
    const asked = wire.sent.filter(({ method }) => method === 'tools/list');
    assert.deepEqual(asked.map(({ params }) => params?.['cursor']), [undefined, 'second', 'second']);
  } finally {
    mock.reset();
  }
});

test('no time, no sensible time, no such method, no modern revision, switched off: nothing is kept', async () => {
  for (const ttlMs of [0, -60_000, '60000', null, undefined]) {
    const { client, asked } = await connect(modern(() => ({ ...fresh(), ttlMs })));
    await client.listTools();
    await client.listTools();
    assert.equal(asked(), 2);
  }
  const calls = await connect(modern(() => ({ ...fresh(), content: [] })));
  await calls.client.callTool('t');
  await calls.client.callTool('t');
  assert.equal(calls.asked(), 2);
  const off = await connect(modern(() => fresh()), { cache: false });
  await off.client.listTools();
  await off.client.listTools();
  assert.equal(off.asked(), 2);
  const old = await connect(legacy(() => fresh()), { era: 'legacy' });
  await old.client.listPrompts();
  await old.client.listPrompts();
  assert.equal(old.asked(), 3);
});

test('the result of a retried round is not kept', async () => {
  const { client, asked } = await connect(modern((sent) =>
    sent.params?.['requestState'] ? fresh() : { resultType: 'input_required', requestState: 's' }));
  await client.readResource('a:b');
  await client.readResource('a:b');
  assert.equal(asked(), 4);
  // The same for a retry with answers only, and for a request whose caller retries by itself.
  const inputRequests = { where: { method: 'roots/list' } };
  const answered = await connect(modern((sent) =>
    sent.params?.['inputResponses'] ? fresh() : { resultType: 'input_required', inputRequests }), { roots: [] });
  await answered.client.readResource('a:b');
  await answered.client.readResource('a:b');
  assert.equal(answered.asked(), 4);
  for (const retried of [{ requestState: 's' }, { inputResponses: {} }]) {
    const own = await connect(modern(() => fresh()));
    await own.client.request('resources/read', { uri: 'a:b', ...retried });
    await own.client.request('resources/read', { uri: 'a:b', ...retried });
    assert.equal(own.asked(), 2);
  }
});

test('the number of results is bounded; the oldest goes first', async () => {
  const { client, asked } = await connect(modern(() => fresh()), { limits: { maxCached: 2 } });
  for (const uri of ['a:1', 'a:2', 'a:3', 'a:3', 'a:2']) await client.readResource(uri);
  assert.equal(asked(), 3);
  await client.readResource('a:1');
  assert.equal(asked(), 4);
});

const tag = (id: unknown, params: object = {}): object => ({ ...params, _meta: { [metaKeys.subscriptionId]: id } });

test('notifications make what they concern stale, also what is still on its way', async () => {
  let listen: unknown;
  let held = false;
  const { client, wire, asked } = await connect(modern((sent, wire) => {
    if (sent.method !== 'subscriptions/listen') return held ? undefined : fresh();
    listen = sent.id;
    wire.push({
      method: 'notifications/subscriptions/acknowledged',
      params: tag(listen, { notifications: sent.params?.['notifications'] as object }),
    });
    return undefined;
  }), { onListChanged: () => {} });
  await client.subscribe('a:b');
  const all = async (): Promise<number> => {
    const before = asked();
    await client.listTools();
    await client.listPrompts();
    await client.listResources();
    await client.readResource('a:b');
    await client.readResource('c:d');
    return asked() - before;
  };
  assert.equal(await all(), 5);
  assert.equal(await all(), 0);
  for (const kind of ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed']) {
    wire.push({ method: `notifications/${kind}`, params: tag(listen) });
    assert.equal(await all(), 1, kind);
  }
  wire.push({ method: 'notifications/resources/updated', params: tag(listen, { uri: 'a:b/part' }) });
  assert.equal(await all(), 1);
  wire.push({ method: 'notifications/tools/list_changed', params: tag('another') });
  assert.equal(await all(), 0);

  held = true;
  const sent = wire.until('tools/list');
  const late = client.listTools({ fresh: true });
  const { id } = await sent;
  wire.push({ method: 'notifications/tools/list_changed', params: tag(listen) });
  wire.answer(id as number, fresh());
  await late;
  held = false;
  assert.equal(await all(), 1);
});

test('a result of one authorization is not given to another, and a public one is', async () => {
  let who = 'alice';
  const wire = Object.assign(new Scripted('pipe', modern(({ method }) => ({
    ...fresh(), cacheScope: method === 'tools/list' ? 'public' : 'private', contents: [{ uri: 'a:b', text: `for ${who}` }],
  }))), { context: async () => who });
  const client = new McpClient(info);
  await client.connect(wire);
  const read = async (): Promise<unknown> => (await client.readResource('a:b')).contents[0];
  const asked = (): number => wire.methods().filter((method) => method !== 'subscriptions/listen').length - 1;
  assert.deepEqual(await read(), { uri: 'a:b', text: 'for alice' });
  await client.listTools();
  who = 'bob';
  assert.deepEqual(await read(), { uri: 'a:b', text: 'for bob' });
  await client.listTools();
  assert.equal(asked(), 3);
  who = 'alice';
  assert.deepEqual(await read(), { uri: 'a:b', text: 'for alice' });
  assert.equal(asked(), 3);
  // A result without a valid cache scope belongs to its requester.
  for (const cacheScope of [undefined, 'Public', true]) {
    const open = Object.assign(new Scripted('pipe', modern(() => ({ ...fresh(), cacheScope }))), { context: () => who });
    const other = new McpClient(info);
    await other.connect(open);
    for (who of ['alice', 'bob', 'alice', 'bob']) await other.listTools();
    assert.equal(open.methods().filter((method) => method === 'tools/list').length, 2, String(cacheScope));
  }
});

test('what came while the authorization changed is not kept', async () => {
  let who = 'alice';
  const wire = Object.assign(new Scripted('pipe', modern(() => {
    who = 'bob';
    return fresh();
  })), { context: () => who });
  const client = new McpClient(info);
  await client.connect(wire);
  for (let n = 0; n < 2; n++) await client.readResource('a:b');
  assert.equal(wire.methods().filter((method) => method === 'resources/read').length, 2);
  await client.readResource('a:b');
  assert.equal(wire.methods().filter((method) => method === 'resources/read').length, 2);
  // The first requester gets nothing from the cache either: the cached result may be the other one's.
  who = 'alice';
  await client.readResource('a:b');
  assert.equal(wire.methods().filter((method) => method === 'resources/read').length, 3);
});

test('a cursor that died behind a page that was kept: the list begins anew', async () => {
  for (const [method, member, list, pages] of [
    ['tools/list', 'tools', (client: McpClient) => client.listTools(), (client: McpClient) => client.tools()],
    ['prompts/list', 'prompts', (client: McpClient) => client.listPrompts(), (client: McpClient) => client.prompts()],
    ['resources/list', 'resources', (client: McpClient) => client.listResources(), (client: McpClient) => client.resources()],
    ['resources/templates/list', 'resourceTemplates', (client: McpClient) => client.listResourceTemplates(), (client: McpClient) => client.resourceTemplates()],
  ] as const) {
    let generation = 1;
    let asked = 0;
    const item = (name: string): object[] => [{ name, uri: 'a:b', uriTemplate: 'a:{b}', inputSchema: { type: 'object' } }];
    const { client, wire } = await connect(modern(({ params }) => {
      // Ends a listing that would start again for ever.
      if (++asked > 20) return new RpcFault(-32603, 'asked too often');
      const cursor = params?.['cursor'];
      if (cursor === undefined) return { ...fresh(), [member]: item(`a${generation}`), nextCursor: `c${generation}` };
      if (cursor !== `c${generation}`) return new RpcFault(-32602, 'no such cursor');
      return { ...fresh(0), [member]: item(`b${generation}`) };
    }));
    const names = async (): Promise<string[]> => (await list(client)).map(({ name }) => name);
    assert.deepEqual(await names(), ['a1', 'b1'], method);
    generation = 2;
    assert.deepEqual(await names(), ['a2', 'b2'], method);
    assert.equal(wire.methods().filter((sent) => sent === method).length, 5);
    // A page-by-page listing cannot restart; the next listing does.
    generation = 3;
    await assert.rejects(async () => {
      for await (const one of pages(client)) assert.ok(one);
    }, /no such cursor/);
    const found: string[] = [];
    for await (const { name } of pages(client)) found.push(name);
    assert.deepEqual(found, ['a3', 'b3'], method);
    assert.deepEqual(await names(), ['a3', 'b3'], method);
  }
});

test('cached results are at most 64 Mi characters together: the oldest go first', async () => {
  const text = 'x'.repeat(9_000_000);
  const { client, asked } = await connect(modern(() => ({ ...fresh(), contents: [{ uri: 'a:b', text }] })));
  for (let i = 0; i < 8; i++) await client.readResource(`a:${i}`);
  await client.readResource('a:7');
  assert.equal(asked(), 8);
  await client.readResource('a:0');
  assert.equal(asked(), 9);
});
