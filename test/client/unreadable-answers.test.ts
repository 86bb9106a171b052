import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { McpClient } from '../../src/client/index.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { messagePortTransport } from '../../src/transport/message-port.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';
import type { ClientTransport } from '../../src/transport/client-port.ts';

// A response that the client rejects itself ends its request at once, with the cause: on every transport, for every reason.
// Another pending request goes on.

const maxMessageBytes = 4_000_000;

/** Rejected responses to a request with this id, and the error of each. */
const answers: Readonly<Record<string, { raw: (id: number) => Buffer; says: RegExp; batch?: boolean }>> = {
  'more values than may be': { raw: (id) => around(id, `{"content":[${'0,'.repeat(1_100_000)}0]}`), says: /1000000 values/ },
  'the same, with the id at its end': { raw: (id) => Buffer.from(`{"result":{"content":[${'0,'.repeat(1_100_000)}0]},"jsonrpc":"2.0","id":${id}}`), says: /1000000 values/ },
  'deeper than may be': { raw: (id) => around(id, `{"content":${'['.repeat(200_000)}${']'.repeat(200_000)}}`), says: /levels/ },
  'longer than may be': { raw: (id) => around(id, `{"content":"${'x'.repeat(maxMessageBytes)}"}`), says: /4000000 bytes|too large/ },
  'bytes that are not UTF-8': { raw: (id) => Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"a":"`), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')]), says: /UTF-8|not valid|not a valid|encoded data/i },
  'no JSON': { raw: (id) => around(id, '{"content":[}'), says: /JSON|token/ },
  'a result that is no object': { raw: (id) => around(id, '5'), says: /"result" must be an object/ },
  'an error that is none': { raw: (id) => Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":"x"}`), says: /"error" must have/ },
  'a result and an error': { raw: (id) => Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":"x"}}`), says: /both "result" and "error"/ },
  'neither': { raw: (id) => Buffer.from(`{"jsonrpc":"2.0","id":${id}}`), says: /neither/ },
  'another version of JSON-RPC': { raw: (id) => Buffer.from(`{"jsonrpc":"1.0","id":${id},"result":{}}`), says: /"jsonrpc" must be/ },
  'a batch, where there are none': { raw: (id) => Buffer.from(`[{"jsonrpc":"2.0","id":${id},"result":{}}]`), says: /batch/ },
};

const around = (id: number, result: string): Buffer => Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);

type Sent = { id?: number; method?: string; params?: { name?: string } };

/** The server's answer to a message; undefined: none. */
function answerTo({ id, method, params }: Sent): Buffer | undefined {
  if (id === undefined) return undefined;
  if (method === 'initialize') {
    return around(id, JSON.stringify({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } }));
  }
  const { name = '' } = params ?? {};
  if (name === 'waits') return undefined;
  return answers[name]?.raw(id) ?? around(id, '{"content":[]}');
}

type Open = (t: TestContext) => Promise<ClientTransport>;

async function http(t: TestContext, handle: (sent: Sent, method: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    handle((text === '' ? {} : JSON.parse(text)) as Sent, request.method ?? '', response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const event = (data: Buffer): Buffer => Buffer.concat([Buffer.from('data: '), data, Buffer.from('\n\n')]);

const transports: Readonly<Record<string, Open>> = {
  stdio: async () => stdioTransport(process.execPath, [fileURLToPath(import.meta.url), 'serve'], { maxMessageBytes }),
  'a message port': async (t) => {
    const { port1, port2 } = new MessageChannel();
    t.after(() => port1.close());
    port2.on('message', (text: string) => {
      const answer = answerTo(JSON.parse(text) as Sent);
      if (answer) port2.postMessage(new Uint8Array(answer));
    });
    return messagePortTransport(port1);
  },
  'HTTP, JSON': async (t) => httpTransport(await http(t, (sent, method, response) => {
    const answer = answerTo(sent);
    if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    else if (sent.id === undefined) response.writeHead(method === 'POST' ? 202 : 405).end();
  }), { limits: { maxMessageBytes } }),
  'HTTP, a stream': async (t) => httpTransport(await http(t, (sent, method, response) => {
    if (sent.id === undefined) return void response.writeHead(method === 'POST' ? 202 : 405).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const answer = answerTo(sent);
    // The stream stays open, which is allowed.
    if (answer) response.write(event(answer));
    else response.flushHeaders();
  }), { limits: { maxMessageBytes } }),
  'HTTP+SSE': async (t) => {
    let stream: ServerResponse | undefined;
    return httpTransport(await http(t, (sent, method, response) => {
      if (method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /mcp?s=1\n\n');
        return;
      }
      if (stream === undefined) return void response.writeHead(405).end();
      response.writeHead(202).end();
      const answer = answerTo(sent);
      if (answer) stream.write(event(answer));
    }), { limits: { maxMessageBytes } });
  },
};

/** Responses whose id stays unknown: a rejected event has no readable id, and the stream carries several responses. */
const untold: Readonly<Record<string, readonly string[]>> = { 'HTTP+SSE': ['longer than may be', 'bytes that are not UTF-8'] };

if (process.argv[2] === 'serve') {
  let text = '';
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text += chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const answer = answerTo(JSON.parse(line) as Sent);
      if (answer) process.stdout.write(Buffer.concat([answer, Buffer.from('\n')]));
    }
  });
} else {
  for (const [name, open] of Object.entries(transports)) {
    test(`an answer that is refused ends its request at once: ${name}`, async (t) => {
      const client = new McpClient({ name: 'tester', version: '1' }, { era: 'legacy', limits: { timeoutMs: 0 } });
      await client.connect(await open(t));
      let waits = true;
      const waiting = client.callTool('waits').catch(() => {}).finally(() => (waits = false));
      for (const [what, { says }] of Object.entries(answers)) {
        // A message port has no byte limit: the message is in memory already.
        if ((name === 'a message port' && what === 'longer than may be') || untold[name]?.includes(what)) continue;
        // Without a timeout: if nothing rejects, the test's own ends it.
        await assert.rejects(client.callTool(what), (error: Error) => {
          assert.match(error.message, says, `${what}: ${error.message}`);
          return true;
        }, what);
        assert.ok(waits, what);
      }
      assert.deepEqual((await client.callTool('good')).content, []);
      await client.close();
      await waiting;
    });
  }

  test('an answer that is too large for an event of HTTP+SSE ends its request where no other waits', async (t) => {
    const client = new McpClient({ name: 'tester', version: '1' }, { era: 'legacy', limits: { timeoutMs: 0 } });
    await client.connect(await (transports['HTTP+SSE'] as Open)(t));
    for (const what of untold['HTTP+SSE'] ?? []) await assert.rejects(client.callTool(what), answers[what]?.says ?? /never/);
    await client.close();
  });
}
