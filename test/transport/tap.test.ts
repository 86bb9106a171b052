import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler, httpTransport } from '../../src/transport/http/fetch/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { ClientReceiver } from '../../src/transport/client-port.ts';
import { tap } from '../../src/transport/tap.ts';
import type { Direction, Tap, TappedEntry, TappedMessage } from '../../src/transport/tap.ts';
import { mockClock } from '../mock-clock.ts';

const info = { name: 'tapped', version: '1.0.0' };

function echoServer(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => `said ${text}`);
  server.tool('ask', {}, async (_args, ctx) => {
    const { action } = await ctx.elicit('Sure?', { yes: { type: 'boolean' } });
    return action;
  });
  return server;
}

interface Tapped {
  readonly client: McpClient;
  readonly tapped: Tap;
  readonly seen: TappedEntry[];
  readonly errors: Error[];
  /** Resolves with the next matching message. */
  wait(fits: (entry: TappedMessage) => boolean): Promise<TappedMessage>;
  /** Resolves when `count` messages are held. */
  holds(count: number): Promise<void>;
}

async function connected(t: { after(run: () => Promise<void>): void }, era: 'legacy' | 'modern', options: ClientOptions = {}): Promise<Tapped> {
  const seen: TappedEntry[] = [];
  const errors: Error[] = [];
  const waits: { fits: (entry: TappedMessage) => boolean; resolve: (entry: TappedMessage) => void }[] = [];
  const counts: { count: number; resolve: () => void }[] = [];
  const tapped = tap((trace) => memoryTransport(echoServer(), { trace }), {
    onPassed: (entry) => {
      seen.push(entry);
      if (!('origin' in entry)) return;
      for (const one of waits.filter(({ fits }) => fits(entry))) {
        waits.splice(waits.indexOf(one), 1);
        one.resolve(entry);
      }
    },
    onHeld: () => counts.filter(({ count }) => count === tapped.held.length).forEach(({ resolve }) => resolve()),
  });
  const client = new McpClient(info, { era, onError: (error) => errors.push(error), ...options });
  await client.connect(tapped.transport);
  t.after(() => client.close());
  return {
    client, tapped, seen, errors,
    wait: (fits) => new Promise((resolve) => waits.push({ fits, resolve })),
    holds: (count) => new Promise((resolve) => (tapped.held.length === count ? resolve() : counts.push({ count, resolve }))),
  };
}

const textOf = (result: { content?: unknown }): unknown => result.content;
const said = (text: string): unknown => [{ type: 'text', text: `said ${text}` }];
const isReceived = ({ direction }: { direction: Direction }): boolean => direction === 'received';

test('tap: shows each message as it passed, and changes nothing', async (t) => {
  for (const era of ['legacy', 'modern'] as const) {
    const { client, seen } = await connected(t, era);
    assert.deepEqual(textOf(await client.callTool('echo', { text: 'a' })), said('a'));
    const messages = seen.filter((entry) => 'origin' in entry);
    assert.ok(messages.length >= 4, era);
    assert.ok(messages.every(({ origin }) => origin === 'peer'));
    const call = messages.find(({ text }) => text.includes('"tools/call"'));
    assert.equal(call?.direction, 'sent');
    assert.equal((JSON.parse(call.text) as { method: string }).method, 'tools/call');
  }
});

test('tap: holds what is sent, in order, and lets one after the other go', async (t) => {
  const { client, tapped, seen, holds } = await connected(t, 'legacy');
  tapped.hold({ sent: true, received: false });
  const before = seen.length;
  const one = client.callTool('echo', { text: '1' });
  const two = client.callTool('echo', { text: '2' });
  await holds(2);
  assert.equal(seen.length, before, 'nothing has passed');
  assert.deepEqual(tapped.held.map(({ direction, number }) => [direction, number]), [['sent', 1], ['sent', 2]]);
  assert.match(tapped.next()?.text ?? '', /"1"/);
  assert.deepEqual(textOf(await one), said('1'));
  assert.equal(tapped.held.length, 1);
  tapped.hold({ sent: false, received: false });
  assert.deepEqual(textOf(await two), said('2'));
  assert.equal(tapped.next(), undefined);
});

