// The smallest server on @modelcontextprotocol/server.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  server.registerTool('add', { description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  server.registerResource('note', 'hello://note', { mimeType: 'text/plain' }, () => ({ contents: [{ uri: 'hello://note', text: 'a note' }] }));
  server.registerPrompt('greet', { argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }] }));
  return server;
});
