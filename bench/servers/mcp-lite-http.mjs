// mcp-lite on Hono with Zod, sessions in memory, as in its README; it has no stdio transport.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { InMemoryClientRequestAdapter, InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { control, extraDescription, extraName, extraTools } from './control.mjs';

const extra = z.object({
  city: z.string(),
  days: z.number().int().min(1).max(14),
  units: z.enum(['metric', 'imperial']),
});
const mcp = new McpServer({ name: 'mcp-lite', version: '1.0.0', schemaAdapter: (schema) => z.toJSONSchema(schema) });
mcp.tool('echo', {
  description: 'Returns its text',
  inputSchema: z.object({ text: z.string() }),
  handler: (args) => ({ content: [{ type: 'text', text: args.text }] }),
});
mcp.tool('progress', {
  description: 'Ten steps',
  handler: async (_args, ctx) => {
    for (let progress = 1; progress <= 10; progress++) await ctx.progress?.({ progress, total: 10 });
    return { content: [{ type: 'text', text: 'done' }] };
  },
});
mcp.tool('ask', {
  description: 'Asks a name',
  handler: async (_args, ctx) => {
    const answer = await ctx.elicit({ message: 'Your name?', schema: z.object({ name: z.string() }) });
    return { content: [{ type: 'text', text: `Hello ${answer.content?.name}` }] };
  },
});
for (let i = 0; i < extraTools; i++) {
  mcp.tool(extraName(i), { description: extraDescription(i), inputSchema: extra, handler: () => ({ content: [] }) });
}

const transport = new StreamableHttpTransport({
  sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }),
  clientRequestAdapter: new InMemoryClientRequestAdapter(),
});
const handler = transport.bind(mcp);
const app = new Hono();
app.all('/mcp', (c) => handler(c.req.raw));
control(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }));
