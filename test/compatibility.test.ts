import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { McpClient } from '../src/client/index.ts';
import type { ClientOptions } from '../src/client/index.ts';
import { McpServer } from '../src/server/index.ts';
import { httpTransport } from '../src/transport/http/fetch/index.ts';
import { serveHttp } from '../src/transport/http/node/index.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import type { ClientTransport } from '../src/transport/client-port.ts';
import { stdioTransport } from '../src/transport/stdio/index.ts';
import { everyNth } from './every-nth.ts';
import { sayHello } from './compatibility/server.ts';
import { programAt } from './program-at.ts';

// Every cell of the compatibility matrix, over every transport. 2026-07-28 basic/versioning#compatibility-matrix.

const modern = ['2026-07-28'];
const legacy = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const servers: Readonly<Record<string, readonly string[]>> = { modern, legacy, dual: [...modern, ...legacy] };

type Outcome = string | RegExp;

/** The result of the client: a revision, or the reason for no revision. */
const matrix: Readonly<Record<string, {
  options: ClientOptions;
  with: Readonly<Record<'modern' | 'legacy' | 'dual', Outcome>>;
}>> = {
  'a modern client': {
    options: { era: 'modern' },
    with: {
      modern: '2026-07-28',
      legacy: /^no protocol revision in common: this client speaks 2026-07-28/,
      dual: '2026-07-28',
    },
  },
  'a legacy client': {
    options: { era: 'legacy' },
    with: { modern: /2026-07-28/, legacy: '2025-11-25', dual: '2025-11-25' },
  },
  'a client of both eras': {
    options: {},
    with: { modern: '2026-07-28', legacy: '2025-11-25', dual: '2026-07-28' },
  },
  ...Object.fromEntries(legacy.map((revision) => [`a client of ${revision} alone`, {
    options: { revisions: [revision] },
    with: { modern: /2026-07-28/, legacy: revision, dual: revision },
  }])),
  'a client that remembers a modern server': {
    options: { remembered: '2026-07-28' },
    with: { modern: '2026-07-28', legacy: '2025-11-25', dual: '2026-07-28' },
  },
  'a client that remembers a legacy server': {
    options: { remembered: '2025-06-18' },
    with: { modern: '2026-07-28', legacy: '2025-06-18', dual: '2025-06-18' },
  },
};

interface Opened {
  readonly transport: ClientTransport;
  close(): Promise<void>;
}

const transports: Readonly<Record<string, (revisions: readonly string[]) => Promise<Opened>>> = {
  async memory(revisions) {
    return {
      transport: memoryTransport(sayHello(new McpServer({ name: 'server', version: '1' }, { revisions }))),
      close: async () => {},
    };
  },
  async stdio(revisions) {
    const main = programAt('test/compatibility/server.js');
    return { transport: stdioTransport(process.execPath, [main, ...revisions]), close: async () => {} };
  },
  async http(revisions) {
    const served = await serveHttp(sayHello(new McpServer({ name: 'server', version: '1' }, { revisions })));
    return { transport: httpTransport(served.url), close: () => served.close() };
  },
};

for (const [kind, open] of Object.entries(transports)) {
  describe(`over ${kind}`, { concurrency: kind === 'http' ? 9 : 2 }, () => {
    // Each cell over stdio starts a process.
    const step = kind === 'stdio' ? everyNth(4) : 1;
    let cells = 0;
    for (const [who, { options, with: outcomes }] of Object.entries(matrix)) {
      for (const [era, outcome] of Object.entries(outcomes)) {
        if (cells++ % step !== 0) continue;
        test(`${who}, a ${era} server: ${typeof outcome === 'string' ? outcome : 'fails'}`, async () => {
          const { transport, close } = await open(servers[era] ?? []);
          const client = new McpClient({ name: 'client', version: '1' }, {
            ...options,
            onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
          });
          try {
            if (typeof outcome !== 'string') {
              return await assert.rejects(client.connect(transport), { message: outcome });
            }
            await client.connect(transport);
            assert.equal(client.revision?.version, outcome);
            // One handler for all revisions; it asks a question where the revision supports it.
            const { content } = await client.callTool('hello');
            const asks = outcome >= '2025-06-18';
            assert.deepEqual(content, [
              { type: 'text', text: asks ? `Hello Ada in ${outcome}` : `Hello stranger in ${outcome}` },
            ]);
          } finally {
            await client.close();
            await close();
          }
        });
      }
    }
  });
}

test('a legacy and a modern client talk to the same HTTP server at the same moment', async () => {
  const served = await serveHttp(sayHello(new McpServer({ name: 'server', version: '1' })));
  const clients = ['legacy', 'modern', 'legacy', 'modern'].map((era) => new McpClient(
    { name: 'client', version: '1' },
    { era: era as 'legacy' | 'modern', onElicit: () => ({ action: 'accept', content: { name: era } }) },
  ));
  await Promise.all(clients.map((client) => client.connect(httpTransport(served.url))));
  const answers = await Promise.all(clients.flatMap((client) => [client.callTool('hello'), client.callTool('hello')]));
  assert.deepEqual(answers.map(({ content }) => (content[0] as { text: string }).text), [
    'Hello legacy in 2025-11-25', 'Hello legacy in 2025-11-25',
    'Hello modern in 2026-07-28', 'Hello modern in 2026-07-28',
    'Hello legacy in 2025-11-25', 'Hello legacy in 2025-11-25',
    'Hello modern in 2026-07-28', 'Hello modern in 2026-07-28',
  ]);
  await Promise.all(clients.map((client) => client.close()));
  await served.close();
});
