import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { processBudget } from '../../src/bounds/budget.ts';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { gauges, httpListener } from '../../src/transport/http/node/index.ts';
import type { Gauged, Gauges } from '../../src/transport/http/node/index.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { webSocketHandler } from '../../src/transport/websocket/index.ts';
import { httpTransport, serveHttp } from './http/engine.ts';
import { fakeServer } from './http/fake-server.ts';
import { both, modern, rpc, start } from './http/harness.ts';

const info = { name: 'test', version: '1' };
/** Without `heldBytes`: the whole process shares this figure, so other tests change it. */
const read = (handle: Gauged): Omit<Gauges, 'heldBytes'> => {
  const { heldBytes, ...rest } = gauges(handle);
  assert.ok(Number.isSafeInteger(heldBytes) && heldBytes >= 0);
  return rest;
};
const nothing = { sessions: 0, streams: 0, inFlight: 0, queued: 0, unreadBytes: 0 };

test('gauges: sessions, their streams, and requests of both eras over HTTP', async (t) => {
  const { http, server, ask, live, open } = await start(t);
  assert.deepEqual(read(http), nothing);
  const session = await open();
  assert.deepEqual(read(http), { ...nothing, sessions: 1 });
  const listening = await live({ method: 'GET', headers: session });
  assert.deepEqual(read(http), { ...nothing, sessions: 1, streams: 1 });
  const legacy = ask({ headers: session, body: rpc('wait', { key: 'old' }) });
  await server.arrived('old');
  assert.equal(read(http).inFlight, 1);
  const held = gauges(http).heldBytes;
  const one = ask(modern('wait', { key: 'new', filler: 'x'.repeat(100_000) }));
  await server.arrived('new');
  assert.deepEqual(read(http), { ...nothing, sessions: 1, streams: 1, inFlight: 2 });
  assert.ok(gauges(http).heldBytes >= held + 100_000);
  assert.equal(gauges(http).heldBytes, processBudget().used);
  server.waiting.get('old')?.finish();
  server.waiting.get('new')?.finish();
  await Promise.all([legacy, one]);
  assert.equal(read(http).inFlight, 0);
  assert.equal((await ask({ method: 'DELETE', headers: session })).status, 204);
  await listening.closed;
  assert.deepEqual(read(http), nothing);
});

test('gauges: what a slow reader leaves, and calls that wait behind long answers', async (t) => {
  const { http, live } = await start(t);
  const slow = await live(modern('big', { size: 8_000_000 }));
  slow.pause();
  assert.ok(gauges(http).unreadBytes > 0);
  slow.cut();
  await slow.closed;
});

test('gauges: calls that wait behind long answers', async () => {
  const handler = fetchHandler(fakeServer());
  const { headers = {}, body } = modern('big', { size: 300_000 });
  const ask = (): Promise<Response> => handler(new Request('http://localhost/mcp', {
    method: 'POST', headers: { ...headers, 'content-type': 'application/json', accept: both },
  }), { body });
  // Both in one turn: the first answer is long, so the second waits.
  const answers = [ask(), ask()];
  assert.equal(gauges(handler).queued, 1);
  for (const answer of await Promise.all(answers)) await answer.text();
  assert.equal(gauges(handler).queued, 0);
  await handler.close();
});

test('gauges: of listeners, pipes and WebSockets too', async () => {
  const server = new McpServer(info);
  let go = (): void => {};
  server.tool('wait', {}, () => new Promise<string>((resolve) => {
    go = () => resolve('x');
  }));
  assert.deepEqual([httpListener(server), fetchHandler(server), webSocketHandler(server)].map(read), [nothing, nothing, nothing]);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { stdin, stdout });
  assert.deepEqual(read(serving), { ...nothing, sessions: 1 });
  const begun = { jsonrpc: '2.0', id: 1, ...modern('tools/call', { name: 'wait' }).body as object };
  stdin.write(`${JSON.stringify(begun)}\n`);
  const answered = new Promise((resolve) => stdout.once('data', resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(read(serving).inFlight, 1);
  go();
  await answered;
  assert.equal(read(serving).inFlight, 0);
  await serving.close();
});

test('gauges: of a real client and server, and of what is no handle', async (t) => {
  const http = await serveHttp(new McpServer(info));
  t.after(() => http.close({ drainMs: 0 }));
  const client = new McpClient(info, { revisions: ['2025-11-25'] });
  await client.connect(httpTransport(http.url));
  assert.deepEqual(read(http).sessions, 1);
  await client.close();
  assert.deepEqual(read(http).sessions, 0);
  assert.throws(() => gauges({} as Gauged), /gauges: handle.peers is missing or null/);
});
