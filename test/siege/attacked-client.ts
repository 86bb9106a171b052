// The attacked process in the client role: it connects to any server that its keeper names and makes typical requests. Meanwhile a second
// client in the process talks to an innocent server.
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { McpClient } from '../../src/client/index.ts';
import { compile } from '../../src/schema/full/index.ts';
import { httpTransport } from '../../src/transport/http/client/index.ts';
import { messagePortTransport } from '../../src/transport/message-port.ts';
import type { ClientTransport } from '../../src/transport/client-port.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';
import { attend, lines } from './keeper.ts';

/** The keeper's command. */
export interface Visit {
  readonly kind: 'stdio' | 'port' | 'http';
  readonly port: number;
}

const innocent = new McpClient({ name: 'innocent', version: '1' }, { limits: { timeoutMs: 10_000 } });
await innocent.connect(httpTransport(process.argv[2] ?? ''));
let stopped = false;
void (async () => {
  while (!stopped) {
    const asked = performance.now();
    const failed = await innocent.callTool('echo', { text: 'probe' }).then(() => undefined, String);
    process.send?.({ probe: performance.now() - asked, failed });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
})();

function transport({ kind, port }: Visit): ClientTransport {
  switch (kind) {
    case 'stdio':
      return stdioTransport(process.execPath, [fileURLToPath(new URL('pipe.js', import.meta.url)), String(port)], { graceMs: 100, termMs: 100 });
    case 'port': {
      const { port1, port2 } = new MessageChannel();
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => {}).on('close', () => port2.close());
      lines(socket, (line) => port2.postMessage(line));
      port2.on('message', (text: string) => void socket.write(`${text}\n`));
      return messagePortTransport(port1);
    }
    default:
      return httpTransport(`http://127.0.0.1:${port}/mcp`, {
        limits: { reconnectAttempts: 2, reconnectInitialMs: 50, closeMs: 200, endpointMs: 1000 },
      });
  }
}

async function visit(to: Visit): Promise<void> {
  const client = new McpClient({ name: 'attacked', version: '1' }, {
    validator: (schema) => compile(schema),
    limits: { timeoutMs: 1500, maxTimeoutMs: 3000, probeTimeoutMs: 300 },
    onElicit: () => ({ action: 'decline' }),
    onSample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: '' } }),
    roots: [{ uri: 'file:///tmp' }],
    onLog: () => {},
    onError: () => {},
  });
  const ending = AbortSignal.timeout(4000);
  const calm = (promise: Promise<unknown>): Promise<unknown> => Promise.race([
    promise.catch(() => {}), new Promise((resolve) => ending.addEventListener('abort', resolve)),
  ]);
  await calm(client.connect(transport(to)));
  await calm(client.listTools());
  await calm(Promise.all([
    client.callTool('any', {}), client.callTool('any', { a: 1 }, { onProgress: () => {} }), client.listResources(),
    client.readResource('note://one'), client.subscribe('note://one'), client.listPrompts(), client.getPrompt('plan'),
    client.ping(),
  ].map((promise) => promise.catch(() => {}))));
  await client.close().catch(() => {});
}

attend({}, ({ run }) => {
  if (run === undefined) return void (stopped = true);
  void visit(run as Visit).then(() => process.send?.({ done: true }));
});
