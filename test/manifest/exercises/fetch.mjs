// barewire/fetch and /fleet: a handler of web standards, and a client whose `fetch` is that handler.
import { McpClient } from 'barewire/client';
import { fetchHandler, httpTransport } from 'barewire/fetch';
import { fleet, memoryEngine } from 'barewire/fleet';
import { engineTests } from 'barewire/fleet/testing';
import { McpServer } from 'barewire/server';

export async function run({ Request }) {
  const server = new McpServer({ name: 'exercise', version: '1' });
  server.tool('add', { input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } }, ({ a }, ctx) => { ctx.progress(1, 2); return String(a + 1); });
  for (const options of [{}, { fleet: await fleet({ keys: [new Uint8Array(32).fill(7)], engine: memoryEngine() }) }]) {
    const handler = fetchHandler(server, options);
    for (const revision of ['2025-06-18', '2026-07-28']) {
      const client = new McpClient({ name: 'test', version: '1' }, { revisions: [revision] });
      await client.connect(httpTransport('http://127.0.0.1/mcp', { fetch: (url, init) => handler(new Request(url, init)) }));
      const { content } = await client.callTool('add', { a: 1 }, { onProgress: () => {} });
      if (content[0].text !== '2') throw new Error(content[0].text);
      await client.close();
    }
    await handler.close?.();
  }
  if (engineTests.length === 0) throw new Error('no tests of engines');
}
