// The official clients use every feature of examples/travel behind a round robin over four servers of one fleet with the stored
// level. They share one set of books, like an application with a database.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { connect, officialClients } from './official-clients.mjs';
import { roundRobin } from './round-robin.mjs';
import { useEverything } from './use-everything.mjs';
import { openAgency } from '../../dist/examples/travel/agency.js';
import { createTravelServer } from '../../dist/examples/travel/server.js';
import { fleet, memoryEngine } from '../../dist/lib/fleet.js';
import { serveHttp } from '../../dist/lib/http.js';

async function start(t) {
  const keys = [new Uint8Array(randomBytes(32))];
  const [engine, agency] = [memoryEngine(), openAgency()];
  const origins = [];
  const errors = [];
  for (let i = 0; i < 4; i++) {
    const own = await fleet({ keys, engine, onError: (error) => errors.push(error) });
    const http = await serveHttp(createTravelServer({ requestState: { keys } }, agency), { fleet: own, onError: (error) => errors.push(error) });
    t.after(async () => {
      await http.close({ drainMs: 0 });
      await own.close();
    });
    origins.push(new URL(http.url).origin);
  }
  const balancer = await roundRobin(origins);
  t.after(() => balancer.close());
  return { ...balancer, errors };
}

for (const official of officialClients) {
  test(`${official.name} behind a round robin over four processes`, async (t) => {
    const { origin, counts, errors } = await start(t);
    await useEverything(t, await connect(t, official, 'http', `${origin}/mcp`));
    assert.ok(counts.every((count) => count > 5), counts.join());
    assert.deepEqual(errors.map(({ message }) => message), []);
  });
}

test('sdk v1 over HTTP+SSE behind a round robin over four processes', async (t) => {
  const { origin, counts } = await start(t);
  await useEverything(t, await connect(t, { version: 'v1' }, 'sse', `${origin}/sse`));
  assert.ok(counts.every((count) => count > 5), counts.join());
});
