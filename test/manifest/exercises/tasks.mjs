// barewire/tasks with /server, /client, /memory: a task with a step, a question and a result.
import { memoryTransport } from 'barewire/memory';
import { McpServer } from 'barewire/server';
import { TaskClient, memoryStore, tasks } from 'barewire/tasks';
import { storeTests } from 'barewire/tasks/testing';

export async function run() {
  const server = new McpServer({ name: 'exercise', version: '1' });
  const running = tasks(server, { store: memoryStore() });
  server.tool('bake', { task: 'optional' }, async (_args, ctx) => `${await ctx.once('knead', () => 'dough')} ${(await ctx.elicit('Salt?', { salt: { type: 'boolean' } })).action}`);
  const client = new TaskClient({ name: 'test', version: '1' }, { onElicit: () => ({ action: 'decline' }) });
  await client.connect(memoryTransport(server));
  const { content } = await client.callTool('bake', {});
  if (content[0].text !== 'dough decline') throw new Error(content[0].text);
  await client.close();
  await running.close();
  if (storeTests.length === 0) throw new Error('no tests of stores');
}
