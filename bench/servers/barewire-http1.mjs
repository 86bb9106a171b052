// The server of barewire-http.mjs on barewire's own HTTP/1.1.
import { serveHttp } from 'barewire/http';
import { http1 } from 'barewire/http1/node';
import { build } from './barewire.mjs';
import { control, extraSchema, served } from './control.mjs';

const server = build();
const limits = { maxSessions: Math.max(10_000, Number(process.env.SESSIONS ?? 0) + 1000) };
control(served(await serveHttp(server, { engine: http1, limits })), {
  changed: () => void server.tool('added', { description: 'New', input: extraSchema }, () => 'done'),
});
