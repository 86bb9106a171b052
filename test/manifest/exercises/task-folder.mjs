// barewire/tasks/node: a task with its journal in files.
import { McpServer } from 'barewire/server';
import { memoryTransport } from 'barewire/memory';
import { TaskClient, tasks } from 'barewire/tasks';
import { folderStore } from 'barewire/tasks/node';

export async function run({ folder }) {
  const server = new McpServer({ name: 'exercise', version: '1' });
  const running = tasks(server, { store: await folderStore(`${folder}/tasks`) });
  server.tool('bake', { task: 'optional' }, (_args, ctx) => ctx.once('bake', () => 'bread'));
  const client = new TaskClient({ name: 'test', version: '1' });
  await client.connect(memoryTransport(server));
  if ((await client.callTool('bake', {})).content[0].text !== 'bread') throw new Error('no bread');
  await client.close();
  await running.close();
}
