// The official clients use every feature of examples/travel, over each of their transports.
import assert from 'node:assert/strict';
import test from 'node:test';
import { connect, officialClients } from './official-clients.mjs';
import { at } from './processes.mjs';
import { textOf, useEverything } from './use-everything.mjs';
import { createTravelServer } from '../../dist/examples/travel/server.js';
import { serveHttp } from '../../dist/src/transport/http/node/index.js';

for (const official of officialClients) {
  test(`${official.name} over stdio`, async (t) => {
    const command = { command: process.execPath, args: [at('dist/examples/travel/main.js')], stderr: 'ignore' };
    await useEverything(t, await connect(t, official, 'stdio', command));
  });

  test(`${official.name} over Streamable HTTP`, async (t) => {
    const http = await serveHttp(createTravelServer());
    t.after(() => http.close({ drainMs: 0 }));
    const peer = await connect(t, official, 'http', http.url);
    if (official.mode !== undefined && official.mode !== 'legacy') assert.equal(peer.modern, true);
    await useEverything(t, peer);
  });
}

test('sdk v1 over HTTP+SSE', async (t) => {
  const http = await serveHttp(createTravelServer());
  t.after(() => http.close({ drainMs: 0 }));
  await useEverything(t, await connect(t, { version: 'v1' }, 'sse', new URL('/sse', http.url)));
});

test('a legacy and a modern client of the same server at the same moment', async (t) => {
  const http = await serveHttp(createTravelServer());
  t.after(() => http.close({ drainMs: 0 }));
  const peers = await Promise.all(officialClients.map((official) => connect(t, official, 'http', http.url)));
  const booked = await Promise.all(peers.map(({ client, answers }) => {
    answers.elicit = ({ message }) => ({
      action: 'accept', content: message.startsWith('How') ? { seat: 'aisle', travellers: 1, name: 'Ada' } : { confirm: true },
    });
    return client.callTool({ name: 'book_trip', arguments: { destination: 'Lisbon' } });
  }));
  assert.equal(new Set(booked.map((result) => /BW\d+/.exec(textOf(result))[0])).size, peers.length);
});
