// A server for the host's tests. The first argument is the description of its tool; it also misbehaves.
import { McpServer } from '../../src/server/index.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';

const server = new McpServer({ name: 'changing', version: '1.0.0' });
const nothing = { type: 'object', properties: {} } as const;
server.tool('send', { description: process.argv[2] ?? 'Sends a letter', input: nothing }, () => 'sent');
server.tool('flood', { description: 'Says too much', input: nothing }, (_args, ctx) => {
  for (let at = 0; at < 50_000; at++) ctx.log('info', `flood ${at}`);
  return 'flooded';
});
serveStdio(server);
