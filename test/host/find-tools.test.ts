import assert from 'node:assert/strict';
import test from 'node:test';
import { findTools, Host } from '../../src/host/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

function server(name: string, tool: string): McpServer {
  const made = new McpServer({ name, version: '1.0.0' });
  made.tool(tool, { description: 'Reads a file' }, () => 'read');
  return made;
}

test('tools are found by words in what the host holds now: a server that comes or goes is followed', async (t) => {
  const servers: Readonly<Record<string, McpServer>> = { a: server('a', 'read_file'), b: server('b', 'open_file') };
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { a: { command: 'a' } },
    transport: (name) => memoryTransport(servers[name] as McpServer),
  });
  t.after(() => host.close());
  const found = async (): Promise<string[]> => (await findTools(host, 'file')).map(({ server: of, tool }) => `${of}/${tool.name}`).sort();
  assert.deepEqual(await found(), ['a/read_file']);
  await host.add('b', { command: 'b' });
  assert.deepEqual(await found(), ['a/read_file', 'b/open_file']);
  assert.equal((await findTools(host, 'file', 1)).length, 1);
  await host.remove('a');
  assert.deepEqual(await found(), ['b/open_file']);
});
