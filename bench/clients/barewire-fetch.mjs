import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/fetch';
import { drive, options } from './drive.mjs';

// Only over HTTP: it uses the platform's `fetch`.
const client = new McpClient({ name: 'barewire', version: '1.0.0' });
await client.connect(httpTransport(options.target));
await drive(async (text) => (await client.callTool('echo', { text })).content[0].text);
