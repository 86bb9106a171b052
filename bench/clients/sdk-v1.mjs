import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { drive, node, options } from './drive.mjs';

const client = new Client({ name: 'sdk-v1', version: '1.0.0' });
await client.connect(
  options.transport === 'stdio'
    ? new StdioClientTransport({ command: node, args: [options.target] })
    : new StreamableHTTPClientTransport(new URL(options.target)),
);
await drive(async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text);
