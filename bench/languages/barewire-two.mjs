// barewire in two processes: node:cluster, with sessions that either process opens from their id.
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { fleet } from 'barewire/fleet';
import { httpListener } from 'barewire/http';
import { build } from './barewire-tools.mjs';

if (cluster.isPrimary) {
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
  let listening = 0;
  cluster.on('listening', (_worker, { port }) => {
    listening += 1;
    if (listening === 2) process.send({ port });
  });
  for (let i = 0; i < 2; i++) cluster.fork({ FLEET_KEY: key });
  process.on('disconnect', () => process.exit(0));
} else {
  const keys = [Uint8Array.from(Buffer.from(process.env.FLEET_KEY, 'base64'))];
  createServer(httpListener(await build(), { fleet: await fleet({ keys }) })).listen(0, '127.0.0.1');
  process.on('disconnect', () => process.exit(0));
}
