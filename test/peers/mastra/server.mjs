// A server of @mastra/mcp over HTTP+SSE: `startSSE` opens its stream for any request to the SSE path, also a POST.
import { createServer } from 'node:http';
import { createTool } from '@mastra/core/tools';
import { MCPServer } from '@mastra/mcp';
import { z } from 'zod';

const add = createTool({
  id: 'add', description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ context: { a, b } }) => ({ sum: a + b }),
});
const server = new MCPServer({ name: 'mastra', version: '1.0.0', tools: { add } });
const http = createServer((req, res) => {
  server.startSSE({ url: new URL(req.url, 'http://localhost'), ssePath: '/sse', messagePath: '/message', req, res }).catch((error) => {
    console.error(error.message);
    res.destroy();
  });
});
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/sse`));
