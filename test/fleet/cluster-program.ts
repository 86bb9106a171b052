import cluster from 'node:cluster';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { fleet } from '../../src/fleet/index.ts';
import { clusterEngine, clusterRelay } from '../../src/fleet/node/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { httpListener } from '../../src/transport/http/node/index.ts';

// Three processes with separate ports. The primary prints the ports, so that a test can choose the process for each request. `no-relay`: a
// primary without `clusterRelay`.

async function work(): Promise<void> {
  const engine = clusterEngine(process.argv[2] === 'no-relay' ? { answerMs: 300 } : {});
  const keys = await engine.keys();
  const server = new McpServer({ name: 'worker', version: '1' }, { requestState: { keys } });
  server.tool('confirm', {}, async (_, ctx) => {
    const { action } = await ctx.elicit('Sure?', { sure: { type: 'boolean' } });
    return `${action} ${process.pid}`;
  });
  server.tool('steps', {}, async (_, ctx) => {
    ctx.progress(1);
    process.send?.({ steps: process.pid });
    await new Promise(() => {});
  });
  server.tool('wait', {}, (_, ctx) => new Promise((resolve) => {
    process.send?.({ waits: process.pid });
    ctx.signal.addEventListener('abort', () => {
      process.send?.({ stopped: process.pid });
      resolve('stopped');
    });
  }));
  const listener = httpListener(server, { fleet: await fleet({ keys, engine }) });
  // Without `exclusive`, node:cluster would share one port and distribute the connections.
  const http = createServer(listener).listen({ port: 0, host: '127.0.0.1', exclusive: true }, () => {
    process.send?.({ port: (http.address() as AddressInfo).port, pid: process.pid });
  });
}

if (cluster.isPrimary) {
  if (process.argv[2] !== 'no-relay') clusterRelay({ leaseMs: 1000 });
  cluster.on('message', (_, message: unknown) => {
    if (typeof message === 'object' && message !== null && !('label' in message)) console.log(JSON.stringify(message));
  });
  cluster.on('exit', ({ process: { pid } }, code) => console.log(JSON.stringify({ exited: pid, code })));
  for (let i = 0; i < 3; i++) cluster.fork();
  // The test stops this program by closing its stdin.
  process.stdin.resume().on('end', () => process.exit());
} else {
  work().catch((error: unknown) => {
    console.error(String(error));
    process.exit(7);
  });
}
