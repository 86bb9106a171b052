// The conformance fixture in four processes with the stored level, behind a round robin without affinity.
import cluster from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fleet } from '../../../dist/src/fleet/index.js';
import { clusterEngine, clusterRelay } from '../../../dist/src/fleet/node/index.js';
import { httpListener } from '../../../dist/src/transport/http/node/index.js';
import { folderStore } from '../../../dist/src/tasks/node/index.js';
import { everything } from '../../../dist/test/peers/everything/fixture.js';
import { roundRobin } from '../round-robin.mjs';

const onError = ({ message }) => process.stderr.write(`${message}\n`);

if (cluster.isPrimary) {
  clusterRelay();
  const folder = mkdtempSync(join(tmpdir(), 'barewire-fleet-'));
  const origins = await Promise.all(Array.from({ length: 4 }, () => new Promise((resolve) => {
    cluster.fork({ TASKS: folder }).on('message', (message) => message.url && resolve(message.url));
  })));
  const { origin } = await roundRobin(origins);
  process.stdout.write(`${origin}/mcp\n`);
  const stop = () => {
    for (const worker of Object.values(cluster.workers)) worker.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
} else {
  const engine = clusterEngine();
  const keys = await engine.keys();
  const server = everything({ requestState: { keys } }, { store: await folderStore(process.env.TASKS) });
  const listener = httpListener(server, { fleet: await fleet({ keys, engine, onError }), onError });
  // Exclusive: with node:cluster all processes would share one port, and each connection would go to one of them.
  const http = createServer(listener).listen({ port: 0, host: '127.0.0.1', exclusive: true }, () => {
    process.send({ url: `http://127.0.0.1:${http.address().port}` });
  });
}
