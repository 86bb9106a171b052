// A server that closes while people are answering its questions: the answers come in new requests, often on new connections, and only this
// process can accept them.
import assert from 'node:assert/strict';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { mockClock } from '../../mock-clock.ts';
import { McpClient } from '../../../src/client/index.ts';
import { ask, McpServer } from '../../../src/server/index.ts';
import type { ServerOptions } from '../../../src/server/index.ts';
import { httpListener, httpTransport } from '../../../src/transport/http/node/index.ts';
import type { HttpServer } from '../../../src/transport/http/node/index.ts';
import { modernMeta } from '../../server/peer.ts';
import { both } from './harness.ts';
import { serveHttp } from './engine.ts';

function asking(options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'asking', version: '1.0.0' }, options);
  server.tool('greet', {}, async function* () {
    const first = yield* ask.text('First name?');
    const last = yield* ask.text('Last name?');
    return `Hello ${String(first)} ${String(last)}`;
  });
  server.tool('plain', {}, () => 'plain');
  return server;
}

/** People whose answers the test releases. */
interface People {
  /** Resolves when `count` people are being asked at once. */
  asked(count: number): Promise<void>;
  /** Releases all answers, also to later questions. */
  answer(): void;
  readonly onElicit: () => Promise<{ action: 'accept'; content: { value: string } }>;
}

function people(): People {
  let waiting: (() => void)[] = [];
  let free = false;
  let told: { count: number; resolve: () => void } | undefined;
  return {
    asked: (count) => new Promise((resolve) => {
      if (waiting.length >= count) resolve();
      else told = { count, resolve };
    }),
    answer() {
      free = true;
      for (const answer of waiting) answer();
      waiting = [];
    },
    async onElicit() {
      if (!free) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (told && waiting.length >= told.count) told.resolve();
        });
      }
      return { action: 'accept', content: { value: 'Ann' } };
    },
  };
}

async function client(t: TestContext, url: string, era: 'legacy' | 'modern', { onElicit }: People): Promise<McpClient> {
  const made = new McpClient({ name: 'test', version: '1.0.0' }, { era, onElicit });
  t.after(() => made.close());
  // Each request and each answer uses a new connection.
  await made.connect(httpTransport(url, { agent: new Agent({ keepAlive: false }) }));
  return made;
}

const textOf = (result: Awaited<ReturnType<McpClient['callTool']>>): string => JSON.stringify(result.content);

for (const era of ['modern', 'legacy'] as const) {
  test(`closing: of many open questions of the ${era} era none is lost, and new work is refused`, async (t) => {
    const http = await serveHttp(asking());
    const all = people();
    const clients = await Promise.all(Array.from({ length: 60 }, () => client(t, http.url, era, all)));
    const calls = clients.map((one) => one.callTool('greet').then(textOf));
    await all.asked(60);
    const late = await client(t, http.url, era, all);
    let over = false;
    const closed = http.close({ drainMs: 60_000 }).then(() => (over = true));
    await assert.rejects(late.callTool('plain'), (error: Error & { status?: number }) => error.status === 503 || /closing/.test(error.message));
    assert.equal(over, false);
    all.answer();
    assert.deepEqual(new Set(await Promise.all(calls)), new Set(['[{"type":"text","text":"Hello Ann Ann"}]']));
    // The server then waits for nothing more.
    await Promise.all(clients.map((one) => one.close()));
    await closed;
    await assert.rejects(fetch(http.url));
  });
}

interface Reply {
  readonly status: number;
  readonly result: { readonly resultType?: string; readonly requestState?: string; readonly inputRequests?: Record<string, unknown>; readonly content?: unknown };
}

/** One modern call on a new connection. */
function call(port: number, params: object): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent: false,
      headers: { 'content-type': 'application/json', accept: both, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'greet' },
    }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => {
        resolve({ status: answer.statusCode ?? 0, result: (JSON.parse(text) as { result?: Reply['result'] }).result ?? {} });
      });
    });
    sent.on('error', reject).end(JSON.stringify({
      jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet', _meta: modernMeta({ elicitation: { form: {} } }), ...params },
    }));
  });
}

const answersTo = ({ result: { inputRequests = {}, requestState } }: Reply): object => ({
  requestState, inputResponses: Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { value: 'Ann' } }])),
});

