// A barewire server whose tool calls a FastMCP and a go-sdk server. `stdio`, or `http`, which prints its address.
import { McpClient } from 'barewire/client';
import { serveHttp } from 'barewire/http';
import { McpServer } from 'barewire/server';
import { serveStdio, stdioTransport } from 'barewire/stdio';
import { otel } from '../src/index.js';
import { register, toFile } from './spans.js';

const { SPANS = '', PEERS = '{}' } = process.env;
register('shop', toFile(SPANS));
const info = { name: 'shop', version: '1.0.0' };
const server = new McpServer(info, { observe: otel() });
const clients: McpClient[] = [];
for (const [tool, command] of Object.entries(JSON.parse(PEERS) as Record<string, [string, ...string[]]>)) {
  const client = new McpClient(info, { observe: otel() });
  clients.push(client);
  const [program, ...args] = command;
  const connected = client.connect(stdioTransport(program, args, { env: { SPANS } }));
  server.tool(tool, {}, async () => {
    await connected;
    const { content } = await client.callTool(tool);
    return { content };
  });
}
server.tool('order', {}, async (_args, ctx) => {
  const { action } = await ctx.elicit('Sure?', { sure: { type: 'boolean' } });
  return action;
});
if (process.argv[2] === 'http') console.log((await serveHttp(server, { port: 0 })).url);
else serveStdio(server);
