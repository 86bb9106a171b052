import { createServer } from 'node:net';
import { control } from './control.mjs';
import { build } from './fastmcp.mjs';

// FastMCP needs a port number, so find a free one first.
const probe = createServer().listen(0, '127.0.0.1');
await new Promise((resolve) => probe.once('listening', resolve));
const { port } = probe.address();
await new Promise((resolve) => probe.close(resolve));
const server = build();
await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1' } });
control(
  { listening: true, address: () => ({ port }) },
  { changed: () => server.addTool({ name: 'added', description: 'New', execute: async () => 'done' }) },
);
