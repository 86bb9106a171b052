// One listener on node:http answers both eras.
import { createServer } from 'node:http';
import { httpListener } from 'barewire/http';
import { build } from './barewire.mjs';
import { control, extraSchema } from './control.mjs';

const server = build();
const httpServer = createServer(httpListener(server, { limits: { maxSessions: Math.max(10_000, Number(process.env.SESSIONS ?? 0) + 1000) } }));
httpServer.listen(0, '127.0.0.1');
control(httpServer, {
  changed: () => void server.tool('added', { description: 'New', input: extraSchema }, () => 'done'),
});
