import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/fetch';
import worker from './worker.ts';

for (const era of ['legacy', 'modern'] as const) {
  test(`add_hours over HTTP, called by a client of the ${era} era`, async () => {
    const client = new McpClient({ name: 'test', version: '0.1.0' }, { era });
    await client.connect(httpTransport('http://clock.example/mcp', { fetch: (input, init) => worker.fetch(new Request(input, init)) }));
    const { content } = await client.callTool('add_hours', { hour: 23, hours: 3 });
    assert.deepEqual(content, [{ type: 'text', text: '2' }]);
    await client.close();
  });
}

test('another host is refused', async () => {
  assert.equal((await worker.fetch(new Request('http://evil.example/mcp', { method: 'POST' }))).status, 403);
});
