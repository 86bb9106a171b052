// Both ends of a message port, on a scripted port: exactly what is posted, reported and traced.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { messagePortTransport, serveMessagePort } from '../../src/transport/message-port.ts';
import type { MessagePortLike } from '../../src/transport/message-port.ts';

/** Stops the clock, so that no turn ends early because the machine is busy. */
const stopTime = (t: TestContext): void => mockClock(t.mock, { apis: ['Date'], now: Date.now() });

/** A scripted port that records what was posted, and its listeners. */
function playedPort(): { port: MessagePortLike; posted: string[]; calls: string[]; emit(type: string, data?: unknown): void } {
  const listeners = new Map<string, (event: { type: string; data?: unknown }) => void>();
  const posted: string[] = [];
  const calls: string[] = [];
  return {
    posted, calls,
    port: {
      postMessage: (text) => void posted.push(text),
      addEventListener: (type, listener) => void listeners.set(type, listener),
      removeEventListener: (type, listener) => void (listeners.get(type) === listener && listeners.delete(type)),
      start: () => void calls.push('start'),
      close: () => void calls.push('close'),
    },
    emit: (type, data) => listeners.get(type)?.({ type, data }),
  };
}

test('message-port: what passes a port, and what happens once it is closed', async (t) => {
  stopTime(t);
  for (const ends of ['we', 'they'] as const) {
    const { port, posted, calls, emit } = playedPort();
    const traced: string[] = [];
    const told: string[] = [];
    const transport = messagePortTransport(port, { trace: ({ direction, text }) => void traced.push(`${direction} ${text}`) });
    assert.equal(transport.kind, 'pipe');
    await transport.open({
      message: ({ kind }) => void told.push(kind), failed: (id, { message }) => void told.push(`failed ${id}: ${message}`),
      closed: (why) => void told.push(`closed: ${why}`), error() {},
    });
    transport.send('"a"', { id: 1, method: 'a' });
    emit('message', '{"jsonrpc":"2.0","method":"n"}');
    emit('message', { jsonrpc: '2.0', id: 1, result: {} });
    emit('message', new TextEncoder().encode('{"jsonrpc":"2.0","method":"n"}'));
    if (ends === 'we') await transport.close();
    else emit('close');
    emit('message', '{"jsonrpc":"2.0","method":"late"}');
    transport.send('"b"', { id: 2, method: 'b' });
    transport.send('"c"', { method: 'c' });
    transport.send('"d"');
    assert.deepEqual([posted, calls], [['"a"'], ['start', 'close']]);
    assert.deepEqual(told, ['notification', 'success', 'notification', ...ends === 'they' ? ['closed: the server closed its port'] : [], 'failed 2: the port is closed']);
    assert.deepEqual(traced, ['sent "a"', 'received {"jsonrpc":"2.0","method":"n"}', 'received (not text)', 'received (not text)']);
  }
});

test('message-port: a message that cannot be deserialized is refused like one that is not JSON, and the next one is served', async (t) => {
  stopTime(t);
  const { port, posted, emit } = playedPort();
  const serving = serveMessagePort(new McpServer({ name: 's', version: '1' }), port, { maxNoiseBytes: 150 });
  emit('messageerror', null);
  assert.deepEqual(posted.splice(0).map((text) => (JSON.parse(text) as { error: object }).error), [{ code: -32700, message: 'Parse error: the message could not be deserialized' }]);
  emit('message', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  assert.equal((JSON.parse(posted.splice(0)[0] ?? '') as { id: unknown }).id, 1);
  for (let at = 0; at < 2; at++) emit('messageerror', null);
  await serving.closed;
  emit('messageerror', null);
  assert.equal(posted.length, 1);
  const { port: other, emit: emitOther } = playedPort();
  const faults: string[] = [];
  const client = new McpClient({ name: 'c', version: '1' }, { onError: ({ message }) => void faults.push(message) });
  const connecting = client.connect(messagePortTransport(other));
  emitOther('messageerror', null);
  assert.deepEqual(faults, ["the server's message was refused: Parse error: the message could not be deserialized"]);
  emitOther('close');
  await assert.rejects(connecting, /the server closed its port/);
});

test('message-port: a server says why it has ended, and says nothing more', async (t) => {
  stopTime(t);
  for (const [end, why] of [['close', 'the server was closed'], ['leave', 'the client closed its port']] as const) {
    const { port, posted, calls, emit } = playedPort();
    const traced: string[] = [];
    let signal: AbortSignal | undefined;
    const server = new McpServer({ name: 'played', version: '1' });
    server.tool('wait', {}, (_args, ctx) => {
      ({ signal } = ctx);
      return new Promise<string>(() => {});
    });
    const serving = serveMessagePort(server, port, { trace: ({ direction }) => void traced.push(direction) });
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    emit('message', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
    emit('message', JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait', _meta: meta } }));
    assert.ok(signal);
    if (end === 'close') serving.close();
    else emit('close');
    await serving.closed;
    assert.equal((signal.reason as Error).message, why);
    emit('message', JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping' }));
    serving.close();
    assert.deepEqual([posted.length, calls, traced], [1, ['start', 'close'], ['received', 'sent', 'received']]);
  }
});

test('message-port: maxNoiseBytes may come between messages, each text that is none counted as 100 more, and not one byte more', async (t) => {
  stopTime(t);
  const most = 'it sent 300 bytes without a message';
  const note = '{"jsonrpc":"2.0","method":"n"}';
  // An invalid message counts 100 plus its length, so two of 50 reach the limit of 300. A valid message resets the count.
  for (const [texts, over] of [
    [['x'.repeat(50), 'x'.repeat(50)], false], [['x'.repeat(50), 'x'.repeat(51)], true],
    [['x'.repeat(50), 'x'.repeat(50), note, 'x'.repeat(50), 'x'.repeat(50)], false], [[note, 'x'.repeat(201)], true],
  ] as const) {
    const client = playedPort();
    const told: string[] = [];
    const transport = messagePortTransport(client.port, { maxNoiseBytes: 300 });
    await transport.open({ message: ({ kind }) => void told.push(kind), failed() {}, closed: (why) => void told.push(why), error() {} });
    const server = playedPort();
    let gone = false;
    const serving = serveMessagePort(new McpServer({ name: 'played', version: '1' }), server.port, { maxNoiseBytes: 300 });
    void serving.closed.then(() => (gone = true));
    for (const text of texts) {
      client.emit('message', text);
      server.emit('message', text);
    }
    await new Promise(setImmediate);
    assert.deepEqual([told.at(-1)?.includes(most), gone, server.calls.includes('close')], [over, over, over], String(texts));
    await transport.close();
    serving.close();
  }
});
