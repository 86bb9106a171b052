// The node:http wiring of its transport's README; the same transport answers both eras.
import * as http from 'node:http';
import { createRequestListener } from '@remix-run/node-fetch-server';
import { HttpTransport } from '@tmcp/transport-http';
import { control } from './control.mjs';
import { build } from './tmcp.mjs';

const server = build();
const transport = new HttpTransport(server, { path: '/mcp' });
const httpServer = http.createServer(
  createRequestListener(async (request) => {
    const response = await transport.respond(request);
    return response ?? new Response(null, { status: 404 });
  }),
);
httpServer.listen(0, '127.0.0.1');
control(httpServer, {
  changed: () => server.tool({ name: 'added', description: 'New' }, async () => ({ content: [] })),
});