test('tap: holds what is received, and a held message is sent as it was edited', async (t) => {
  const { client, tapped, seen, holds } = await connected(t, 'modern');
  tapped.hold({ sent: true, received: true });
  const call = client.callTool('echo', { text: 'mine' });
  await holds(1);
  const text = tapped.held[0]?.text ?? '';
  tapped.next('sent', text.replace('"mine"', '"yours"'));
  await holds(1);
  assert.equal(tapped.held[0]?.direction, 'received');
  assert.match(tapped.held[0].text, /said yours/);
  tapped.next('received', tapped.held[0].text.replace('said yours', 'said theirs'));
  assert.deepEqual(textOf(await call), said('theirs'));
  const edited = seen.filter((entry) => 'origin' in entry && entry.origin === 'edited').map((entry) => 'direction' in entry && entry.direction);
  assert.deepEqual(edited, ['sent', 'received']);
});

test('tap: what is held is the text that came, with its blanks', async (t) => {
  const seen: string[] = [];
  const text = '{ "jsonrpc": "2.0",\t"method": "notifications/message", "params": { "level": "info", "data": 1 } }';
  let receiver: ClientReceiver | undefined;
  const tapped = tap((trace) => ({
    ...memoryTransport(echoServer(), { trace }),
    async open(to) {
      receiver = to;
      trace({ direction: 'received', text, at: 0 });
    },
  }), { onHeld: () => seen.push(...tapped.held.map((held) => held.text)) });
  t.after(() => tapped.transport.close());
  tapped.hold({ sent: false, received: true });
  await tapped.transport.open({ message: () => {}, failed: () => {}, error: () => {}, held: () => {}, closed: () => {} });
  receiver?.message(decode(text));
  assert.deepEqual(seen, [text]);
});

test('tap: while a message is held, the clocks of requests stand still', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  for (const direction of ['sent', 'received'] as const) {
    const { client, tapped, holds } = await connected(t, 'legacy');
    tapped.hold({ sent: direction === 'sent', received: direction === 'received' });
    const call = client.callTool('echo', { text: 'late' }, { timeoutMs: 1000, maxTimeoutMs: 1500 });
    await holds(1);
    // The timeouts of a request made while something is held are stopped too.
    const other = client.callTool('echo', { text: 'other' }, { timeoutMs: 1000, maxTimeoutMs: 1500 });
    t.mock.timers.tick(60_000);
    await holds(2);
    tapped.next();
    tapped.next();
    assert.deepEqual(textOf(await call), said('late'));
    assert.deepEqual(textOf(await other), said('other'));
  }
});

test('tap: after it was let go, a request has its time again and no more', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const { client, tapped, holds } = await connected(t, 'legacy');
  tapped.hold({ sent: true, received: false });
  const call = client.callTool('echo', { text: 'lost' }, { timeoutMs: 1000 });
  await holds(1);
  t.mock.timers.tick(60_000);
  assert.match(tapped.drop('sent')?.text ?? '', /lost/);
  t.mock.timers.tick(999);
  let over = false;
  void call.catch(() => (over = true));
  await Promise.resolve();
  assert.equal(over, false);
  t.mock.timers.tick(1);
  await assert.rejects(call, /no answer within 1000 ms/);
});

test('tap: an answer to an injected request reaches no caller', async (t) => {
  for (const era of ['legacy', 'modern'] as const) {
    const { client, tapped, errors, wait, holds } = await connected(t, era);
    tapped.hold({ sent: true, received: false });
    const call = client.callTool('echo', { text: 'held' });
    await holds(1);
    const { id, params } = JSON.parse(tapped.held[0]?.text ?? '') as { id: number; params: { _meta?: object } };
    const answer = wait(isReceived);
    const went = tapped.inject(JSON.stringify({
      jsonrpc: '2.0', id, method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'injected' }, _meta: { ...params._meta, progressToken: id } },
    }));
    assert.match(went, /"id":"page-1".*"progressToken":"page-2"/);
    assert.match((await answer).text, /"id":"page-1".*said injected|said injected.*"id":"page-1"/);
    tapped.hold({ sent: false, received: false });
    assert.deepEqual(textOf(await call), said('held'));
    assert.deepEqual(errors, []);
  }
});

