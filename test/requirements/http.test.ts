import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { modernMeta } from '../server/peer.ts';
import { httpListener } from '../../src/transport/http/node/index.ts';
import { http1 } from '../../src/transport/http1/node/index.ts';
import { createServices } from '../../src/transport/http/server/services.ts';
import { createSessions, randomId } from '../../src/transport/http/server/sessions.ts';
import { serveHttp } from '../transport/http/engine.ts';
import { fakeServer } from '../transport/http/fake-server.ts';

/** The response to a POST, or the code of its network error. Header names are sent unchanged. */
function answerTo(host: string, port: number, headers: Record<string, string>, message: object): Promise<{ status: number | string | undefined; session?: string | undefined }> {
  return new Promise((resolve) => {
    const sent = request({ host, port, path: '/mcp', method: 'POST', headers }, (response) => {
      const session = response.headers['mcp-session-id'];
      response.resume().on('end', () => resolve({ status: response.statusCode, session: typeof session === 'string' ? session : undefined }));
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ status: code }));
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }));
  });
}

/** The status of a POST of server/discover, or the code of its network error. */
const post = async (host: string, port: number, headers: Record<string, string>): Promise<number | string | undefined> =>
  (await answerTo(host, port, headers, { method: 'server/discover', params: { _meta: modernMeta() } })).status;

const headers = {
  'CONTENT-TYPE': 'application/json', 'aCCept': 'application/json, text/event-stream',
  'MCP-PROTOCOL-VERSION': '2026-07-28', 'mcp-METHOD': 'server/discover',
};

// 2025-11-25 basic/transports#security-warning: a server on all interfaces would answer on 127.0.0.2.
test('by default a server listens on 127.0.0.1 alone', async (t) => {
  for (const engine of [undefined, http1]) {
    const http = await serveHttp(new McpServer({ name: 'test', version: '1' }), { port: 0, ...engine && { engine } });
    t.after(() => http.close());
    assert.equal(await post('127.0.0.1', http.port, headers), 200);
    assert.equal(typeof await post('127.0.0.2', http.port, headers), 'string');
  }
});

// 2026-07-28 basic/transports/streamable-http#case-sensitivity.
test('names of headers are taken in any case', async (t) => {
  const server = new McpServer({ name: 'test', version: '1' });
  server.tool('t', { input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } }, () => '');
  const http = await serveHttp(server, { port: 0 });
  t.after(() => http.close());
  assert.equal(await post('127.0.0.1', http.port, headers), 200);
  assert.equal(await post('127.0.0.1', http.port, { ...headers, 'mcp-METHOD': 'tools/list' }), 400);
  assert.equal(await post('127.0.0.1', http.port, { ...headers, ORIGIN: 'http://evil.example' }), 403);
  const status = async (more: Record<string, string>, message: object): Promise<unknown> => (await answerTo('127.0.0.1', http.port, { ...headers, ...more }, message)).status;
  const call = { method: 'tools/call', params: { name: 't', arguments: { region: 'eu' }, _meta: modernMeta() } };
  const right = { 'mcp-METHOD': 'tools/call', 'MCP-NAME': 't', 'MCP-Param-REGION': 'eu' };
  assert.equal(await status(right, call), 200);
  for (const [name, value] of [['MCP-NAME', 'u'], ['MCP-Param-REGION', 'us']] as const) assert.equal(await status({ ...right, [name]: value }, call), 400, name);
  // Headers of a session and of its stream.
  const legacy = { 'CONTENT-TYPE': 'application/json', 'aCCept': 'application/json, text/event-stream' };
  const { session = '' } = await answerTo('127.0.0.1', http.port, legacy, {
    method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  for (const [id, expected] of [[session, 200], ['x', 404]] as const) {
    assert.equal((await answerTo('127.0.0.1', http.port, { ...legacy, 'MCP-SESSION-ID': id }, { method: 'ping' })).status, expected);
  }
  const listening = await new Promise<number | undefined>((resolve) => {
    request({ host: '127.0.0.1', port: http.port, path: '/mcp', headers: { 'aCCept': 'text/event-stream', 'MCP-SESSION-ID': session, 'LAST-EVENT-ID': 'x' } }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    }).end();
  });
  assert.equal(listening, 400);
});

