// A server with version 2 of the official SDK: one tool has a schema, another asks the user.
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

function make(): McpServer {
  const server = new McpServer({ name: 'sdk-v2', version: '2.0.0' }, { instructions: 'Written with the second SDK.' });
  server.registerTool('add', {
    description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }),
  }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }));
  server.registerTool('ask', {}, (context) => {
    const answer = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'name');
    if (answer) return { content: [{ type: 'text', text: `Hello ${answer.name}` }] };
    return inputRequired({
      inputRequests: { name: inputRequired.elicit({ message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } }) },
    });
  });
  return server;
}

serveStdio(make, { legacy: 'serve' });
