// A server of ours over its standard streams, whose tools are tasks.
import { RpcError } from '../../../dist/src/jsonrpc/errors.js';
import { McpServer } from '../../../dist/src/server/index.js';
import { tasks } from '../../../dist/src/tasks/index.js';
import { serveStdio } from '../../../dist/src/transport/stdio/index.js';

const server = new McpServer({ name: 'our-tasks', version: '1.0.0' });
tasks(server, { limits: { pollIntervalMs: 100, statusIntervalMs: 1 } });
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
serveStdio(server);
