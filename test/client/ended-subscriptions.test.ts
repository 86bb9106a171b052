import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import type { ClientTransport } from '../../src/transport/client-port.ts';
import type { TraceEntry } from '../../src/transport/trace.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';
import { json, serve, stream } from '../transport/http-client/harness.ts';

// 2026-07-28 has two rules for a server that ends a subscription: it MUST send `notifications/cancelled`
// (basic/patterns/cancellation), and it SHOULD send the response (basic/patterns/subscriptions#graceful-closure). After either
// message or both, the client opens the subscription again and reports no error.

const discovery = {
  resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { resources: { subscribe: true } },
  ttlMs: 0, cacheScope: 'private',
};

const tagged = (id: unknown, params: object = {}): object =>
  ({ ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
const acknowledged = (id: unknown): object => ({
  jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged',
  params: tagged(id, { notifications: { resourceSubscriptions: ['a:1'] } }),
});
const cancelled = (id: unknown): object =>
  ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'enough' } });
const result = (id: unknown): object => ({ jsonrpc: '2.0', id, result: tagged(id, { resultType: 'complete' }) });
const updated = (id: unknown): object =>
  ({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: tagged(id, { uri: 'a:1' }) });

const endings: Record<string, ((id: unknown) => object)[]> = {
  'a cancellation and nothing else': [cancelled],
  'a cancellation and the result': [cancelled, result],
  'the result and a cancellation': [result, cancelled],
  'the result alone': [result],
};

/** Subscribes, and resolves after the first notification of the second stream, with the methods sent and the errors. */
async function subscribed(
  transport: (trace: (entry: TraceEntry) => void) => ClientTransport,
): Promise<{ client: McpClient; sent: string[]; errors: Error[] }> {
  const errors: Error[] = [];
  const sent: string[] = [];
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => (tell = resolve));
  const client = new McpClient({ name: 'tester', version: '1' }, {
    onError: (error) => errors.push(error), onResourceUpdated: tell,
  });
  await client.connect(transport(({ direction, text }) => {
    if (direction === 'sent') sent.push((JSON.parse(text) as { method: string }).method);
  }));
  await client.subscribe('a:1');
  await told;
  return { client, sent, errors };
}

// Over stdio: discovery, then streams; the server ends the first.
const program = (ending: object[]): string => `
  let opened = 0;
  const say = (...messages) =>
    process.stdout.write(messages.map((message) => JSON.stringify(message) + '\\n').join(''));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const here = (message) => JSON.parse(JSON.stringify(message).replaceAll('"ID"', id));
    if (method === 'server/discover') say({ jsonrpc: '2.0', id, result: ${JSON.stringify(discovery)} });
    else if (method !== 'subscriptions/listen') return;
    else if (opened++ === 0) say(here(${JSON.stringify(acknowledged('ID'))}), ...${JSON.stringify(ending)}.map(here));
    else say(here(${JSON.stringify(acknowledged('ID'))}), here(${JSON.stringify(updated('ID'))}));
  });`;

for (const [name, ending] of Object.entries(endings)) {
  test(`stdio: a subscription that the server ends with ${name}`, async () => {
    const code = program(ending.map((make) => make('ID')));
    const { client, sent, errors } = await subscribed(
      (trace) => stdioTransport(process.execPath, ['-e', code], { trace }),
    );
    await client.close();
    assert.deepEqual(errors, []);
    // The client does not cancel a stream that the server ended; the last cancellation is the client's own.
    assert.deepEqual(sent, [
      'server/discover', 'subscriptions/listen', 'subscriptions/listen', 'notifications/cancelled',
    ]);
  });

  test(`HTTP: a subscription that the server ends with ${name}`, async (t) => {
    const streams: ServerResponse[] = [];
    const { url } = await serve(t, ({ body: { id, method } }, response) => {
      if (method === 'server/discover') {
        return json(response, JSON.stringify({ jsonrpc: '2.0', id, result: discovery }));
      }
      stream(response);
      streams.push(response);
      for (const make of [acknowledged, ...streams.length === 1 ? ending : [updated]]) {
        response.write(`data: ${JSON.stringify(make(id))}\n\n`);
      }
      // The server does not close the connection: the client must.
    });
    const { client, sent, errors } = await subscribed(
      (trace) => httpTransport(url, { trace, limits: { lingerMs: 1 } }),
    );
    assert.deepEqual(sent, ['server/discover', 'subscriptions/listen', 'subscriptions/listen']);
    const [first] = streams;
    if (first && !first.closed) await once(first, 'close');
    await client.close();
    assert.deepEqual(errors, []);
  });
}
