// A process behind the proxies of docs/operating.md. On request it ends by `close`, and reports its state over IPC.
// node server.mjs PORT [CERT KEY]
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import process from 'node:process';
import { fleet } from '../../dist/lib/fleet.js';
import { health, httpListener, serveHttp } from '../../dist/lib/http.js';
import { McpServer } from '../../dist/lib/server.js';

const [port, cert, key] = process.argv.slice(2);
const keys = [new Uint8Array(32).fill(7)];
const server = new McpServer({ name: 'trips', version: '1.0.0' }, { requestState: { keys } });
server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } }, ({ text }) => text);

/** Ends the calls of `wait`. */
let go = () => {};
server.tool('wait', {}, async (_, ctx) => {
  const gone = new Promise((resolve) => (go = resolve));
  ctx.progress(1, 2, 'begun');
  await gone;
  return 'done';
});

const options = { health: health('/healthz'), fleet: await fleet({ keys }) };
let close;
if (cert === undefined) ({ close } = await serveHttp(server, { ...options, port: Number(port) }));
else {
  const listener = httpListener(server, options);
  const http = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, listener);
  await new Promise((resolve) => http.listen(Number(port), '127.0.0.1', resolve));
  close = async () => {
    await listener.close();
    http.closeAllConnections();
    http.close();
  };
}
process.on('message', async (message) => {
  if (message === 'go') return go();
  await close({ drainMs: 5000 });
  process.disconnect();
  process.exit();
});
process.send('ready');
