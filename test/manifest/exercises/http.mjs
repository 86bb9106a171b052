// barewire/http, /server-card: a server on 127.0.0.1 and a client over node:http, in both eras.
import { McpClient } from 'barewire/client';
import { httpTransport, serveHttp } from 'barewire/http';
import { McpServer } from 'barewire/server';
import { serverCard } from 'barewire/server-card';

export async function run() {
  const server = new McpServer({ name: 'exercise', version: '1' });
  server.tool('hello', {}, () => 'hello');
  const serving = await serveHttp(server, { port: 0, host: '127.0.0.1', card: serverCard(server, { name: 'com.example/exercise', description: 'A server that is tried' }) });
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const client = new McpClient({ name: 'test', version: '1' }, { revisions: [revision] });
    await client.connect(httpTransport(serving.url));
    if ((await client.callTool('hello', {})).content[0].text !== 'hello') throw new Error('another text');
    await client.close();
  }
  await serving.close();
}