// 2026-07-28 basic/index#_meta. A sent status is final; `needs` is checked before the handler runs.
test('a handler that lacks a capability is refused with 400, unless its stream has begun', async (t) => {
  const server = new McpServer({ name: 'test', version: '1' });
  const question = { a: { type: 'string' } } as const;
  server.tool('asks', {}, async (_args, ctx) => (await ctx.elicit('Well?', question)).action);
  server.tool('tells and asks', {}, async (_args, ctx) => {
    ctx.progress(1);
    return (await ctx.elicit('Well?', question)).action;
  });
  server.tool('needs, tells and asks', { needs: ['elicitation'] }, async (_args, ctx) => {
    ctx.progress(1);
    return (await ctx.elicit('Well?', question)).action;
  });
  const http = await serveHttp(server, { port: 0 });
  t.after(() => http.close());
  const call = async (name: string): Promise<[status: number, text: string]> => {
    const params = { name, _meta: { ...modernMeta({}), progressToken: 1 } };
    const response = await fetch(http.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json', accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    return [response.status, await response.text()];
  };
  for (const [name, status] of [['asks', 400], ['tells and asks', 200], ['needs, tells and asks', 400]] as const) {
    const [said, text] = await call(name);
    assert.equal(said, status, name);
    assert.match(text, /"code":-32021,.*"requiredCapabilities":\{"elicitation":/, name);
  }
});

// 2026-07-28 server/utilities/logging.
test('log messages go on the stream of their request, and on no subscription', async (t) => {
  const server = new McpServer({ name: 'test', version: '1' });
  server.tool('log', {}, async (_args, ctx) => {
    ctx.log('info', 'one');
    // List changes go to the subscription, although this stream is open.
    server.tool('another', {}, () => '');
    await new Promise((resolve) => setImmediate(resolve));
    ctx.progress(1);
    return 'done';
  });
  let release = (): void => {};
  server.tool('wait', {}, async (_args, ctx) => {
    ctx.log('info', 'waits');
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return 'waited';
  });
  const http = await serveHttp(server, { port: 0 });
  t.after(() => http.close({ drainMs: 0 }));
  /** The messages of a stream, one after another. */
  async function* ask(method: string, params: Record<string, unknown>, name?: string): AsyncGenerator<{ method?: string; id?: number }> {
    const _meta = { ...modernMeta(), 'io.modelcontextprotocol/logLevel': 'info', progressToken: 1 };
    const response = await fetch(http.url, {
      method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      headers: {
        'content-type': 'application/json', accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method,
        ...name !== undefined && { 'mcp-name': name },
      },
    });
    assert.ok(response.body);
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) yield JSON.parse(data) as { method?: string; id?: number };
      }
    }
  }
  const listening = ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
  assert.equal((await listening.next()).value?.method, 'notifications/subscriptions/acknowledged');
  // Another open request, which has logged too.
  const waiting = ask('tools/call', { name: 'wait' }, 'wait');
  assert.equal((await waiting.next()).value?.method, 'notifications/message');
  const said: unknown[] = [];
  for await (const { method, id } of ask('tools/call', { name: 'log' }, 'log')) said.push(method ?? id);
  assert.deepEqual(said, ['notifications/message', 'notifications/progress', 1]);
  release();
  assert.equal((await waiting.next()).value?.id, 1);
  assert.equal((await listening.next()).value?.method, 'notifications/tools/list_changed');
  await listening.return(undefined);
});

// 2026-07-28 basic/transports/streamable-http#protocol-version-header: -32601 has the status 404.
test('an unknown method is -32601 with status 404', async (t) => {
  const http = await serveHttp(new McpServer({ name: 'test', version: '1' }), { port: 0 });
  t.after(() => http.close({ drainMs: 0 }));
  for (const accept of ['application/json, text/event-stream', 'application/json', 'text/event-stream']) {
    const response = await fetch(http.url, {
      method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nothing', params: { _meta: modernMeta() } }),
      headers: { 'content-type': 'application/json', accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'nothing' },
    });
    const { error } = await response.json() as { error: { code: number } };
    assert.deepEqual([response.status, error.code], [404, -32601], accept);
  }
});

// 2025-11-25 basic/transports#session-management: globally unique and cryptographically secure.
test('session ids are unique and random in every digit', (t) => {
  const ids = new Set(Array.from({ length: 500 }, () => randomId()));
  assert.equal(ids.size, 500);
  for (let digit = 0; digit < 32; digit++) {
    const seen = new Set(Array.from(ids, (id) => id[digit]));
    // 500 random ids miss one of the sixteen values once in 10^13 runs; a digit that is not random has far fewer values.
    assert.ok(seen.size >= 15, `digit ${digit}: ${[...seen].join('')}`);
  }
  // Ids are bytes of the runtime's cryptographic source only, so they cannot be guessed.
  const drawn: string[] = [];
  const source = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
  t.mock.method(globalThis.crypto, 'getRandomValues', (array: Uint8Array) => {
    source(array);
    drawn.push(Buffer.from(array).toString('hex'));
    return array;
  });
  // Ids are cut from a stock of such bytes: the first ones come from an earlier draw.
  for (let rest = 0; drawn.length === 0; rest++) {
    assert.ok(rest < 1000, 'no bytes were drawn for a thousand ids');
    randomId();
  }
  // The id of an opened session comes from there too.
  const opened = createSessions(createServices(fakeServer(), {})).open(undefined, false)?.id ?? assert.fail();
  for (const id of [randomId(), opened]) {
    assert.equal(id.length, 32);
    assert.ok(drawn.join('').includes(id), `${id} is not among ${drawn.join()}`);
  }
});

