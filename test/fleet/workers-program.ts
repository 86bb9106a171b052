import process from 'node:process';
import { createInterface } from 'node:readline';
import { serveWorkers } from '../../src/fleet/node/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { health, serveHttp } from '../../src/transport/http/node/index.ts';
import { http1 } from '../../src/transport/http1/node/index.ts';

// Two workers. The primary reports its actions on stdout and takes commands on stdin. `http1`: with barewire's own HTTP/1.1. `fails`: the
// workers cannot serve.

const engine = process.argv[2] === 'http1' ? http1 : undefined;
const say = (line: object): void => console.log(JSON.stringify(line));

try {
  const workers = await serveWorkers(async ({ fleet, keys }) => {
    if (process.argv[2] === 'fails') process.exit(7);
    const server = new McpServer({ name: 'worker', version: '1' }, { requestState: { keys } });
    server.tool('pid', {}, () => String(process.pid));
    server.tool('confirm', {}, async (_, ctx) => `${(await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action} ${process.pid}`);
    server.tool('until-told', {}, () => new Promise((resolve) => {
      console.log(JSON.stringify({ waits: process.pid }));
      process.on('message', (message) => {
        if ((message as { label?: unknown }).label === 'barewire/workers') setImmediate(() => resolve('drained'));
      });
    }));
    return serveHttp(server, { fleet, engine, health: health('/healthz') });
  }, { workers: 2, onError: ({ message }) => say({ failed: message }) });
  say({ url: workers.url, port: workers.port, listening: workers.listening });
  createInterface(process.stdin).on('line', (line) => {
    void (async () => {
      if (line === 'restart') await workers.restart();
      else if (line === 'close') await workers.close();
      else await workers.close(JSON.parse(line) as object);
      say({ did: line, listening: workers.listening });
      if (line === 'close') process.exit();
    })().catch((error: unknown) => say({ failed: String(error) }));
  }).on('close', () => process.exit());
} catch (error) {
  say({ failed: String(error) });
  process.exit(1);
}
