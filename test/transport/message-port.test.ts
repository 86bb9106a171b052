import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { McpClient } from '../../src/client/index.ts';
import { processBudget } from '../../src/bounds/budget.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { messagePortTransport, serveMessagePort } from '../../src/transport/message-port.ts';
import type { MessagePortLike, MessagePortServing } from '../../src/transport/message-port.ts';
import type { TraceEntry } from '../../src/transport/trace.ts';

/** Stops the clock, so that no turn ends early because the machine is busy. */
const stopTime = (t: TestContext): void => mockClock(t.mock, { apis: ['Date'], now: Date.now() });

interface Pair {
  readonly client: McpClient;
  readonly serving: MessagePortServing;
  readonly started: Promise<AbortSignal>;
  readonly traced: TraceEntry[];
}

function serve(port: MessagePortLike): { serving: MessagePortServing; started: Promise<AbortSignal> } {
  const server = new McpServer({ name: 'behind a port', version: '1' });
  let tell: (signal: AbortSignal) => void;
  const started = new Promise<AbortSignal>((resolve) => {
    tell = resolve;
  });
  server.tool('greet', { description: 'Asks for a name' }, async (_args, ctx) => {
    ctx.progress(1, 2);
    const answer = await ctx.elicit('Your name?', { name: { type: 'string' } });
    return answer.action === 'accept' ? `Hello, ${answer.content.name}` : 'Hello, nobody';
  });
  server.tool('wait', { description: 'Never ends by itself' }, (_args, ctx) => {
    tell(ctx.signal);
    return new Promise<string>(() => {});
  });
  return { serving: serveMessagePort(server, port), started };
}

async function connected(options: ClientOptions): Promise<Pair> {
  const { port1, port2 } = new MessageChannel();
  const traced: TraceEntry[] = [];
  const client = new McpClient({ name: 'test', version: '1' }, {
    onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    ...options,
  });
  const served = serve(port1);
  await client.connect(messagePortTransport(port2, { trace: (entry) => traced.push(entry) }));
  return { client, ...served, traced };
}

for (const era of ['legacy', 'modern'] as const) {
  test(`message-port: calls, progress and questions pass (${era})`, async () => {
    const { client, serving, traced } = await connected({ era });
    assert.equal(client.revision?.era, era);
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ['greet', 'wait']);
    const reports: number[] = [];
    const { content } = await client.callTool('greet', {}, { onProgress: ({ progress }) => reports.push(progress) });
    assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada' }]);
    assert.equal(reports[0], 1);
    // Metadata passes in both directions: a modern request would be refused without it.
    assert.equal('_meta' in await client.request('tools/list'), era === 'modern');
    assert.ok(traced.some(({ direction, text }) => direction === 'sent' && text.includes('tools/call')));
    assert.ok(traced.some(({ direction, text }) => direction === 'received' && text.includes('Hello, Ada')));
    await client.close();
    await serving.closed;
  });

  test(`message-port: a cancelled call stops its handler (${era})`, async () => {
    const { client, started } = await connected({ era });
    const controller = new AbortController();
    const call = client.callTool('wait', {}, { signal: controller.signal });
    const signal = await started;
    const stopped = once(signal, 'abort');
    controller.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    await stopped;
    await client.close();
  });
}

test('message-port: a client that leaves stops what it had in flight', async () => {
  const { client, serving, started } = await connected({});
  const call = client.callTool('wait');
  const signal = await started;
  await Promise.all([assert.rejects(call, /the client was closed/), client.close(), serving.closed]);
  assert.equal(signal.aborted, true);
});

test('message-port: a server that leaves fails what is in flight', async () => {
  const gone: string[] = [];
  const { client, serving, started } = await connected({ onClose: (why) => gone.push(why) });
  const call = client.callTool('wait');
  await started;
  serving.close();
  await assert.rejects(call, /tools\/call: the server closed its port/);
  assert.deepEqual(gone, ['the server closed its port']);
  await assert.rejects(client.callTool('wait'), { name: 'ConnectionError' });
  await client.close();
});

test('message-port: what is no message is refused, and the next one is served', async () => {
  const { port1, port2 } = new MessageChannel();
  const { serving } = serve(port1);
  const next = async (message: unknown): Promise<{ id: unknown; error?: { code: number }; result?: object }> => {
    const [event] = await Promise.all([
      new Promise<string>((resolve) => port2.once('message', resolve)),
      port2.postMessage(message),
    ]);
    return JSON.parse(event) as { id: unknown; error?: { code: number } };
  };
  let deep: unknown = 1;
  for (let i = 0; i < 2000; i++) deep = [deep];
  for (const bad of [undefined, null, 5, { jsonrpc: '2.0', method: 'n', params: { deep } }, '{', '']) {
    const answer = await next(bad);
    assert.equal(answer.id, undefined);
    assert.ok([-32700, -32600].includes(answer.error?.code ?? 0), JSON.stringify(answer));
  }
  assert.deepEqual((await next('{"jsonrpc":"2.0","id":7,"method":"ping"}')).id, 7);
  // Posted as an object, not as text.
  assert.deepEqual((await next({ jsonrpc: '2.0', id: 8, method: 'ping' })).id, 8);
  serving.close();
});

