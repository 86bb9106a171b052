import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from 'barewire/client';
import { memoryTransport } from 'barewire/memory';
import { rehearse } from 'barewire/server';
import { createServer } from './server.ts';

for (const era of ['legacy', 'modern'] as const) {
  test(`greet, called by a client of the ${era} era`, async () => {
    const client = new McpClient({ name: 'test', version: '0.1.0' }, { era });
    await client.connect(memoryTransport(createServer()));
    const { content } = await client.callTool('greet', { name: 'Ada' });
    assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada.' }]);
    const refused = await client.callTool('greet', { name: '' });
    assert.equal(refused.isError, true);
    await client.close();
  });
}

test('choose_greeting asks', async () => {
  const { result, rounds } = await rehearse(createServer(), 'choose_greeting', {}, [{ action: 'accept', content: { greeting: 'Good morning' } }]);
  assert.deepEqual([result.content, rounds.length], [[{ type: 'text', text: 'Good morning!' }], 2]);
});

test('choose_greeting does without a person', async () => {
  const { result } = await rehearse(createServer(), 'choose_greeting', {}, [], { capabilities: {} });
  assert.deepEqual(result.content, [{ type: 'text', text: 'Hello!' }]);
});