test('closing: each state that is out is waited for, and what is not a state of ours changes nothing', async () => {
  const http = await serveHttp(asking());
  const one = await call(http.port, {});
  const two = await call(http.port, answersTo(one));
  assert.equal(two.result.resultType, 'input_required');
  // Sent twice, the answer leads to two questions.
  const again = await call(http.port, answersTo(one));
  assert.equal(again.result.resultType, 'input_required');
  let over = false;
  const closed = http.close({ drainMs: 60_000 }).then(() => (over = true));
  // A state that was forged, or made for another request, leaves the question open.
  assert.notEqual((await call(http.port, { ...answersTo(two), requestState: 'x'.repeat(80) })).status, 503);
  assert.notEqual((await call(http.port, { ...answersTo(two), arguments: { other: true } })).result.resultType, 'complete');
  assert.equal((await call(http.port, {})).status, 503);
  assert.equal((await call(http.port, answersTo(two))).result.resultType, 'complete');
  assert.equal(over, false);
  assert.equal((await call(http.port, answersTo(again))).result.resultType, 'complete');
  await closed;
});

test('closing: a question that nobody answers holds the server up for the time of its drain, and no longer', async (t) => {
  const http = await serveHttp(asking());
  await call(http.port, {});
  const began = performance.now();
  await http.close({ drainMs: 400 });
  assert.ok(performance.now() - began >= 390);
  const expired = await serveHttp(asking());
  await call(expired.port, {});
  mockClock(t.mock, { apis: ['Date'], now: Date.now() + 600_001 });
  // The server does not wait for expired questions: otherwise the test would time out.
  await expired.close({ drainMs: 600_000 });
});

test('closing: with a key that is shared, another process takes the answer, and nothing is waited for', async () => {
  const http = await serveHttp(asking({ requestState: { keys: [new Uint8Array(32).fill(7)] } }));
  const first = await call(http.port, {});
  await http.close({ drainMs: 600_000 });
  const next = await serveHttp(asking({ requestState: { keys: [new Uint8Array(32).fill(7)] } }));
  assert.equal((await call(next.port, answersTo(first))).result.resultType, 'input_required');
  await next.close({ drainMs: 0 });
});

test('closing: a server that has asked nothing takes no connection any more, as a balancer wants it', async (t) => {
  const server = asking();
  let finish: () => void = () => {};
  const begun = new Promise<void>((started) => {
    server.tool('wait', {}, () => new Promise<string>((resolve) => {
      finish = () => resolve('over');
      started();
    }));
  });
  const http = await serveHttp(server);
  const own = await client(t, http.url, 'modern', people());
  const waiting = own.callTool('wait').then(textOf);
  await begun;
  const closed = http.close({ drainMs: 60_000 });
  await assert.rejects(call(http.port, {}), { code: 'ECONNREFUSED' });
  finish();
  assert.match(await waiting, /over/);
  await closed;
});

test('closing: a listener in a server of somebody else waits for open questions, too', async (t) => {
  const listener = httpListener(asking());
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  const { port } = server.address() as AddressInfo;
  const first = await call(port, {});
  let over = false;
  const closed = listener.close({ drainMs: 60_000 }).then(() => (over = true));
  const second = await call(port, answersTo(first));
  assert.equal(over, false);
  assert.equal((await call(port, answersTo(second))).result.resultType, 'complete');
  await closed;
  assert.equal((await call(port, {})).status, 503);
});

test('a client that has half-closed its connection has left: it gets no answer, and its request is cancelled', async () => {
  const server = asking();
  const left = new Promise<void>((resolve) => {
    server.tool('wait', {}, (_args, { signal }) => new Promise<string>((_done, reject) => {
      signal.addEventListener('abort', () => {
        resolve();
        reject(signal.reason as Error);
      });
    }));
  });
  const http: HttpServer = await serveHttp(server);
  const { connect } = await import('node:net');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta: modernMeta() } });
  const heard = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(http.port, '127.0.0.1', () => socket.end(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: ${both}\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: wait\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('close', () => resolve(text)).on('error', () => {});
  });
  await left;
  assert.equal(heard, '');
  await http.close({ drainMs: 0 });
});