test('message-port: a port is opened once', async () => {
  const { port1, port2 } = new MessageChannel();
  const { serving } = serve(port1);
  const transport = messagePortTransport(port2);
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(transport);
  await client.close();
  await assert.rejects(client.connect(transport), /opened before/);
  await serving.closed;
});

test('message-port: calls with long answers that came at once are answered over several turns, in their order', async (t) => {
  stopTime(t);
  const server = new McpServer({ name: 'big', version: '1' });
  let run = 0;
  server.tool('big', {}, () => (run++, 'x'.repeat(600 * 1024)));
  const listeners = new Map<string, (event: { type: string; data?: unknown }) => void>();
  const ids: unknown[] = [];
  let tell = (): void => {};
  const all = new Promise<void>((resolve) => (tell = resolve));
  const serving = serveMessagePort(server, {
    postMessage(text) {
      ids.push((JSON.parse(text) as { id: unknown }).id);
      if (ids.length === 10) tell();
    },
    addEventListener: (type, listener) => void listeners.set(type, listener),
    removeEventListener: (type) => void listeners.delete(type),
  });
  const used = processBudget().used;
  for (let id = 0; id < 10; id++) {
    listeners.get('message')?.({
      type: 'message',
      data: JSON.stringify({
        jsonrpc: '2.0', id, method: 'tools/call', params: {
          name: 'big', _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
  }
  assert.ok(run <= 2, 'more than 1 MiB is enough for a turn');
  await all;
  assert.deepEqual(ids, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(processBudget().used, used);
  serving.close();
});

/** A port whose events the test triggers, all in the same turn. */
function handPort(said: (text: string) => void = () => {}): MessagePortLike & { come(type: string, data?: unknown): void; closed: boolean } {
  const listeners = new Map<string, (event: { type: string; data?: unknown }) => void>();
  return {
    closed: false,
    come: (type, data) => listeners.get(type)?.({ type, data }),
    postMessage: said,
    addEventListener: (type, listener) => void listeners.set(type, listener),
    removeEventListener: (type) => void listeners.delete(type),
    close() {
      this.closed = true;
    },
  };
}

const ping = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
const idOf = (text: string): unknown => (JSON.parse(text) as { id: unknown }).id;
const blockFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

test('message-port: what comes while reading rests is read in its order, and before the end that came after it', async () => {
  const heard: unknown[] = [];
  const ids = Array.from({ length: 100 }, (_, id) => id);
  const port = handPort();
  const used = processBudget().used;
  const serving = serveMessagePort(new McpServer({ name: 'rests', version: '1' }), port, {
    trace({ direction, text }) {
      if (direction === 'sent') return;
      heard.push(idOf(text));
      if (heard.length === 1) blockFor(10);
    },
  });
  for (const id of ids) port.come('message', ping(id));
  port.come('close');
  assert.equal(heard.length, 1);
  assert.equal(processBudget().used > used, true);
  await serving.closed;
  assert.deepEqual(heard, ids);
  assert.equal(processBudget().used, used);
});

test('message-port: who posts faster than can be read is given up, once no more of it may be held', async () => {
  const port = handPort();
  const used = processBudget().used;
  let heard = 0;
  const serving = serveMessagePort(new McpServer({ name: 'flooded', version: '1' }), port, {
    trace: () => void (heard++ === 0 && blockFor(10)),
  });
  const text = `"${'x'.repeat(1024 * 1024)}"`;
  let posted = 0;
  for (; !port.closed && posted < 200; posted++) port.come('message', text);
  assert.ok(posted > 40 && posted < 100, `${posted} MiB`);
  await serving.closed;
  assert.equal(processBudget().used, used);
});

test('message-port: what may not be held because of others is read at once, with what came before it', () => {
  const whole = processBudget();
  const others = whole.limit - whole.used;
  const ids: unknown[] = [];
  const port = handPort((text) => ids.push(idOf(text)));
  const serving = serveMessagePort(new McpServer({ name: 'squeezed', version: '1' }), port, {
    trace: ({ direction }) => void (direction === 'received' && ids.length === 0 && blockFor(10)),
  });
  whole.hold(others);
  // A peer may always hold 64 KiB: 400 of these messages exceed that.
  const sent = Array.from({ length: 400 }, (_, id) => id);
  for (const id of sent) port.come('message', `${ping(id).slice(0, -1)},"params":{"pad":"${'x'.repeat(200)}"}}`);
  whole.release(others);
  assert.ok(ids.length > 100, `${ids.length} were read`);
  assert.deepEqual(ids, sent.slice(0, ids.length));
  serving.close();
  assert.equal(port.closed, true);
});
