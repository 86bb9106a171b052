//: A server
import { FastMCP, UserError } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'desk', version: '1.0.0' });

//: A tool
server.addTool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});

//: A structured result
server.addTool({
  name: 'sum',
  description: 'Adds numbers',
  parameters: z.object({ numbers: z.array(z.number()) }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ numbers }) => {
    const result = { sum: numbers.reduce((sum, number) => sum + number, 0) };
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  },
});

//: A failure that the model reads
server.addTool({
  name: 'print',
  description: 'Prints',
  execute: async () => {
    throw new UserError('There is no ink.');
  },
});

//: A resource
server.addResource({ uri: 'desk://note', name: 'note', mimeType: 'text/plain', load: async () => ({ text: 'Remember the milk.' }) });

//: A resource template
server.addResourceTemplate({
  uriTemplate: 'desk://drawer/{id}',
  name: 'drawer',
  arguments: [{ name: 'id', required: true }],
  load: async ({ id }) => ({ text: `Drawer ${id}` }),
});

//: A prompt
server.addPrompt({
  name: 'greet',
  arguments: [{ name: 'name', required: true }],
  load: async ({ name }) => `Greet ${name}.`,
});

//: A question to the person
server.addTool({
  name: 'order',
  description: 'Orders paper',
  execute: async (_, ctx) => {
    const answer = await ctx.elicit({
      message: 'Which paper?',
      requestedSchema: { type: 'object', properties: { paper: { type: 'string', enum: ['A4', 'A5'] } }, required: ['paper'] },
    });
    return answer.action === 'accept' ? `Ordered ${answer.content.paper}.` : 'Nothing ordered.';
  },
});

//: Progress
server.addTool({
  name: 'count',
  description: 'Counts',
  execute: async (_, { reportProgress }) => {
    for (const progress of [1, 2, 3]) await reportProgress({ progress, total: 3 });
    return 'Counted.';
  },
});

//: Serve it
await server.start({ transportType: 'stdio' });
