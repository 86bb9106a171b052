// A barewire server over stdio with task tools.
import { RpcError } from '../../../dist/src/jsonrpc/errors.js';
import { McpServer } from '../../../dist/src/server/index.js';
import { tasks } from '../../../dist/src/tasks/index.js';
import { serveStdio } from '../../../dist/src/transport/stdio/index.js';

const server = new McpServer({ name: 'our-tasks', version: '1.0.0' });
tasks(server, { askWithTasks: true, limits: { pollIntervalMs: 100, statusIntervalMs: 1 } });
server.tool('plain', {}, () => 'plain');
server.tool('slow', { task: 'optional' }, async (_args, ctx) => {
  ctx.progress(1, 2, 'under way');
  await new Promise((resolve) => setTimeout(resolve, 100));
  return 'slow';
});
server.tool('asks', { task: 'required' }, async (_args, ctx) => {
  const { action, content } = await ctx.elicit('Sure?', { confirm: { type: 'boolean' } }, { key: 'sure' });
  return `${action} ${content?.confirm}`;
});
server.tool('reports', { task: 'required' }, () => ({ content: [{ type: 'text', text: 'burnt' }], isError: true }));
server.tool('breaks', { task: 'required' }, () => {
  throw new RpcError(4711, 'no flour', { oven: 1 });
});
server.tool('endless', { task: 'required' }, () => new Promise(() => {}));
server.tool('confirm', {}, async (_args, ctx) => {
  const { action, content } = await ctx.elicit('Sure?', { sure: { type: 'boolean' } });
  return `${action} ${content?.sure}`;
});
server.tool('think', {}, async (_args, ctx) => {
  const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 10 });
  return [content].flat()[0].text;
});
serveStdio(server);
