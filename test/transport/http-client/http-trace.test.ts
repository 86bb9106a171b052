import assert from 'node:assert/strict';
import { httpTrace } from '../../../src/transport/http/client/http-trace.ts';
import type { HttpTrace } from '../../../src/transport/trace.ts';
import { client, json, notice, result, serve, test } from './harness.ts';

type Entry = Parameters<HttpTrace>[0];

function line(entry: Entry): string {
  const arrow = entry.direction === 'sent' ? '->' : '<-';
  if (entry.kind === 'http') return `${entry.exchange} ${arrow} ${entry.method} ${entry.path} ${entry.status ?? ''}`.trim();
  const fields = Object.entries(entry.event ?? {}).map(([name, value]) => ` ${name}=${value}`).join('');
  return `${entry.exchange} ${arrow}${fields} ${entry.kind === 'event' ? `event ${entry.data}` : entry.text}`.trim();
}

test('httpTrace sees heads, messages and events, joined by the number of the exchange', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.path === '/mcp?key=hunter2') return void response.writeHead(308, { location: '/mcp/' }).end();
    if (call.body.id === 1) return json(response, result(1), 200, { 'set-cookie': 'hunter2' });
    if (call.body.id === 2) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      // The response is cut in the middle of an event.
      response.write('id: a\nretry: 5\ndata:\n\nid: b\nda');
      return void response.end(`ta: ${notice(1)}\n\nevent: other\ndata: x\n\ndata: ${result(2)}\n\n`);
    }
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html>');
  });
  const seen: Entry[] = [];
  const it = await client(t, `${server.url}?key=hunter2`, {
    around: httpTrace((entry) => seen.push(entry)), headers: { authorization: 'Bearer hunter2' },
  });
  await it.request(1);
  await it.request(2);
  await it.next();
  await it.request(3);
  const ask = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`;
  assert.deepEqual(seen.map(line), [
    '1 -> POST /mcp', `1 -> ${ask(1)}`, '1 <- POST /mcp 308',
    '2 -> POST /mcp/', `2 -> ${ask(1)}`, '2 <- POST /mcp/ 200', `2 <- ${result(1)}`,
    '3 -> POST /mcp', `3 -> ${ask(2)}`, '3 <- POST /mcp 308',
    '4 -> POST /mcp/', `4 -> ${ask(2)}`, '4 <- POST /mcp/ 200', '4 <- id=a retry=5 event', `4 <- id=b ${notice(1)}`,
    '4 <- event=other event x', `4 <- ${result(2)}`,
    '5 -> POST /mcp', `5 -> ${ask(3)}`, '5 <- POST /mcp 308', '6 -> POST /mcp/', `6 -> ${ask(3)}`, '6 <- POST /mcp/ 404',
  ]);
  assert.doesNotMatch(JSON.stringify(seen), /hunter2/);
  const [sent, , received] = seen;
  assert.equal(sent?.kind === 'http' && sent.headers['authorization'], 'Bearer [redacted]');
  assert.equal(received?.kind === 'http' && received.headers['location'], '/mcp/');
});

test('httpTrace sees a refusal with its message', async (t) => {
  const server = await serve(t, (_call, response) => json(response, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}', 400));
  const seen: Entry[] = [];
  const it = await client(t, server.url, { around: httpTrace((entry) => seen.push(entry)) });
  await it.request(1);
  assert.match(seen.map(line).join('\n'), /1 <- POST \/mcp 400\n1 <- \{"jsonrpc":"2.0","id":null,"error"/);
});
