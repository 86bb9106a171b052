import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive, node, options } from './drive.mjs';

const client = new Client({ name: 'sdk-v2', version: '1.0.0' });
await client.connect(
  options.transport === 'stdio'
    ? new StdioClientTransport({ command: node, args: [options.target] })
    : new StreamableHTTPClientTransport(new URL(options.target)),
);
await drive(async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text);
