// FastMCP, as in its README.
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
import { extraDescription, extraName, extraTools, nameSchema } from './control.mjs';

const extra = z.object({
  city: z.string(),
  days: z.number().int().min(1).max(14),
  units: z.enum(['metric', 'imperial']),
});

export function build() {
  const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
  server.addTool({
    name: 'echo',
    description: 'Returns its text',
    parameters: z.object({ text: z.string() }),
    execute: async ({ text }) => text,
  });
  server.addTool({
    name: 'progress',
    description: 'Ten steps',
    execute: async (_args, { reportProgress }) => {
      for (let progress = 1; progress <= 10; progress++) await reportProgress({ progress, total: 10 });
      return 'done';
    },
  });
  server.addTool({
    name: 'ask',
    description: 'Asks a name',
    execute: async (_args, { elicit }) => {
      const answer = await elicit({ message: 'Your name?', requestedSchema: nameSchema });
      return `Hello ${answer.content?.name}`;
    },
  });
  for (let i = 0; i < extraTools; i++) {
    server.addTool({
      name: extraName(i),
      description: extraDescription(i),
      parameters: extra,
      execute: async () => 'done',
    });
  }
  return server;
}
