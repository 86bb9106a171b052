import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { ConnectionError } from '../../src/jsonrpc/errors.ts';
import type { RequestId } from '../../src/jsonrpc/message.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { legacy, modern, RpcFault, Scripted } from './scripted.ts';
import type { Script, Sent } from './scripted.ts';
import { mockClock } from '../mock-clock.ts';

const info = { name: 'tester', version: '1' };

async function connect(
  script: Script,
  options: ClientOptions = {},
  kind: 'pipe' | 'http' = 'pipe',
): Promise<{ client: McpClient; wire: Scripted; errors: Error[] }> {
  const errors: Error[] = [];
  const wire = new Scripted(kind, script);
  const client = new McpClient(info, { onError: (error) => errors.push(error), ...options });
  await client.connect(wire);
  return { client, wire, errors };
}

const tag = (id: unknown, params: object = {}): object => ({ ...params, _meta: { [metaKeys.subscriptionId]: id } });
const filterOf = (sent: Sent): object => sent.params?.['notifications'] as object;
function acknowledge(wire: Scripted, sent: Sent, notifications: object = filterOf(sent)): void {
  wire.push({ method: 'notifications/subscriptions/acknowledged', params: tag(sent.id, { notifications }) });
}
/** A server that acknowledges every subscription. */
const willing = modern((sent, wire) => {
  if (sent.method !== 'subscriptions/listen') return {};
  acknowledge(wire, sent);
  return undefined;
});
const listens = ({ sent }: Scripted): Sent[] => sent.filter(({ method }) => method === 'subscriptions/listen');
const turns = (): Promise<unknown> => new Promise(setImmediate);

