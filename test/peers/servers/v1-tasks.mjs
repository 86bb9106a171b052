// A server of the official SDK v1 with a tool that is a task of 2025-11-25.
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'v1-tasks', version: '1.0.0' }, {
  capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  taskStore: new InMemoryTaskStore(),
  taskMessageQueue: new InMemoryTaskMessageQueue(),
});
server.experimental.tasks.registerToolTask('double', {
  description: 'Doubles a number, in its own time',
  inputSchema: { n: z.number() },
  execution: { taskSupport: 'required' },
}, {
  async createTask({ n }, { taskStore, taskRequestedTtl }) {
    const task = await taskStore.createTask({ ttl: taskRequestedTtl, pollInterval: 100 });
    setTimeout(() => {
      const result = n < 0 ? { content: [{ type: 'text', text: 'negative' }], isError: true } : { content: [{ type: 'text', text: `${2 * n}` }] };
      void taskStore.storeTaskResult(task.taskId, n < 0 ? 'failed' : 'completed', result);
    }, 50);
    return { task };
  },
  getTask: (_args, { taskStore, taskId }) => taskStore.getTask(taskId),
  getTaskResult: (_args, { taskStore, taskId }) => taskStore.getTaskResult(taskId),
});
// Asks the client with tasks of the client.
const outcome = async (stream) => {
  const seen = [];
  for await (const message of stream) {
    seen.push(message.type);
    if (message.type === 'result') return { content: [{ type: 'text', text: `${seen.join()} ${JSON.stringify(message.result)}` }] };
    if (message.type === 'error') return { content: [{ type: 'text', text: `${seen.join()} ${message.error.message}` }], isError: true };
  }
  return { content: [], isError: true };
};
const task = { ttl: 60_000, pollInterval: 100 };
server.registerTool('confirm', {}, () => outcome(server.server.experimental.tasks.elicitInputStream(
  { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } }, { task },
)));
server.registerTool('think', {}, () => outcome(server.server.experimental.tasks.createMessageStream(
  { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 10 }, { task },
)));
await server.connect(new StdioServerTransport());
