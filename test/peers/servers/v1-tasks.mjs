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
await server.connect(new StdioServerTransport());
