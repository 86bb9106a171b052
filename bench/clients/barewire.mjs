import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/http';
import { stdioTransport } from 'barewire/stdio';
import { drive, node, options } from './drive.mjs';

const client = new McpClient({ name: 'barewire', version: '1.0.0' });
await client.connect(
  options.transport === 'stdio'
    ? stdioTransport(node, [options.target])
    : httpTransport(options.target),
);
await drive(async (text) => (await client.callTool('echo', { text })).content[0].text);
