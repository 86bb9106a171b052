// The client of barewire.mjs on barewire's own HTTP/1.1.
import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/http';
import { http1Client } from 'barewire/http1/node';
import { drive, options } from './drive.mjs';

const client = new McpClient({ name: 'barewire', version: '1.0.0' });
await client.connect(httpTransport(options.target, { engine: http1Client }));
await drive(async (text) => (await client.callTool('echo', { text })).content[0].text);
