// The worker of docs/operating.md.
import { fetchHandler } from '../../dist/lib/fetch.js';
import { McpServer } from '../../dist/lib/server.js';

const server = new McpServer({ name: 'trips', version: '1.0.0' });
server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } }, ({ text }) => text);
export default { fetch: fetchHandler(server) };
