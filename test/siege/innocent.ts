// Innocent processes: a server for the attacked client, and a client of the attacked server.
import { request } from 'node:http';
import { McpServer } from '../../src/server/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { modernMeta, mirrored } from './door.ts';

const ports = (process.argv[2] ?? '').split(',').filter(Boolean).map(Number);
process.on('disconnect', () => process.exit());

if (ports.length === 0) {
  const server = new McpServer({ name: 'innocent', version: '1' });
  server.tool('echo', { input: { type: 'object' } }, () => 'echo');
  const { url } = await serveHttp(server);
  process.send?.({ ready: url });
} else {
  process.send?.({ ready: true });
  for (let i = 0; ; i++) {
    const asked = performance.now();
    const failed = await probe(ports[i % ports.length] as number).then(() => undefined, String);
    process.send?.({ probe: performance.now() - asked, failed });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A call on a new connection, as a new client makes it. */
function probe(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'probe' }, _meta: modernMeta } };
    const sent = request({
      port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent: false, timeout: 10_000,
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...mirrored(message) },
    }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part)).on('error', reject).on('end', () => {
        if (text.includes('probe')) resolve();
        else reject(new Error(`${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no answer within 10 seconds')));
    sent.end(JSON.stringify(message));
  });
}