test('legacy: changes are told as they come', async () => {
  const heard: string[] = [];
  const { client, wire } = await connect(legacy(), {
    onListChanged: (list) => heard.push(list), onResourceUpdated: (uri) => heard.push(uri),
  });
  await client.subscribe('a:b');
  wire.push({ method: 'notifications/tools/list_changed' });
  wire.push({ method: 'notifications/prompts/list_changed', params: {} });
  wire.push({ method: 'notifications/resources/list_changed' });
  wire.push({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
  wire.push({ method: 'notifications/resources/updated', params: {} });
  assert.deepEqual(heard, ['tools', 'prompts', 'resources', 'a:b']);
});

test('modern: no stream without a handler; with one, for what the server declares', async () => {
  const quiet = await connect(willing);
  await turns();
  assert.equal(listens(quiet.wire).length, 0);
  const heard: string[] = [];
  const { wire, errors } = await connect((sent, wire) => {
    const answer = willing(sent, wire);
    return sent.method === 'server/discover'
      ? { ...answer, capabilities: { tools: { listChanged: true }, prompts: {} } }
      : answer;
  }, { onListChanged: (list) => heard.push(list) });
  await turns();
  const [listen] = listens(wire);
  assert.deepEqual(listen && filterOf(listen), { toolsListChanged: true });
  // 2026-07-28 basic/index#_meta: on every request.
  assert.deepEqual(listen?.params?.['_meta'], {
    [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: info, [metaKeys.clientCapabilities]: {},
  });
  wire.push({ method: 'notifications/tools/list_changed', params: tag(listen?.id) });
  wire.push({ method: 'notifications/tools/list_changed', params: tag('other') });
  wire.push({ method: 'notifications/tools/list_changed' });
  assert.deepEqual(heard, ['tools']);
  assert.deepEqual(errors, []);
});

test('modern: subscriptions of one turn share a stream; the next replaces it without a gap', async () => {
  const heard: string[] = [];
  const { client, wire } = await connect(willing, {
    onResourceUpdated: (uri) => heard.push(uri),
    extensions: { 'org.example/x': { notifications: { 'notifications/x': ({ uri }) => void heard.push(`x ${String(uri)}`) } } },
  });
  await Promise.all([client.subscribe('a:1'), client.subscribe('a:2')]);
  assert.deepEqual(listens(wire).map(filterOf), [{ resourceSubscriptions: ['a:1', 'a:2'] }]);
  const first = listens(wire)[0]?.id as RequestId;
  assert.ok(!wire.methods().includes('notifications/cancelled'));
  await client.subscribe('a:3');
  assert.deepEqual(listens(wire).map(filterOf)[1], { resourceSubscriptions: ['a:1', 'a:2', 'a:3'] });
  assert.deepEqual(wire.sent.at(-1)?.params?.['requestId'], first);
  wire.push({ method: 'notifications/resources/updated', params: tag(first, { uri: 'late' }) });
  for (const none of [{ uri: 'without' }, tag('other', { uri: 'of another' }), tag(String(listens(wire)[1]?.id), { uri: 'as text' })]) {
    wire.push({ method: 'notifications/resources/updated', params: none });
  }
  wire.push({ method: 'notifications/x', params: tag(first, { uri: 'late' }) });
  // The end of another subscription does not end this one.
  wire.push({ method: 'notifications/cancelled', params: { requestId: 'other' } });
  await turns();
  wire.push({ method: 'notifications/resources/updated', params: tag(listens(wire)[1]?.id, { uri: 'a:3' }) });
  wire.push({ method: 'notifications/x', params: tag(listens(wire)[1]?.id, { uri: 'a:3' }) });
  assert.deepEqual(heard, ['a:3', 'x a:3']);
  await client.unsubscribe('a:1');
  await client.unsubscribe('a:1');
  assert.deepEqual(listens(wire).map(filterOf)[2], { resourceSubscriptions: ['a:2', 'a:3'] });
  assert.equal(listens(wire).length, 3);
  await Promise.all([client.unsubscribe('a:2'), client.unsubscribe('a:3')]);
  assert.equal(listens(wire).length, 3);
  assert.equal(wire.sent.at(-1)?.method, 'notifications/cancelled');
  await client.close();
});

test('modern over HTTP: closing the client closes the stream, without a notification', async () => {
  const { client, wire } = await connect(willing, {}, 'http');
  await client.subscribe('a:1');
  await client.close();
  assert.deepEqual(wire.abandoned, [listens(wire)[0]?.id]);
  assert.ok(!wire.methods().includes('notifications/cancelled'));
});

test('modern: the acknowledged filter is checked', async () => {
  const { client, wire, errors } = await connect(modern((sent, wire) => {
    if (sent.method !== 'subscriptions/listen') return {};
    // A subscription id that this client does not have.
    wire.push({ method: 'notifications/subscriptions/acknowledged', params: tag('other', { notifications: filterOf(sent) }) });
    acknowledge(wire, sent, { toolsListChanged: true, resourceSubscriptions: ['a:1'] });
    return undefined;
  }), { onListChanged: () => {} });
  await client.subscribe('a:1');
  await assert.rejects(client.subscribe('a:2'), /did not agree to updates of a:2/);
  assert.match(errors.map(({ message }) => message).join(), /did not agree to promptsListChanged/);
  await client.subscribe('a:1');
  assert.ok(listens(wire).length >= 2);
});

test('modern: what is granted is known for each key, by the newest acknowledgement', async () => {
  let granted: object = {};
  const { client, errors } = await connect(modern((sent, wire) => {
    if (sent.method !== 'subscriptions/listen') return {};
    acknowledge(wire, sent, granted);
    return undefined;
  }), { onListChanged: () => {} });
  await turns();
  const told = (): string[] => errors.splice(0).map(({ message }) => message.replace('subscriptions/listen: the server did not agree to ', ''));
  assert.deepEqual(told(), ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged']);
  granted = { toolsListChanged: true, 'org.example/topics': ['a'], resourceSubscriptions: ['a:1'] };
  assert.deepEqual(await client.listen('org.example/topics', ['a', 'b']), ['a']);
  await client.subscribe('a:1');
  assert.deepEqual(new Set(told()), new Set(['promptsListChanged', 'resourcesListChanged']));
  granted = { resourcesListChanged: true };
  assert.equal(await client.listen('org.example/topics', ['b']), undefined);
  assert.deepEqual(told(), ['toolsListChanged', 'promptsListChanged', 'org.example/topics', 'updates of a:1']);
  await assert.rejects(client.subscribe('a:1'), /did not agree to updates of a:1/);
  await client.close();
});

test('modern: a refusal reaches the subscriber, and is not repeated', async () => {
  const { client, wire } = await connect(
    modern((sent) => (sent.method === 'subscriptions/listen' ? new RpcFault(-32602, 'no such') : {})),
  );
  await assert.rejects(client.subscribe('a:1'), /no such/);
  await turns();
  assert.equal(listens(wire).length, 1);
});

test('modern: a server that never acknowledges', async () => {
  const { client, wire } = await connect(modern(() => undefined), { limits: { timeoutMs: 5 } });
  await assert.rejects(client.subscribe('a:1'), /not acknowledged within 5 ms/);
  assert.deepEqual(wire.sent.slice(-2).map(({ method }) => method), ['subscriptions/listen', 'notifications/cancelled']);
  assert.equal(wire.sent.at(-1)?.params?.['requestId'], wire.sent.at(-2)?.id);
});

test('modern: a dropped stream is opened again, later each time', async () => {
  let refuse = false;
  const { client, wire } = await connect(modern((sent, wire) => {
    if (sent.method !== 'subscriptions/listen') return {};
    if (refuse) return new ConnectionError('closed', 'no route');
    acknowledge(wire, sent);
    return undefined;
  }), {}, 'http');
  await client.subscribe('a:1');
  mockClock(mock, { apis: ['setTimeout', 'Date'] });
  try {
    wire.receiver.failed(listens(wire)[0]?.id as RequestId, new ConnectionError('closed', 'the stream broke'));
    refuse = true;
    await turns();
    let expected = 1;
    for (const wait of [250, 500, 1000, 2000]) {
      mock.timers.tick(wait - 1);
      await turns();
      assert.equal(listens(wire).length, expected);
      mock.timers.tick(1);
      await turns();
      assert.equal(listens(wire).length, ++expected);
    }
    refuse = false;
    mock.timers.tick(4000);
    await turns();
    assert.deepEqual(filterOf(listens(wire).at(-1) as Sent), { resourceSubscriptions: ['a:1'] });
    // A graceful end, also in its stdio form, counts as a drop; the backoff starts anew.
    wire.answer(listens(wire).at(-1)?.id as RequestId, {});
    await turns();
    mock.timers.tick(250);
    await turns();
    wire.push({ method: 'notifications/cancelled', params: { requestId: listens(wire).at(-1)?.id } });
    await turns();
    mock.timers.tick(250);
    await turns();
    assert.equal(listens(wire).length, 8);
    await client.close();
    mock.timers.tick(100_000);
    await turns();
    assert.equal(listens(wire).length, 8);
  } finally {
    mock.timers.reset();
    mock.restoreAll();
  }
});

test('modern: a server that was started again is told anew', async () => {
  const { client, wire } = await connect(willing, { onListChanged: () => {} });
  await client.subscribe('a:1');
  const [last] = listens(wire).slice(-1).map(filterOf);
  assert.deepEqual(last, { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['a:1'] });
  const before = listens(wire).length;
  wire.receiver.closed('it exited');
  await turns();
  assert.equal(listens(wire).length, before);
  await client.ping();
  await turns();
  assert.deepEqual(listens(wire).slice(before).map(filterOf), [last]);
});
