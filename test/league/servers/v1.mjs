// The smallest server on @modelcontextprotocol/sdk.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'sdk-v1', version: '1.0.0' });
server.registerTool('add', { description: 'Adds', inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
server.registerResource('note', 'hello://note', { mimeType: 'text/plain' }, () => ({ contents: [{ uri: 'hello://note', text: 'a note' }] }));
server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }] }));
await server.connect(new StdioServerTransport());
