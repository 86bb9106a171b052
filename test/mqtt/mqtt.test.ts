import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import type { Auth } from '../../src/transport/auth.ts';
import { mqttTransport, serveMqtt } from '../../src/transport/mqtt/index.ts';
import type { MqttServing, MqttTransportOptions, ServeMqttOptions } from '../../src/transport/mqtt/index.ts';
import { Broker } from './broker.ts';

const eras = ['2025-11-25', '2026-07-28'] as const;
const name = 'home/attic/sensor';

function makeInternals(): { server: McpServer; started: EventEmitter } {
  const started = new EventEmitter();
  const server = new McpServer({ name: 'sensor', version: '1.0.0' });
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => text ?? '');
  server.tool('who', {}, (_args, ctx) => `${ctx.auth?.principal}`);
  server.tool('ask', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Which unit?', { unit: { type: 'string' } });
    return answer.action === 'accept' ? `in ${answer.content.unit}` : 'not said';
  });
  server.tool('never', {}, (_args, ctx) => {
    started.emit('said');
    return new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => {
      started.emit('aborted');
      resolve('too late');
    }));
  });
  return { server, started };
}

function guarded(): McpServer {
  const { server } = makeInternals();
  server.tool('secret', { scopes: ['owner'] }, () => 'told');
  return server;
}

const onElicit = (): { action: 'accept'; content: { unit: string } } => ({ action: 'accept', content: { unit: 'K' } });

/** A server that is online, and a connected client. */
async function pair(t: TestContext, era: string, broker: Broker, given: { serve?: Partial<ServeMqttOptions>; client?: Partial<MqttTransportOptions> } = {}): Promise<{
  client: McpClient; serving: MqttServing; server: McpServer; started: EventEmitter;
}> {
  const { server, started } = makeInternals();
  const serving = await serveMqtt(server, broker.connect, { name, ...given.serve });
  const client = new McpClient({ name: 'test', version: '1.0.0' }, { revisions: [era], onElicit });
  await client.connect(mqttTransport(broker.connect, { server: name, ...given.client }));
  t.after(async () => {
    await client.close();
    await serving.close();
  });
  return { client, serving, server, started };
}

const textOf = async (call: Promise<{ content: readonly unknown[] }>): Promise<string> => ((await call).content[0] as { text: string }).text;

for (const era of eras) {
  test(`${era}: calls and questions over a broker, and each topic as the transport says`, async (t) => {
    const broker = new Broker();
    const { client, serving, server } = await pair(t, era, broker, { serve: { presence: { description: 'the attic' }, id: 'attic-1' } });
    assert.equal(await textOf(client.callTool('echo', { text: 'ä' })), 'ä');
    assert.equal(await textOf(client.callTool('ask')), 'in K');
    // `_meta` passes both ways: a modern request is refused without it.
    assert.equal('_meta' in await client.request('tools/list'), era === '2026-07-28');
    const [clientId = ''] = broker.clients.filter((id) => id !== serving.id);
    const rpc = `$mcp-rpc/${clientId}/attic-1/${name}`;
    assert.deepEqual(broker.topicsOf('attic-1').sort(), [`$mcp-client/capability/${clientId}`, `$mcp-client/presence/${clientId}`, rpc, `$mcp-server/attic-1/${name}`].sort());
    assert.deepEqual(broker.topicsOf(clientId).sort(), [rpc, `$mcp-server/capability/attic-1/${name}`, `$mcp-server/presence/+/${name}`].sort());
    const topics = broker.published.map(({ topic }) => topic);
    assert.deepEqual(topics.slice(0, 3), [`$mcp-server/presence/attic-1/${name}`, `$mcp-server/attic-1/${name}`, rpc]);
    assert.deepEqual(new Set(topics.slice(3)), new Set([rpc]));
    assert.deepEqual(JSON.parse(broker.published[0]?.payload ?? ''), {
      jsonrpc: '2.0', method: 'notifications/server/online', params: { server_name: name, description: 'the attic' },
    });
    assert.equal(server.revisions.length > 0, true);
  });

  test(`${era}: a server that breaks off ends its sessions, and the next call goes to another one of its name`, async (t) => {
    const broker = new Broker();
    const { client, serving, started } = await pair(t, era, broker);
    const lost = assert.rejects(client.callTool('never'), /went offline/);
    await once(started, 'said');
    const second = await serveMqtt(makeInternals().server, broker.connect, { name, id: 'second' });
    t.after(() => second.close());
    const aborted = once(started, 'aborted');
    broker.cut(serving.id);
    await Promise.all([lost, aborted]);
    assert.equal(await textOf(client.callTool('echo', { text: 'again' })), 'again');
  });

  test(`${era}: a client that breaks off aborts what it waits for`, async (t) => {
    const broker = new Broker();
    const { client, serving, started } = await pair(t, era, broker);
    const call = client.callTool('never');
    call.catch(() => {});
    await once(started, 'said');
    const [clientId = ''] = broker.clients.filter((id) => id !== serving.id);
    const aborted = once(started, 'aborted');
    broker.cut(clientId);
    await aborted;
    assert.deepEqual(broker.topicsOf(serving.id), [`$mcp-server/${serving.id}/${name}`]);
  });
}

