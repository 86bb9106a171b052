// Our client with a server of the official SDK v1 behind a proxy that forwards the GET late: requests of the server without an
// open GET stream are lost, and its handler waits for 60 seconds.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import test from 'node:test';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport as overFetch } from '../../dist/lib/fetch.js';
import { httpTransport as overNode } from '../../dist/lib/http.js';

const listen = (t, server) => new Promise((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
});

/** One session of an SDK v1 server, whose tool asks on the GET stream, not on the stream of its call. */
async function sdkServer(t) {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' });
  server.registerTool('ask', { description: 'Asks.' }, async () => {
    const { action } = await server.server.elicitInput({ message: 'Well?', requestedSchema: { type: 'object', properties: {} } });
    return { content: [{ type: 'text', text: action }] };
  });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
  await server.connect(transport);
  return listen(t, createServer((req, res) => void transport.handleRequest(req, res)));
}

for (const [sender, httpTransport] of Object.entries({ fetch: overFetch, 'node:http': overNode })) {
  test(`a GET that is answered after a second, over ${sender}: the question of a call at once arrives`, { timeout: 30_000 }, async (t) => {
    const port = await sdkServer(t);
    const proxy = createServer(async (req, res) => {
      if (req.method === 'GET') await new Promise((resolve) => setTimeout(resolve, 1000));
      req.pipe(request({ port, host: '127.0.0.1', method: req.method, path: req.url, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode, answer.headers).flushHeaders();
        answer.pipe(res);
      })).on('error', () => res.destroy());
    });
    const client = new McpClient({ name: 'barewire', version: '1.0.0' }, { era: 'legacy', onElicit: () => ({ action: 'accept', content: {} }) });
    await client.connect(httpTransport(`http://127.0.0.1:${await listen(t, proxy)}/mcp`));
    assert.equal((await client.callTool('ask', {}, { timeoutMs: 10_000 })).content[0].text, 'accept');
    await client.close();
  });
}
