// The smallest server on fastmcp (TypeScript).
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' });
server.addTool({ name: 'add', description: 'Adds', parameters: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true }, execute: async ({ a, b }) => String(a + b) });
server.addResource({ uri: 'hello://note', name: 'note', mimeType: 'text/plain', load: async () => ({ text: 'a note' }) });
server.addPrompt({ name: 'greet', arguments: [{ name: 'who', required: true }], load: async ({ who }) => `Greet ${who}.` });
await server.start({ transportType: 'stdio' });
