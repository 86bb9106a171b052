import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryTransport } from 'barewire/memory';
import { McpServer } from 'barewire/server';
import { describeTools } from './client.ts';

test('tools are described', async () => {
  const server = new McpServer({ name: 'test', version: '0.1.0' });
  server.tool('add', { description: 'Adds' }, () => '3');
  server.tool('bare', {}, () => '');
  assert.deepEqual(await describeTools(memoryTransport(server)), ['add: Adds', 'bare: no description']);
});