test('tap: malformed text can be sent, and its refusal reaches no caller', async (t) => {
  const { client, tapped, errors, wait, holds, seen } = await connected(t, 'legacy');
  tapped.hold({ sent: true, received: false });
  const call = client.callTool('echo', { text: 'waits' });
  await holds(1);
  const { id } = JSON.parse(tapped.held[0]?.text ?? '') as { id: number };
  tapped.next();
  for (const text of ['{"jsonrpc":"2.0","method":', 'no JSON at all', '[]', '{"jsonrpc":"1.0","id":null,"method":"ping"}']) {
    const answer = wait((entry) => isReceived(entry) && entry.text.includes('"error"'));
    assert.equal(tapped.inject(text), text);
    assert.match((await answer).text, /-32[67]00/);
  }
  assert.deepEqual(textOf(await call), said('waits'));
  assert.deepEqual(errors, []);
  assert.equal(seen.filter((entry) => 'origin' in entry && entry.origin === 'injected').length, 4);
  // Invalid JSON could also be matched with an answer.
  tapped.hold({ sent: true, received: false });
  const held = client.callTool('echo', { text: 'again' });
  await holds(1);
  const { id: next } = JSON.parse(tapped.held[0]?.text ?? '') as { id: number };
  assert.notEqual(next, id);
  tapped.hold({ sent: false, received: true });
  assert.throws(() => tapped.inject(`{"jsonrpc":"2.0","id":${next},"method":`), /waits for an answer/);
  tapped.hold({ sent: false, received: false });
  await held;
});

test('tap: the client answers an injected question, and the server hears nothing of it', async (t) => {
  const { client, tapped, wait, errors } = await connected(t, 'legacy', { onElicit: () => ({ action: 'decline' }) });
  const answer = wait(({ direction, text }) => direction === 'sent' && text.includes('"result"'));
  tapped.inject(JSON.stringify({
    jsonrpc: '2.0', id: 7, method: 'elicitation/create',
    params: { message: 'Really?', requestedSchema: { type: 'object', properties: {} } },
  }), 'received');
  assert.match((await answer).text, /"page-1"/);
  // The server has not reported an answer to a question that it never asked.
  assert.deepEqual(textOf(await client.callTool('ask')), [{ type: 'text', text: 'decline' }]);
  assert.deepEqual(errors, []);
});

test('tap: what is held is lost with the connection, and a cancelled request is not sent', async (t) => {
  const { client, tapped, holds } = await connected(t, 'modern');
  tapped.hold({ sent: true, received: false });
  const call = client.callTool('echo', { text: 'never' });
  await holds(1);
  await Promise.all([assert.rejects(call), client.close()]);
  assert.equal(tapped.held.length, 0);
  assert.throws(() => tap((trace) => memoryTransport(echoServer(), { trace })).inject('{}'), { reason: 'closed' });
});

test('tap: over HTTP held, edited and injected messages go the way of their request', async (t) => {
  for (const era of ['legacy', 'modern'] as const) {
    const handler = fetchHandler(echoServer());
    const seen: TappedEntry[] = [];
    const arrived: ((text: string) => void)[] = [];
    const tapped = tap((trace) => httpTransport('http://127.0.0.1/mcp', { trace, fetch: (url, init) => handler(new Request(url, init)) }), {
      onPassed: (entry) => {
        seen.push(entry);
        if ('origin' in entry && entry.direction === 'received' && entry.text.includes('page-')) arrived.splice(0).forEach((resolve) => resolve(entry.text));
      },
    });
    const client = new McpClient(info, { era });
    await client.connect(tapped.transport);
    t.after(() => client.close());
    tapped.hold({ sent: true, received: false });
    const call = client.callTool('echo', { text: 'mine' });
    await new Promise<void>((resolve) => setImmediate(resolve));
    const text = tapped.held[0]?.text ?? '';
    tapped.hold({ sent: true, received: true });
    tapped.next('sent', text.replace('mine', 'yours'));
    tapped.hold({ sent: false, received: false });
    assert.deepEqual(textOf(await call), said('yours'));
    assert.ok(seen.some((entry) => 'origin' in entry && entry.origin === 'edited'));
    const answer = new Promise<string>((resolve) => arrived.push(resolve));
    tapped.inject(text.replace('mine', 'injected'));
    assert.match(await answer, /said injected/);
    assert.deepEqual(textOf(await client.callTool('echo', { text: 'after' })), said('after'));
    await handler.close();
  }
});
