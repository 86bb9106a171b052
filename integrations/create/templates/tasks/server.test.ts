import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { memoryTransport } from 'barewire/memory';
import { TaskClient } from 'barewire/tasks';
import { createServer } from './server.ts';

test('an order is a task, asks, and is sent once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tasks-'));
  const sent: string[] = [];
  const { server, running } = await createServer(join(folder, 'tasks'), {
    async send(what) {
      sent.push(what);
      return `number ${sent.length}`;
    },
  });
  const client = new TaskClient({ name: 'test', version: '0.1.0' }, { onElicit: () => ({ action: 'accept', content: { city: 'Oslo' } }) });
  t.after(async () => {
    await client.close();
    await running.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await client.connect(memoryTransport(server));
  const task = await client.startTool('order', { what: 'lamp' });
  const { content } = await task.result();
  assert.deepEqual([content, sent], [[{ type: 'text', text: 'Sent: number 1' }], ['lamp to Oslo']]);
});
