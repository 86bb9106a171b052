// A server for the tests: its methods show the behaviour of the transport. The arguments change the behaviour of the program.
import { connect } from 'node:net';
import { systemClock } from '../../../../src/bounds/clock.ts';
import { Connection } from '../../../../src/jsonrpc/index.ts';
import { readCancellation } from '../../../../src/protocol/cancellation.ts';
import { revisions } from '../../../../src/protocol/revisions.ts';
import type { ServerPort } from '../../../../src/transport/server-port.ts';
import { serveStdio } from '../../../../src/transport/stdio/index.ts';
import type { ServeStdioOptions } from '../../../../src/transport/stdio/index.ts';

const { alive, port: waitedFor, ...options } = JSON.parse(process.argv[2] ?? '{}') as ServeStdioOptions & { alive?: boolean; port?: number };
// The test sees this process end when this connection closes.
if (waitedFor !== undefined) connect(waitedFor, '127.0.0.1').on('error', () => undefined);
if (alive) setInterval(() => undefined, 60_000);

const port: ServerPort = {
  revisions,
  clock: systemClock,
  connect(outlet) {
    const connection = new Connection(outlet, {
      request(inbound) {
        const { method, params } = inbound.request;
        switch (method) {
          case 'echo': return { text: params?.['text'] };
          case 'later': return new Promise((resolve) => setImmediate(resolve, { later: true }));
          case 'environment': return { env: process.env, cwd: process.cwd(), argv: process.argv.slice(2) };
          case 'talk': return talk();
          case 'hang': {
            process.stderr.write('hanging\n');
            return new Promise((resolve) => {
              inbound.signal.addEventListener('abort', () => {
                process.stderr.write(`aborted: ${(inbound.signal.reason as Error).message}\n`);
                resolve({});
              });
            });
          }
          case 'big': return { text: 'x'.repeat(Number(params?.['size'])) };
          default: throw new Error(`no method ${method}`);
        }
      },
      cancellation: readCancellation,
      notification: ({ method }) => {
        if (method === 'exit') process.exit(7);
      },
      error: ({ message }) => process.stderr.write(`${message}\n`),
    });
    return Object.assign(connection, { revision: undefined });
  },
  serveRequest() {
    throw new Error('not over stdio');
  },
  scoped: false,
  toolInput: () => undefined,
  endSubscriptions: () => process.stderr.write('subscriptions end\n'),
};

function talk(): object {
  console.log('by log', 1);
  console.info('by info');
  console.debug('by debug');
  console.dir({ by: 'dir' });
  console.table([{ by: 'table' }]);
  console.group('by group');
  console.groupEnd();
  console.count('by count');
  process.stdout.write('by write\n');
  process.stdout.write(new TextEncoder().encode('by bytes\n'));
  return {};
}

void serveStdio(port, options).closed.then(() => process.stderr.write('closed\n'));
