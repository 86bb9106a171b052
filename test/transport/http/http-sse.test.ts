import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, rpc, start } from './harness.ts';
import { within } from '../../within.ts';

test('the pair of endpoints: a stream that names the place to POST to, and all answers on it', async (t) => {
  // Also if the server supports only 2024-11-05.
  const oldest = await start(t, {}, ['2024-11-05']);
  const only = await oldest.live({ method: 'GET', path: '/sse' });
  assert.equal((await within('the first event of the oldest revision', only.next()))?.type, 'endpoint');
  only.cut();
  const { ask, live, server } = await start(t);
  const stream = await live({ method: 'GET', path: '/sse' });
  const first = await within('the first event', stream.next());
  assert.equal(first?.type, 'endpoint');
  assert.match(first.data, /^\/messages\?sessionId=[0-9a-f]{32}$/);
  const post = (body: object | string) => ask({ path: first.data, body });
  const next = async (): Promise<unknown> => {
    const { type, data } = await stream.next() ?? assert.fail('the stream ended');
    // 2024-11-05 basic/transports#http-with-sse: messages are `message` events.
    assert.equal(type, 'message');
    return JSON.parse(data);
  };
  assert.deepEqual(
    await post(rpc('initialize', { protocolVersion: '2024-11-05' })).then(({ status, text }) => [status, text]),
    [202, ''],
  );
  assert.match(JSON.stringify(await next()), /"protocolVersion":"2024-11-05"/);
  assert.equal((await post(note('notifications/initialized'))).status, 202);
  await post(rpc('steps', { steps: 1 }, 2));
  assert.match(JSON.stringify(await next()), /notifications\/step/);
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 2, result: { steps: 1 } });
  await post(rpc('ask', {}, 3));
  const { id } = await next() as { id: number };
  await post({ jsonrpc: '2.0', id, result: { roots: [] } });
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 3, result: { answer: { roots: [] } } });
  assert.equal((await post('{')).status, 400);
  assert.equal((await ask({ path: '/messages?sessionId=x', body: rpc('ping') })).status, 404);
  assert.equal((await ask({ path: '/messages', body: rpc('ping') })).status, 404);
  assert.equal((await ask({ method: 'GET', path: '/messages' })).status, 405);
  // A session of one kind is unknown to the other.
  const sessionId = first.data.slice(first.data.indexOf('=') + 1);
  assert.equal((await ask({ headers: { 'mcp-session-id': sessionId }, body: rpc('ping') })).status, 404);
  // The stream is the session: if it ends, its requests are aborted.
  await post(rpc('wait', { key: 'w' }, 4));
  await server.arrived('w');
  const { signal } = server.waiting.get('w')?.inbound ?? assert.fail();
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  stream.cut();
  await aborted;
  assert.equal((await post(rpc('ping'))).status, 404);
});

test('the paths can be chosen, or left out', async (t) => {
  const beside = await start(t, { path: '/api/v1/mcp' });
  const stream = await beside.live({ method: 'GET', path: '/api/v1/sse' });
  assert.match((await stream.next())?.data ?? '', /^\/api\/v1\/messages\?/);
  const statuses: number[] = [];
  for (const path of ['/api/v1/mcp', '/mcp']) statuses.push((await beside.ask({ path, body: rpc('initialize') })).status);
  // A GET without a session gets 400 at the MCP path and 404 elsewhere.
  for (const path of ['/api/v1/mcp', '/mcp']) statuses.push((await beside.ask({ method: 'GET', path })).status);
  assert.deepEqual(statuses, [200, 404, 400, 404]);
  const chosen = await start(t, { sse: { path: '/events', messages: '/in' } });
  const events = await chosen.live({ method: 'GET', path: '/events' });
  const place = (await events.next())?.data ?? '';
  assert.match(place, /^\/in\?/);
  assert.equal((await chosen.ask({ path: place, body: rpc('initialize', { protocolVersion: '2024-11-05' }) })).status, 202);
  const none = await start(t, { sse: false });
  assert.equal((await none.ask({ method: 'GET', path: '/sse' })).status, 404);
});

test('a batch is taken by a pair of endpoints whose revision has batches, and by no other', async (t) => {
  const { ask, live } = await start(t);
  for (const [protocolVersion, status, text] of [
    ['2024-11-05', 400, 'Invalid request: this protocol revision has no batches'], ['2025-03-26', 202, ''],
  ] as const) {
    const stream = await live({ method: 'GET', path: '/sse' });
    const path = (await stream.next())?.data ?? '';
    await ask({ path, body: rpc('initialize', { protocolVersion }, 0) });
    await stream.next();
    const answer = await ask({ path, body: [note('notifications/initialized')] });
    assert.deepEqual([answer.status, answer.text.includes(text)], [status, true], protocolVersion);
  }
});

test('a full session takes no further request, and still takes answers', async (t) => {
  const { ask, live, server } = await start(t, { limits: { maxStreamsPerSession: 1 } });
  const stream = await live({ method: 'GET', path: '/sse' });
  const path = (await stream.next())?.data ?? '';
  const post = (body: object) => ask({ path, body });
  const next = async (): Promise<{ id: number; result?: unknown }> => JSON.parse((await stream.next())?.data ?? '');
  await post(rpc('initialize', { protocolVersion: '2024-11-05' }, 0));
  await next();
  await post(note('notifications/initialized'));
  await post(rpc('ask', {}, 1));
  const question = await next();
  const refused = await post(rpc('echo', {}, 2));
  assert.equal(refused.status, 429);
  assert.equal((JSON.parse(refused.text) as { id: unknown }).id, 2);
  assert.equal((await post({ jsonrpc: '2.0', id: question.id, result: { roots: [] } })).status, 202);
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: { answer: { roots: [] } } });
  assert.equal((await post(rpc('echo', {}, 3))).status, 202);
  assert.equal(server.peers.size, 1);
});
