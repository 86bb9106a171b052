// @modelcontextprotocol/server 2.x: the tools, registered as in its documentation.
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { extraDescription, extraName, extraTools, nameSchema } from './control.mjs';

const extra = z.object({
  city: z.string(),
  days: z.number().int().min(1).max(14),
  units: z.enum(['metric', 'imperial']),
});
const none = z.object({});
const echo = z.object({ text: z.string() });
const name = z.object({ name: z.string() });

/** `modern`: the question is in the result, as on its "Input required" page; otherwise in the session. */
export function build({ modern = false } = {}) {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  server.registerTool('echo', { description: 'Returns its text', inputSchema: echo }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('progress', { description: 'Ten steps', inputSchema: none }, async (_args, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 10; progress++) {
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 10 } });
    }
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.registerTool('ask', { description: 'Asks a name', inputSchema: none }, async (_args, ctx) => {
    if (modern) {
      const given = acceptedContent(ctx.mcpReq.inputResponses, 'name', name);
      if (given !== undefined) return { content: [{ type: 'text', text: `Hello ${given.name}` }] };
      return inputRequired({
        inputRequests: { name: inputRequired.elicit({ message: 'Your name?', requestedSchema: nameSchema }) },
      });
    }
    const answer = await ctx.mcpReq.elicitInput({ mode: 'form', message: 'Your name?', requestedSchema: nameSchema });
    return { content: [{ type: 'text', text: `Hello ${answer.content?.name}` }] };
  });
  for (let i = 0; i < extraTools; i++) {
    server.registerTool(extraName(i), { description: extraDescription(i), inputSchema: extra }, async () => ({ content: [] }));
  }
  return server;
}
