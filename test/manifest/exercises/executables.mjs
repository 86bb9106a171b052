// barewire/executables: a script of sh as a tool.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { McpClient } from 'barewire/client';
import { executables } from 'barewire/executables';
import { memoryTransport } from 'barewire/memory';
import { McpServer } from 'barewire/server';

export async function run({ folder }) {
  mkdirSync(`${folder}/tools`, { recursive: true });
  writeFileSync(`${folder}/tools/hello`, '#!/bin/sh\nif [ "$1" = --schema ]; then echo \'{"name":"hello","description":"","parameters":{"properties":{}}}\'; exit; fi\necho \'{"result":"hello"}\'\n');
  chmodSync(`${folder}/tools/hello`, 0o755);
  const server = new McpServer({ name: 'exercise', version: '1' });
  const tools = await executables(server, `${folder}/tools`, { onProblem: console.error });
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(memoryTransport(server));
  const { content } = await client.callTool('hello', {});
  if (content[0].text !== 'hello') throw new Error(JSON.stringify(content));
  await client.close();
  await tools.close();
}
