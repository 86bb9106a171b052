// barewire/stdio: starts this file as a server, and calls it.
import { McpClient } from 'barewire/client';
import { McpServer } from 'barewire/server';
import { serveStdio, stdioTransport } from 'barewire/stdio';

export async function run({ self, node, flags }) {
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(stdioTransport(node, [...flags, self, '--serve']));
  if ((await client.callTool('hello', {})).content[0].text !== 'hello') throw new Error('another text');
  await client.close();
}

export async function serve() {
  const server = new McpServer({ name: 'exercise', version: '1' });
  server.tool('hello', {}, () => 'hello');
  await serveStdio(server).closed;
}
