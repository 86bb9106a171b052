import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { ConnectionError } from '../../src/jsonrpc/errors.ts';
import { Host } from '../../src/host/host.ts';
import { gate, NotSent } from '../../src/host/unsent-calls.ts';
import { McpServer } from '../../src/server/index.ts';
import { httpTransport, serveHttp } from '../../src/transport/http/node/index.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

function server(description: string, ran: string[]): McpServer {
  const made = new McpServer({ name: 's', version: '1.0.0' });
  made.tool('pay', { description }, () => {
    ran.push(description);
    return description;
  });
  return made;
}

test('gate: an HTTP server that was started again runs nothing that was not listed over its new session', async (t) => {
  const ran: string[] = [];
  const first = await serveHttp(server('Pays 1', ran), { port: 0 });
  t.after(() => first.close());
  const { port } = new URL(first.url);
  const host = new Host({
    info: { name: 'host', version: '1.0.0' },
    servers: { s: { url: first.url } },
    transport: () => httpTransport(first.url),
    client: (_name, info, options) => new McpClient(info, { ...options, era: 'legacy' }),
    // Without a question, so the tools are not listed again for it.
    rules: [{ then: 'allow' }],
  });
  t.after(() => host.close());
  // A kept-alive connection reports only at its next use that the server has gone.
  const call = async (): Promise<void> => {
    for (;;) {
      try {
        await host.call('s/pay');
        return;
      } catch (thrown) {
        if (!(thrown instanceof ConnectionError)) throw thrown;
      }
    }
  };
  await call();
  await first.close();
  const same = await serveHttp(server('Pays 1', ran), { port: Number(port) });
  t.after(() => same.close());
  // The same tool in a new session: the client's own retry is stopped, and the host's retry passes.
  await call();
  assert.deepEqual(ran, ['Pays 1', 'Pays 1']);
  await same.close();
  const other = await serveHttp(server('Pays 1000', ran), { port: Number(port) });
  t.after(() => other.close());
  await assert.rejects(call(), { code: 'tool-changed', message: /Pays 1000/ });
  assert.deepEqual(ran, ['Pays 1', 'Pays 1']);
  await host.flushed();
});

test('gate: an approved call leaves once, while its tool is current; calls of the application itself pass', async (t) => {
  const ran: string[] = [];
  const way = gate(memoryTransport(server('Pays', ran)));
  const client = new McpClient({ name: 'c', version: '1.0.0' });
  const before = way.connection;
  await client.connect(way.transport);
  t.after(() => client.close());
  assert.notEqual(way.connection, before);
  await client.callTool('pay', {});
  let current = true;
  const end = way.allow('pay', () => current);
  current = false;
  await assert.rejects(client.callTool('pay', {}), (thrown) => thrown instanceof NotSent);
  current = true;
  await client.callTool('pay', {});
  await assert.rejects(client.callTool('pay', {}), (thrown) => thrown instanceof NotSent && thrown.code === 'tool-changed');
  const other = way.allow('pay', () => true);
  await client.callTool('pay', {});
  end();
  other();
  await client.callTool('pay', {});
  assert.equal(ran.length, 4);
});

test('gate: everything else of the transport is the transport\'s own, and a new session is a new connection', async () => {
  const told: unknown[] = [];
  const inner: ClientTransport = {
    kind: 'http',
    open: async () => void told.push('open'), send: (text) => void told.push(text), close: async () => void told.push('close'),
    abandon: (id) => void told.push(['abandon', id]), agreed: ({ version }) => void told.push(['agreed', version]), reopen: async () => void told.push('reopen'),
    context: () => 'here' as never, toolHeaders: { of: 'tools' } as never,
  };
  const { transport, ...way } = gate(inner);
  const failed: unknown[] = [];
  const receiver = { failed: (id: unknown, error: unknown) => failed.push([id, error instanceof NotSent]) } as unknown as ClientReceiver;
  assert.deepEqual([transport.kind, transport.context, transport.toolHeaders], ['http', inner.context, inner.toolHeaders]);
  transport.abandon?.(7);
  transport.agreed?.({ version: 'v' } as never);
  const made = gate(inner);
  const connections = [made.connection];
  await made.transport.open(receiver);
  connections.push(made.connection);
  await made.transport.reopen?.();
  connections.push(made.connection);
  assert.equal(new Set(connections).size, 3);
  made.transport.send('text', undefined as never);
  await made.transport.close();
  assert.deepEqual(told, [['abandon', 7], ['agreed', 'v'], 'open', 'reopen', 'text', 'close']);
  // Optional members are missing if the inner transport lacks them.
  const { kind, open, send, close } = inner;
  assert.deepEqual(Object.keys(gate({ kind, open, send, close }).transport).sort(), ['close', 'kind', 'open', 'send']);
  // The gate stops only calls of a tool for which `allow` was called, and not their later rounds.
  told.length = 0;
  const end = made.allow('pay', () => false);
  const other = made.allow('pay', () => true);
  for (const [id, method, params] of [
    [1, 'tools/call', { name: 'pay' }], [2, 'tools/list', { name: 'pay' }], [3, 'tools/call', { name: 'other' }], [4, 'tools/call', undefined],
    [5, 'tools/call', { name: 'pay', requestState: 's' }], [6, 'tools/call', { name: 'pay', inputResponses: {} }], [undefined, 'tools/call', { name: 'pay' }],
  ] as const) made.transport.send(String(id), { id, method, params } as never);
  await Promise.resolve();
  assert.deepEqual(told, ['2', '3', '4', '5', '6']);
  assert.deepEqual(failed, [[1, true]]);
  // A call uses the first unused `allow`. After the last one has ended, the gate stops nothing.
  end();
  made.transport.send('7', { id: 7, method: 'tools/call', params: { name: 'pay' } } as never);
  made.transport.send('8', { id: 8, method: 'tools/call', params: { name: 'pay' } } as never);
  other();
  made.transport.send('9', { id: 9, method: 'tools/call', params: { name: 'pay' } } as never);
  await Promise.resolve();
  assert.deepEqual(told, ['2', '3', '4', '5', '6', '7', '9']);
  assert.deepEqual(failed, [[1, true], [8, true]]);
  assert.equal(way.allow('x', () => true)(), undefined);
});

test('gate: the further rounds of a call that has left pass', async (t) => {
  const asking = new McpServer({ name: 's', version: '1.0.0' });
  asking.tool('book', {}, async (_args, ctx) => {
    const first = await ctx.elicit('One?', { a: { type: 'string' } });
    const second = await ctx.elicit('Two?', { b: { type: 'string' } });
    return `${first.action} ${second.action}`;
  });
  const host = new Host({
    info: { name: 'host', version: '1.0.0' },
    servers: { s: { command: 's' } },
    transport: () => memoryTransport(asking),
    rules: [{ then: 'allow' }],
    person: { elicit: async () => ({ action: 'accept', content: { a: '1', b: '2' } }) },
  });
  t.after(() => host.close());
  assert.deepEqual((await host.call('s/book')).content, [{ type: 'text', text: 'accept accept' }]);
  assert.equal((await host.connect('s')).revision?.era, 'modern');
});
