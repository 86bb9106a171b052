import assert from 'node:assert/strict';
import test from 'node:test';
import { ConnectionError } from '../../src/jsonrpc/errors.ts';
import type { Decoded, RequestId } from '../../src/jsonrpc/message.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { ClientReceiver } from '../../src/transport/client-port.ts';
import { fakeServer } from './http/fake-server.ts';

const ask = (id: RequestId, method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function receiver(
  onMessage?: (decoded: Decoded) => void,
): ClientReceiver & { seen: string[]; failures: [RequestId, Error][] } {
  const seen: string[] = [];
  const failures: [RequestId, Error][] = [];
  return {
    seen, failures,
    message(decoded) {
      if (decoded.kind === 'batch') seen.push('batch');
      else if (decoded.kind === 'refusal') seen.push(`refusal ${decoded.error.message}`);
      else seen.push('id' in decoded.message ? `${decoded.kind} ${decoded.message.id}` : decoded.kind);
      onMessage?.(decoded);
    },
    failed: (id, error) => failures.push([id, error]),
    closed: (why) => seen.push(`closed ${why}`),
    error: ({ message }) => seen.push(`error ${message}`),
  };
}

test('memory: messages pass as text, in order, and never inside a send', async () => {
  const trace: string[] = [];
  const transport = memoryTransport(fakeServer(), {
    trace: ({ direction, text }) => trace.push(`${direction} ${text}`),
  });
  const to = receiver();
  await transport.open(to);
  for (const id of [1, 2, 3]) transport.send(ask(id, 'ping'), { id });
  assert.deepEqual(to.seen, []);
  await turn();
  assert.deepEqual(to.seen, ['success 1', 'success 2', 'success 3']);
  assert.deepEqual(trace.slice(0, 3), [1, 2, 3].map((id) => `sent ${ask(id, 'ping')}`));
  assert.equal(trace[3], 'received {"jsonrpc":"2.0","id":1,"result":{}}');
});

test('memory: a receiver that sends is not called again before it returns', async () => {
  const transport = memoryTransport(fakeServer());
  let inside = 0;
  let left = 100;
  const to = receiver(() => {
    assert.equal(inside++, 0);
    if (left-- > 0) transport.send(ask(left, 'ping'), { id: left });
    inside--;
  });
  await transport.open(to);
  transport.send(ask(left, 'ping'), { id: left });
  await turn();
  assert.equal(to.seen.length, 101);
});

test('memory: the server asks and notifies, and takes refusals', async () => {
  const server = fakeServer();
  const transport = memoryTransport(server);
  const to = receiver((decoded) => {
    if (decoded.kind === 'request') {
      transport.send(`{"jsonrpc":"2.0","id":${decoded.message.id},"result":{"roots":[]}}`);
    }
  });
  await transport.open(to);
  transport.send(ask('a', 'ask'), { id: 'a' });
  transport.send(ask('s', 'steps', { steps: 2 }), { id: 's' });
  transport.send('{"jsonrpc":"2.0","method":"notifications/x"}', {});
  transport.send('no json');
  await turn();
  assert.deepEqual(to.seen, ['request 1', 'notification', 'notification', 'success s', 'failure', 'success a']);
  assert.deepEqual(server.notifications, ['notifications/x']);
});

test('memory: who the client is reaches the server', async () => {
  const server = fakeServer();
  const transport = memoryTransport(server, { auth: { principal: 'ada' } });
  await transport.open(receiver());
  assert.deepEqual([...server.peers].map(({ auth }) => auth?.principal), ['ada']);
});

test('memory: close delivers what was sent before it, and then aborts', async () => {
  const server = fakeServer();
  const transport = memoryTransport(server);
  const to = receiver();
  await transport.open(to);
  transport.send(ask(1, 'wait', { key: 'a' }), { id: 1 });
  transport.send('{"jsonrpc":"2.0","method":"notifications/last"}', {});
  await transport.close();
  assert.deepEqual(server.notifications, ['notifications/last']);
  assert.equal(server.waiting.get('a')?.inbound.signal.aborted, true);
  assert.equal(server.peers.size, 0);
  server.waiting.get('a')?.finish();
  await turn();
  assert.deepEqual(to.seen, []);
  await transport.close();
});

test('memory: what was on its way to a client that has closed does not arrive', async () => {
  const transport = memoryTransport(fakeServer());
  const to = receiver();
  await transport.open(to);
  transport.send(ask(1, 'ping'), { id: 1 });
  await transport.close();
  await turn();
  assert.deepEqual(to.seen, []);
});

test('memory: a request that cannot be sent fails', async () => {
  const transport = memoryTransport(fakeServer());
  const to = receiver();
  await transport.open(to);
  await transport.close();
  transport.send(ask(1, 'ping'), { id: 1 });
  transport.send('{"jsonrpc":"2.0","method":"n"}', {});
  assert.equal(to.failures.length, 1);
  assert.equal(to.failures[0]?.[0], 1);
  assert.ok(to.failures[0]?.[1] instanceof ConnectionError);
});

test('memory: reopen gives a new peer, and the old one reaches nobody', async () => {
  const server = fakeServer();
  const transport = memoryTransport(server);
  const to = receiver();
  await transport.open(to);
  await assert.rejects(transport.open(to), /open already/);
  const [old] = server.peers;
  transport.send(ask(1, 'wait', { key: 'a' }), { id: 1 });
  await server.arrived('a');
  await transport.reopen?.();
  const [fresh] = server.peers;
  assert.notEqual(fresh, old);
  assert.equal(server.peers.size, 1);
  server.waiting.get('a')?.finish();
  transport.send(ask(1, 'echo', { text: 'b' }), { id: 1 });
  await turn();
  assert.deepEqual(to.seen, ['success 1']);
});

test('memory: one server, many clients, no mixing', async () => {
  const server = fakeServer();
  const clients = await Promise.all(Array.from({ length: 20 }, async () => {
    const transport = memoryTransport(server);
    const to = receiver();
    await transport.open(to);
    return { transport, to };
  }));
  clients.forEach(({ transport }, n) => transport.send(ask(`client-${n}`, 'later')));
  await turn();
  clients.forEach(({ to }, n) => assert.deepEqual(to.seen, [`success client-${n}`]));
});
