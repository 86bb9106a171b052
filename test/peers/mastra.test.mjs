// Our client with a server of @mastra/mcp, which answers a POST on its SSE path with an HTTP+SSE stream.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport as overFetch } from '../../dist/lib/fetch.js';
import { httpTransport as overNode } from '../../dist/lib/http.js';
import { at, start } from './processes.mjs';

const skip = !existsSync(at('test/peers/mastra/node_modules')) && 'npm ci --prefix test/peers/mastra has not been run';
const choices = [{}, { era: 'legacy' }, { revisions: ['2025-11-25'] }, { revisions: ['2024-11-05'] }];

for (const [sender, httpTransport] of Object.entries({ fetch: overFetch, 'node:http': overNode })) {
  test(`@mastra/mcp's startSSE, over ${sender}`, { skip, timeout: 60_000 }, async (t) => {
    for (const options of choices) {
      // It has room for one client, and notices late that one has left.
      const server = await start(process.execPath, [at('test/peers/mastra/server.mjs')]);
      t.after(() => server.stop());
      const client = new McpClient({ name: 'barewire', version: '1.0.0' }, { ...options, limits: { timeoutMs: 10_000 } });
      await client.connect(httpTransport(server.url));
      assert.deepEqual((await client.listTools()).map(({ name }) => name), ['add']);
      assert.match((await client.callTool('add', { a: 1, b: 2 })).content[0].text, /"sum":3/);
      await client.close();
    }
  });
}
