import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { asking, ServerCore, tools } from '../../src/server/index.ts';
import type { Context } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { serveMessagePort } from '../../src/transport/message-port.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { inbox } from '../transcripts/play.ts';
import type { Bag } from './peer.ts';

// JSON-RPC 2.0 section 5: a response has either a result or an error. A malformed one fails only the question with its id, and gets no
// response itself, because the id may be that of a request from its sender.

const info = { name: 'test', version: '1' };

/** One client of a server, as text. */
interface Line {
  send(message: object): void;
  /** The server's next message. */
  next(): Promise<Bag>;
  close(): void;
}

const lines: Readonly<Record<string, (server: ServerCore) => Line>> = {
  stdio(server) {
    const { put, next } = inbox();
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    stdout.setEncoding('utf8').on('data', (text: string) => text.trim().split('\n').forEach(put));
    serveStdio(server, { stdin, stdout });
    return {
      send: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
      next: async () => JSON.parse(await next()) as Bag,
      close: () => void stdin.end(),
    };
  },
  memory(server) {
    const { put, next } = inbox();
    const transport = memoryTransport(server, {
      trace({ direction, text }) {
        if (direction === 'received') put(text);
      },
    });
    void transport.open({ message() {}, failed() {}, error() {}, closed() {} });
    return {
      send: (message) => transport.send(JSON.stringify(message)),
      next: async () => JSON.parse(await next()) as Bag,
      close: () => void transport.close(),
    };
  },
  'a message port': (server) => port(server, (message) => JSON.stringify(message)),
  'a message port, as values': (server) => port(server, (message) => message),
};

function port(server: ServerCore, said: (message: object) => unknown): Line {
  const { put, next } = inbox();
  const { port1, port2 } = new MessageChannel();
  port1.on('message', (data) => put(String(data)));
  serveMessagePort(server, port2);
  return {
    send: (message) => port1.postMessage(said(message)),
    next: async () => JSON.parse(await next()) as Bag,
    close: () => port1.close(),
  };
}

/** Malformed responses, each with the resulting error of its question. */
const malformed: [string, Bag, RegExp][] = [
  ['a result that is no object', { result: 7 }, /"result" must be an object/],
  ['a list as a result', { result: [] }, /"result" must be an object/],
  ['both', { result: {}, error: { code: 1, message: 'x' } }, /both "result" and "error"/],
  ['an error that is text', { error: 'x' }, /"error" must have an integer "code"/],
  ['an error without a code', { error: { message: 'x' } }, /"error" must have an integer "code"/],
  ['an error without a message', { error: { code: 1 } }, /"error" must have an integer "code"/],
];

const jsonrpc = '2.0';

async function greet(line: Line): Promise<void> {
  line.send({
    jsonrpc, id: 'i', method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: info },
  });
  assert.equal((await line.next())['id'], 'i');
  line.send({ jsonrpc, method: 'notifications/initialized' });
}

/** Checks that nothing was sent before the response to this ping. */
async function nothingSaid(line: Line): Promise<void> {
  line.send({ jsonrpc, id: 'p', method: 'ping' });
  assert.deepEqual(await line.next(), { jsonrpc, id: 'p', result: {} });
}

for (const [channel, open] of Object.entries(lines)) {
  for (const asks of [false, true]) {
    test(`${channel}, ${asks ? 'with' : 'without'} asking: a malformed answer to no question is reported and not answered`, async () => {
      const errors: string[] = [];
      const server = new ServerCore<Context>(info, {
        ...asks && { asking: asking() }, onError: ({ message }) => errors.push(message),
      });
      const line = open(server as ServerCore);
      await greet(line);
      for (const id of [5, 'x', null, {}]) {
        for (const [, members] of malformed) {
          line.send({ jsonrpc, id, ...members });
          await nothingSaid(line);
        }
      }
      line.close();
      // Of many faults only the first are reported, then their number (bounds/faults.ts).
      assert.equal(errors[0], 'a response to a request that was not sent (id 5)');
      assert.ok(errors.length > 1);
      for (const error of errors.slice(0, -1)) assert.match(error, /^a response to a request that was not sent \(id/);
    });
  }

  test(`${channel}: a malformed answer fails the question that waits for it, by name, and no other`, async () => {
    const errors: string[] = [];
    const some = tools<Context>();
    const server = new ServerCore<Context>(info, {
      asking: asking(), features: [some], errors: 'message', onError: ({ message }) => errors.push(message),
    });
    some.add('ask', {}, async (_args, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action);
    const line = open(server as ServerCore);
    await greet(line);
    for (const [what, members, says] of malformed) {
      line.send({ jsonrpc, id: 'one', method: 'tools/call', params: { name: 'ask' } });
      const one = await line.next();
      line.send({ jsonrpc, id: 'two', method: 'tools/call', params: { name: 'ask' } });
      const two = await line.next();
      errors.length = 0;
      line.send({ jsonrpc, id: one['id'], ...members });
      const failed = await line.next();
      assert.equal(failed['id'], 'one', what);
      const { isError, content } = failed['result'] as { isError: boolean; content: { text: string }[] };
      assert.equal(isError, true, what);
      assert.match(content[0]?.text ?? '', says, what);
      assert.match(errors[0] ?? '', new RegExp(`^Invalid response: ${says.source}`), what);
      line.send({ jsonrpc, id: two['id'], result: { action: 'decline' } });
      const done = await line.next();
      assert.deepEqual([done['id'], done['result']], ['two', { content: [{ type: 'text', text: 'decline' }] }], what);
    }
    line.close();
  });
}
