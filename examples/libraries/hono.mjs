// Hono, here on Node; on a worker, Deno or Bun the app itself is the handler: node hono.mjs [PORT]
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { fetchHandler } from 'barewire/fetch';
import { trips } from './trips.mjs';

const handle = fetchHandler(trips());
const app = new Hono();
app.get('/', (c) => c.text('Trips.'));
app.all('/mcp', (c) => handle(c.req.raw));

serve({ fetch: app.fetch, port: Number(process.argv[2] ?? 0), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/mcp`);
});
