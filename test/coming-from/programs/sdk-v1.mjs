//: A server
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'desk', version: '1.0.0' });

//: A tool
server.registerTool('add', {
  description: 'Adds two numbers',
  inputSchema: { a: z.number(), b: z.number() },
}, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));

//: A structured result
server.registerTool('sum', {
  inputSchema: { numbers: z.array(z.number()) },
  outputSchema: { sum: z.number() },
}, ({ numbers }) => {
  const result = { sum: numbers.reduce((sum, number) => sum + number, 0) };
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
});

//: A failure that the model reads
server.registerTool('print', {}, () => ({ isError: true, content: [{ type: 'text', text: 'There is no ink.' }] }));

//: A resource
server.registerResource('note', 'desk://note', { mimeType: 'text/plain' }, (uri) => (
  { contents: [{ uri: uri.href, text: 'Remember the milk.' }] }));

//: A resource template
server.registerResource('drawer', new ResourceTemplate('desk://drawer/{id}', { list: undefined }), {}, (uri, { id }) => (
  { contents: [{ uri: uri.href, text: `Drawer ${id}` }] }));

//: A prompt
server.registerPrompt('greet', { argsSchema: { name: z.string() } }, ({ name }) => (
  { messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }] }));

//: A question to the person
server.registerTool('order', {}, async () => {
  const answer = await server.server.elicitInput({
    message: 'Which paper?',
    requestedSchema: { type: 'object', properties: { paper: { type: 'string', enum: ['A4', 'A5'] } }, required: ['paper'] },
  });
  return { content: [{ type: 'text', text: answer.action === 'accept' ? `Ordered ${answer.content.paper}.` : 'Nothing ordered.' }] };
});

//: Progress
server.registerTool('count', {}, async (extra) => {
  const progressToken = extra._meta?.progressToken;
  for (const progress of [1, 2, 3]) {
    if (progressToken !== undefined) {
      await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
    }
  }
  return { content: [{ type: 'text', text: 'Counted.' }] };
});

//: Serve it
await server.connect(new StdioServerTransport());
