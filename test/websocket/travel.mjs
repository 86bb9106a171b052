import { McpServer } from '../../dist/lib/server.js';
import { webSocketHandler } from '../../dist/lib/websocket.js';

/** The handler of the server in every runtime. */
export function handler() {
  const server = new McpServer({ name: 'sockets', version: '1' });
  server.tool('who', {}, () => 'nobody');
  server.tool('ask', {}, async (_, ctx) => {
    const { action, content } = await ctx.elicit('Name?', { name: { type: 'string' } });
    return action === 'accept' ? `Hello, ${content.name}` : 'no';
  });
  return webSocketHandler(server);
}
