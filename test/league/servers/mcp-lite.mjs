// The smallest server on mcp-lite, over HTTP. Prints its address.
import { createServer } from 'node:http';
import { McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';

const mcp = new McpServer({ name: 'mcp-lite', version: '1.0.0', schemaAdapter: (schema) => z.toJSONSchema(schema) });
mcp.tool('add', { description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }), handler: ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }) });
mcp.resource('hello://note', { name: 'note', mimeType: 'text/plain' }, async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a note' }] }));
mcp.prompt('greet', { description: 'Greets', arguments: [{ name: 'who', required: true }], handler: ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }] }) });
const handle = new StreamableHttpTransport().bind(mcp);
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  const answer = await handle(new Request(`http://${request.headers.host}${request.url}`, { method: request.method, headers, ...chunks.length > 0 && { body: Buffer.concat(chunks) } }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
  if (answer.body) for await (const chunk of answer.body) response.write(chunk);
  response.end();
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
