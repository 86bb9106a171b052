import { RpcError } from '../../../src/server/index.ts';
import type { McpServer } from '../../../src/server/index.ts';
import { tasks } from '../../../src/tasks/index.ts';
import type { TasksOptions } from '../../../src/tasks/index.ts';

/** The tools for the suite's scenarios of the tasks extension. */
export function addTasks(server: McpServer, options: TasksOptions): void {
  tasks(server, options);
  const text = { type: 'string' } as const;

  server.tool('greet', {
    description: 'Answers at once',
    input: { type: 'object', properties: { name: text } },
  }, ({ name }) => `Hello, ${name}!`);

  server.tool('slow_compute', {
    description: 'Takes so many seconds',
    task: 'optional',
    input: { type: 'object', properties: { seconds: { type: 'number' }, label: text } },
  }, ({ seconds = 0, label }, ctx) => new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => resolve(`${label}: computed for ${seconds} s`), seconds * 1000);
    ctx.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(ctx.signal.reason as Error);
    }, { once: true });
  }));

  server.tool('failing_job', { description: 'Fails as tools do', task: 'required' }, () => ({
    content: [{ type: 'text', text: 'The job failed' }], isError: true,
  }));

  server.tool('protocol_error_job', { description: 'Fails as the protocol does', task: 'optional' }, () => {
    throw new RpcError(-32603, 'The job met a protocol error');
  });

  server.tool('confirm_delete', {
    description: 'Asks before it deletes',
    task: 'optional',
    input: { type: 'object', properties: { filename: text } },
  }, async ({ filename }, ctx) => {
    const answer = await ctx.elicit(`Delete ${filename}?`, { confirm: { type: 'boolean' } }, { key: 'confirm' });
    return answer.action === 'accept' && answer.content.confirm ? `Deleted ${filename}` : `Kept ${filename}`;
  });

  server.tool('multi_input', { description: 'Asks two things at once', task: 'optional' }, async (_args, ctx) => {
    const fields = { name: text, confirm: { type: 'boolean' } } as const;
    const [one, two] = await Promise.all([
      ctx.elicit('The first?', fields, { key: 'first' }), ctx.elicit('The second?', fields, { key: 'second' }),
    ]);
    return `${one.content?.name} and ${two.content?.name}`;
  });

  const name = { name: text };
  server.tool('test_tool_with_task', {
    description: 'Asks first, and becomes a task then',
    task: async (_args, ctx) => (await ctx.elicit('Your name?', name, { key: 'user_name' })).action === 'accept',
  }, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', name, { key: 'user_name' });
    return `Done for ${answer.content?.name}`;
  });
}
