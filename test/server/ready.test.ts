import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from '../../src/jsonrpc/message.ts';
import { McpServer } from '../../src/server/index.ts';
import type { ServerOptions } from '../../src/server/index.ts';
import { connect, later, textOf } from './peer.ts';
import type { Peer } from './peer.ts';

// A client that completes the handshake, never sends `notifications/initialized`, and calls a tool that asks: the wait must end.

const info = { name: 'test', version: '1' };

interface Stuck {
  readonly server: McpServer;
  readonly peer: Peer;
  /** Resolves with the error of the handler's question. */
  readonly ended: Promise<unknown>;
  readonly errors: string[];
}

async function stuck(options: ServerOptions = {}): Promise<Stuck> {
  const errors: string[] = [];
  const server = new McpServer(info, { ...options, onError: ({ message }) => errors.push(message) });
  const { promise: ended, resolve } = later<unknown>();
  server.tool('ask', {}, async (_args, ctx) => {
    try {
      return (await ctx.elicit('Name?', { name: { type: 'string' } })).action;
    } catch (thrown) {
      resolve(thrown);
      throw thrown;
    }
  });
  const peer = await connect(server);
  await peer.request('initialize', {
    protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: info,
  });
  return { server, peer, ended, errors };
}

test('the wait for notifications/initialized ends when the time of a question is up', async () => {
  const { peer, errors } = await stuck({ limits: { questionTimeoutMs: 5 } });
  assert.match(textOf(await peer.call('ask')), /^failed: ask failed/);
  assert.match(errors[0] ?? '', /sent no notifications\/initialized within 5 ms/);
  assert.deepEqual(await peer.rest(), []);
});

test('it ends when the call is cancelled', async () => {
  const { peer, ended, errors } = await stuck();
  void peer.request('tools/call', { name: 'ask' }, 'call');
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call', reason: 'enough' } });
  assert.equal(((await ended) as Error).message, 'enough');
  assert.deepEqual(await peer.rest(), []);
  assert.deepEqual(errors, []);
});

test('it ends when the connection closes', async () => {
  const { peer, ended } = await stuck();
  void peer.request('tools/call', { name: 'ask' }, 'call');
  peer.close();
  await ended;
});

test('a connection is idle again when its waits are over', async () => {
  const { server } = await stuck();
  const client = server.connect({ send: () => {}, answer: () => {} });
  client.receive(classify({
    jsonrpc: '2.0', id: 1, method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: info },
  }));
  client.receive(classify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'ask' } }));
  assert.equal(client.inFlight, 1);
  client.receive(classify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }));
  await client.idle();
  assert.equal(client.inFlight, 0);
});

test('what a client keeps us holding is charged to its budget, bounded, and given back', async () => {
  const { peerBudget } = await import('../../src/bounds/budget.ts');
  const server = new McpServer(info);
  server.resource('note://one', {}, () => '');
  const budget = peerBudget(200_000);
  const answers: { error?: { message: string } }[] = [];
  const answer = (text: string | undefined): void => {
    if (text !== undefined) answers.push(JSON.parse(text) as { error?: { message: string } });
  };
  const client = server.connect({ send: answer, answer }, { budget });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { ...info, more: 'x'.repeat(70_000) } };
  const { decode } = await import('../../src/jsonrpc/message.ts');
  const send = (id: number, method: string, body: object): void =>
    client.receive(decode(JSON.stringify({ jsonrpc: '2.0', id, method, params: body })));
  send(1, 'initialize', params);
  assert.match(answers.pop()?.error?.message ?? '', /initialize is over the limit of 65536 bytes/);
  send(1, 'initialize', { ...params, clientInfo: info, capabilities: { experimental: { many: Array(1100).fill({}) } } });
  assert.match(answers.pop()?.error?.message ?? '', /initialize is over the limit of 65536 bytes/, 'a short text of many values');
  assert.equal(budget.used, 0);
  send(2, 'initialize', { ...params, clientInfo: info });
  assert.equal(answers.pop()?.error, undefined);
  const before = budget.used;
  const uri = (n: number): string => `note://${n}${'x'.repeat(20_000)}`;
  let refused = '';
  for (let n = 0; n < 10 && refused === ''; n++) {
    send(10 + n, 'resources/subscribe', { uri: uri(n) });
    refused = answers.pop()?.error?.message ?? '';
  }
  assert.match(refused, /Too many bytes/);
  send(30, 'resources/unsubscribe', { uri: uri(0) });
  send(31, 'resources/unsubscribe', { uri: uri(0) });
  for (let n = 1; n < 10; n++) send(40 + n, 'resources/unsubscribe', { uri: uri(n) });
  assert.equal(budget.used, before);
  client.close();
  assert.equal(budget.used, 0);
});