// 2025-11-25 basic/transports#multiple-connections: each message on one of the streams only.
test('with two streams open a message goes on one of them', async (t) => {
  const server = new McpServer({ name: 'test', version: '1' });
  const waiting: (() => void)[] = [];
  server.tool('wait', {}, async (_args, ctx) => {
    ctx.progress(1);
    ctx.log('info', 'waiting');
    await new Promise<void>((resolve) => waiting.push(resolve));
    return 'done';
  });
  const http = await serveHttp(server, { port: 0 });
  t.after(() => http.close({ drainMs: 0 }));
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (message: object): Promise<Response> => fetch(http.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const opened = await send({
    id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  await send({ method: 'notifications/initialized' });
  /** The methods and ids of a stream's messages, up to its end or to the given one. */
  async function read(response: Response, until: unknown): Promise<unknown[]> {
    const said: unknown[] = [];
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (text + chunk).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data === undefined) continue;
        const { method, id } = JSON.parse(data) as { method?: string; id?: number };
        said.push(method ?? id);
        if (said.at(-1) === until) return said;
      }
    }
    return said;
  }
  const call = (id: number): Promise<Response> => send({ id, method: 'tools/call', params: { name: 'wait', _meta: { progressToken: id } } });
  const calls = [await call(2), await call(3)];
  // Messages of no request wait for the GET stream, and never go on a request's stream.
  server.tool('another', {}, () => '');
  await new Promise((resolve) => setImmediate(resolve));
  const listening = await fetch(http.url, { headers: { ...headers, accept: 'text/event-stream' } });
  calls.push(await call(4));
  assert.deepEqual(await read(listening, 'notifications/tools/list_changed'), ['notifications/tools/list_changed']);
  for (const go of waiting) go();
  const own = ['notifications/progress', 'notifications/message'];
  assert.deepEqual(await Promise.all(calls.map((one) => read(one, undefined))), [2, 3, 4].map((id) => [...own, id]));
});

// 2025-11-25 basic/transports#sending-messages-to-the-server: a disconnection is not a cancellation.
test('a client that hangs up has not cancelled its legacy request', async (t) => {
  // Before and after the first message, with and without an event store.
  for (const [progress, eventStore] of [[true, undefined], [false, undefined], [true, false], [false, false]] as const) {
    const server = new McpServer({ name: 'test', version: '1' });
    let go = (): void => {};
    let begun = (): void => {};
    const under = new Promise<void>((resolve) => (begun = resolve));
    let ended: boolean | undefined;
    server.tool('wait', {}, async (_args, ctx) => {
      if (progress) ctx.progress(1);
      begun();
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      ended = ctx.signal.aborted;
      return 'done';
    });
    const listener = httpListener(server, { ...eventStore === false && { eventStore } });
    const http = createServer(listener).listen(0, '127.0.0.1');
    await once(http, 'listening');
    t.after(async () => {
      await listener.close({ drainMs: 0 });
      http.close();
      http.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const send = (message: object, signal?: AbortSignal): Promise<Response> =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }), ...signal && { signal } });
    const opened = await send({
      id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
    await send({ method: 'notifications/initialized' });
    const listening = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } });
    const left = new Promise((resolve) => http.once('request', (_request, response) => response.once('close', resolve)));
    const leave = new AbortController();
    const call = send({ id: 2, method: 'tools/call', params: { name: 'wait', _meta: { progressToken: 1 } } }, leave.signal);
    const first = progress ? await (await call).body?.pipeThrough(new TextDecoderStream()).getReader().read() : undefined;
    await under;
    leave.abort();
    await call.catch(() => undefined);
    await left;
    go();
    while (ended === undefined) await new Promise((resolve) => setImmediate(resolve));
    const last = /^id: (.+)$/m.exec(first?.value ?? '')?.[1];
    assert.equal(last !== undefined, progress && eventStore === undefined);
    if (last !== undefined) {
      const resumed = await fetch(url, { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': last } });
      assert.match(await resumed.text(), /"id":2,"result":\{"content":\[\{"type":"text","text":"done"/);
    }
    // The listening stream does not get the response either: it belongs to the request.
    server.tool('another', {}, () => '');
    let text = '';
    for await (const chunk of listening.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes('list_changed')) break;
    }
    assert.doesNotMatch(text, /"id":2/);
    assert.equal(ended, false);
  }
});
