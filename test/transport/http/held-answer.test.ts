import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import test from 'node:test';
import { McpClient } from '../../../src/client/index.ts';
import { httpTransport } from '../../../src/transport/http/node/index.ts';
import { within } from '../../within.ts';

const head = (type: string, length: number): string => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
const asText = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });

// A stream is read a few kilobytes at a time, with pauses in which other work can run. If a body has arrived completely, Node reports its
// end even during a pause: the rest of the last chunk, with the answer, was once lost.
for (const steps of [1, 100, 1_000]) {
  test(`a stream that comes as a whole, ${steps} notifications and the answer, is heard to its end`, async (t) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      let came = '';
      socket.on('data', (bytes) => {
        came += bytes.toString('latin1');
        const [, text] = /\r\n\r\n(\{[^]*\})$/.exec(came) ?? [];
        if (text === undefined) return;
        came = '';
        const { id, method } = JSON.parse(text) as { id: number; method: string };
        const known = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
        if (method === 'server/discover') {
          const body = asText({ id, result: { ...known, supportedVersions: ['2026-07-28'], capabilities: { logging: {}, tools: {} } } });
          socket.write(head('application/json', body.length) + body);
          return;
        }
        const said = Array.from({ length: steps }, (_, n) => asText({ method: 'notifications/message', params: { level: 'info', data: n } }));
        const body = [...said, asText({ id, result: { ...known, content: [] } })].map((message) => `data: ${message}\n\n`).join('');
        socket.write(head('text/event-stream', body.length) + body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const heard: unknown[] = [];
    const client = new McpClient({ name: 'test', version: '1' }, { era: 'modern', logLevel: 'info', onLog: ({ data }) => void heard.push(data) });
    t.after(() => client.close());
    await client.connect(httpTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`));
    assert.deepEqual((await within('the answer', client.callTool('steps'))).content, []);
    assert.deepEqual(heard, Array.from({ length: steps }, (_, n) => n));
  });
}