test('a broker that falls and comes back: the server is online again, and the client begins another session', async (t) => {
  const broker = new Broker();
  const errors = new EventEmitter();
  const { client, serving } = await pair(t, '2026-07-28', broker, { serve: { retryMs: 1, onError: () => void errors.emit('one') } });
  broker.fall();
  await once(errors, 'one');
  await once(errors, 'one');
  broker.up = true;
  assert.equal(await textOf(client.callTool('echo', { text: 'back' })), 'back');
  assert.ok(broker.clients.includes(serving.id));
});

test('changed lists are told once on the topic that all clients read, updates of a resource only to those that watch it', async (t) => {
  const broker = new Broker();
  const changed = new EventEmitter();
  const { server, serving } = await pair(t, '2025-11-25', broker);
  server.resource('test:a', { name: 'a' }, () => 'x');
  const listening = new McpClient({ name: 'listening', version: '1.0.0' }, {
    revisions: ['2025-11-25'],
    onListChanged: (list) => void changed.emit('told', list), onResourceUpdated: (uri) => void changed.emit('told', uri),
  });
  await listening.connect(mqttTransport(broker.connect, { server: name }));
  t.after(() => listening.close());
  await listening.subscribe('test:a');
  const before = broker.published.length;
  const told = once(changed, 'told');
  server.tool('new', {}, () => 'x');
  assert.deepEqual(await told, ['tools']);
  const since = broker.published.slice(before);
  assert.deepEqual(since.map(({ topic }) => topic), [`$mcp-server/capability/${serving.id}/${name}`]);
  const updated = once(changed, 'told');
  server.resourceUpdated('test:a');
  assert.deepEqual(await updated, ['test:a']);
  assert.match(broker.published.at(-1)?.topic ?? '', /^\$mcp-rpc\//);
});

test('auth: who a client is, and who may not connect', async (t) => {
  const broker = new Broker();
  const { client } = await pair(t, '2026-07-28', broker, { serve: { auth: (clientId) => ({ principal: `by ${clientId.length}` }) } });
  assert.equal(await textOf(client.callTool('who')), 'by 36');
  const errors: Error[] = [];
  const closed = await serveMqtt(makeInternals().server, broker.connect, {
    name: 'closed', auth: () => { throw new Error('not you'); }, onError: (error) => void errors.push(error),
  });
  t.after(() => closed.close());
  const other = new McpClient({ name: 'test', version: '1.0.0' });
  await assert.rejects(other.connect(mqttTransport(broker.connect, { server: 'closed' })), /ended the session/);
  assert.deepEqual(new Set(errors.map(({ message }) => message)), new Set(['not you']));
});

test('a server with scopes is served only to clients with an identity', async (t) => {
  const broker = new Broker();
  const errors: string[] = [];
  const { server, client } = await pair(t, '2026-07-28', broker);
  assert.equal(await textOf(client.callTool('echo', { text: 'open' })), 'open');
  await assert.rejects(serveMqtt(guarded(), broker.connect, { name: 'guarded' }), /serveMqtt: the server has scopes, and `auth` gives no identity/);
  // Registered after a client was admitted.
  server.tool('secret', { scopes: ['owner'] }, () => 'told');
  await assert.rejects(client.callTool('secret'), /ended the session/);
  await assert.rejects(client.callTool('echo', { text: 'x' }), /ended the session/);
  const known: (Auth | undefined)[] = [undefined, { principal: 'owner', scopes: ['owner'] }];
  const serving = await serveMqtt(guarded(), broker.connect, {
    name: 'guarded', auth: () => known.pop(), onError: ({ message }) => errors.push(message),
  });
  t.after(() => serving.close());
  const next = async (): Promise<string> => {
    const one = new McpClient({ name: 'test', version: '1.0.0' });
    t.after(() => one.close());
    await one.connect(mqttTransport(broker.connect, { server: 'guarded' }));
    return textOf(one.callTool('secret'));
  };
  assert.equal(await next(), 'told');
  await assert.rejects(next(), /ended the session/);
  assert.match(errors.join(), /the server has scopes/);
});

test('hostile: messages without a sender, for others, too long, or from too many clients', async (t) => {
  const broker = new Broker();
  const { client, serving } = await pair(t, '2026-07-28', broker, { serve: { maxClients: 1, maxMessageBytes: 2000 } });
  await client.callTool('echo', { text: 'x' });
  const control = `$mcp-server/${serving.id}/${name}`;
  const before = broker.published.length;
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  for (const userProperties of [undefined, {}, { 'MCP-MQTT-CLIENT-ID': 'a/b' }, { 'MCP-MQTT-CLIENT-ID': '#' }, { 'MCP-MQTT-CLIENT-ID': ['a', 'b'] }, { 'MCP-MQTT-CLIENT-ID': 'x'.repeat(300) }]) {
    broker.publish(undefined, control, ping, false, { properties: { userProperties } });
  }
  broker.publish(undefined, `$mcp-rpc/unknown/${serving.id}/${name}`, ping, false, {});
  broker.publish(undefined, control, ping, false, { properties: { userProperties: { 'MCP-MQTT-CLIENT-ID': 'second' } } });
  await assert.rejects(client.callTool('echo', { text: 'y'.repeat(3000) }), /2000 bytes/);
  const answers = broker.published.slice(before).filter(({ from }) => from === serving.id);
  assert.deepEqual(answers.slice(0, -1), [{ from: serving.id, topic: `$mcp-rpc/second/${serving.id}/${name}`, payload: '{"jsonrpc":"2.0","method":"notifications/disconnected"}' }]);
  assert.equal(await textOf(client.callTool('echo', { text: 'still' })), 'still');
});

test('hostile: a client that sends too much before it is admitted is told that its session is over, and the author hears of it', async (t) => {
  const broker = new Broker();
  const heard = new EventEmitter();
  const admit: (() => void)[] = [];
  const serving = await serveMqtt(makeInternals().server, broker.connect, {
    name, maxMessageBytes: 2000, onError: ({ message }) => void heard.emit('error told', message),
    auth: () => new Promise((resolve) => {
      admit.push(() => resolve({ principal: 'a' }));
      heard.emit('asked');
    }),
  });
  t.after(() => serving.close());
  const say = (id: number, text: string, client: string = 'fast'): void => broker.publish(undefined, `$mcp-server/${serving.id}/${name}`, JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: { text } }), false, {
    properties: { userProperties: { 'MCP-MQTT-CLIENT-ID': client } },
  });
  const rpc = `$mcp-rpc/fast/${serving.id}/${name}`;
  const saidTo = async (count: number): Promise<unknown[]> => {
    let said: unknown[] = [];
    while (said.length < count) {
      await new Promise((resolve) => setImmediate(resolve));
      said = broker.published.filter(({ topic }) => topic === rpc).map(({ payload }) => JSON.parse(payload) as unknown);
    }
    return said;
  };
  const [first, told] = [once(heard, 'asked'), once(heard, 'error told')];
  say(1, 'x'.repeat(1000));
  await first;
  say(2, 'x'.repeat(1000));
  assert.deepEqual(await told, ['the client sent more than 2000 bytes before it was admitted']);
  assert.deepEqual(await saidTo(1), [{ jsonrpc: '2.0', method: 'notifications/disconnected' }]);
  // It may come again; the late identity of its first session changes nothing.
  const second = once(heard, 'asked');
  say(3, '');
  await second;
  admit[0]?.();
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(broker.topicsOf(serving.id).includes(rpc), false);
  admit[1]?.();
  const [, answer] = await saidTo(2);
  assert.equal((answer as { id: unknown }).id, 3);
  assert.ok(broker.topicsOf(serving.id).includes(rpc));
  // While its topics are subscribed to.
  const [third, again] = [once(heard, 'asked'), once(heard, 'error told')];
  say(4, '', 'late');
  await third;
  say(5, 'x'.repeat(2000), 'late');
  admit[2]?.();
  await again;
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(broker.topicsOf(serving.id).filter((topic) => topic.includes('late')), []);
});

test('names that would reach other topics are refused, and a server that is not there', async () => {
  const broker = new Broker();
  const { server } = makeInternals();
  for (const bad of ['', '/a', 'a/', 'a/+', '#', 'x'.repeat(300)]) {
    await assert.rejects(serveMqtt(server, broker.connect, { name: bad }), TypeError, bad);
    assert.throws(() => mqttTransport(broker.connect, { server: bad }), TypeError, bad);
  }
  await assert.rejects(serveMqtt(server, broker.connect, { name, id: 'a/b' }), TypeError);
  const client = new McpClient({ name: 'test', version: '1.0.0' });
  await assert.rejects(client.connect(mqttTransport(broker.connect, { server: 'nobody', openMs: 1 })), /no server "nobody" was online/);
  assert.deepEqual(broker.clients, []);
  broker.up = false;
  await assert.rejects(serveMqtt(server, broker.connect, { name }), /connection to the broker was closed/);
});
