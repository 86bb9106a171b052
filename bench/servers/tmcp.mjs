// tmcp with its Zod adapter, as in its README.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { extraDescription, extraName, extraTools } from './control.mjs';

const extra = z.object({
  city: z.string(),
  days: z.number().int().min(1).max(14),
  units: z.enum(['metric', 'imperial']),
});

export function build() {
  const server = new McpServer(
    { name: 'tmcp', version: '1.0.0', description: 'bench' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
  );
  server.tool(
    { name: 'echo', description: 'Returns its text', schema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.tool({ name: 'progress', description: 'Ten steps' }, async () => {
    for (let step = 1; step <= 10; step++) server.progress(step, 10);
    return { content: [{ type: 'text', text: 'done' }] };
  });
  server.tool({ name: 'ask', description: 'Asks a name', replayable: true }, async () => {
    const answer = await server.elicitation('Your name?', z.object({ name: z.string() }));
    return { content: [{ type: 'text', text: `Hello ${answer.content?.name}` }] };
  });
  for (let i = 0; i < extraTools; i++) {
    server.tool({ name: extraName(i), description: extraDescription(i), schema: extra }, async () => ({ content: [] }));
  }
  return server;
}
