// @modelcontextprotocol/sdk 1.x: the tools, registered as in its README.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { extraDescription, extraName, extraTools, nameSchema } from './control.mjs';

const extra = { city: z.string(), days: z.number().int().min(1).max(14), units: z.enum(['metric', 'imperial']) };

export function build() {
  const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' });
  server.registerTool('echo', { description: 'Returns its text', inputSchema: { text: z.string() } }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('progress', { description: 'Ten steps', inputSchema: {} }, async (_args, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progress <= 10; progress++) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 10 } });
    }
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerTool('ask', { description: 'Asks a name', inputSchema: {} }, async () => {
    const answer = await server.server.elicitInput({ mode: 'form', message: 'Your name?', requestedSchema: nameSchema });
    return { content: [{ type: 'text', text: `Hello ${answer.content?.name}` }] };
  });
  for (let i = 0; i < extraTools; i++) {
    server.registerTool(extraName(i), { description: extraDescription(i), inputSchema: extra }, async () => ({ content: [] }));
  }
  return server;
}
