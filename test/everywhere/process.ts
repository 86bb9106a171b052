// Node, Bun and Deno: every transport of a process. With the argument `stdio` it is the server.
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { serveStdio, stdioTransport } from '../../src/transport/stdio/index.ts';
import { http, memory, messagePort } from './channels.ts';
import { smoke, smokeServer } from './smoke.ts';

if (process.argv.includes('stdio')) {
  serveStdio(smokeServer());
} else {
  // The runtime's own arguments for this file, such as Deno's `run -A`, come from the environment.
  const args = JSON.parse(process.env['SMOKE_ARGS'] ?? '[]') as string[];
  const listening = await serveHttp(smokeServer(), { port: 0 });
  const url = process.env['SMOKE_URL'];
  const cells = await smoke(url !== undefined ? { network: () => httpTransport(url) } : {
    memory,
    'message port': messagePort,
    'fetch handler': http,
    'http socket': () => httpTransport(listening.url),
    stdio: () => stdioTransport(process.execPath, [...args, 'stdio']),
  });
  await listening.close();
  process.stdout.write(`${JSON.stringify(cells)}\n`);
}
