import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { createClient } from 'redis';
import type { FleetEngine } from 'barewire/fleet';
import { engineTests, storeTests } from 'barewire/fleet/testing';
import { redisEngine } from '../src/index.ts';
import { redisServer } from './server.ts';

const server = await redisServer();
const skip = !server && 'there is no redis-server';
const leaseMs = 1000;
let prefixes = 0;

after(() => server?.stop());

for (const { name, run } of [...engineTests, ...storeTests]) {
  test(name, { skip }, async (t) => {
    const prefix = `test-${++prefixes}:`;
    const clients = new Map<FleetEngine, { destroy(): void }>();
    t.after(() => {
      for (const client of clients.values()) client.destroy();
    });
    const again = async (): Promise<FleetEngine> => {
      const client = createClient({
        socket: { path: server?.url ?? '', tls: false, reconnectStrategy: (tries) => Math.min(20 * tries, 200) },
      });
      client.on('error', () => {});
      await client.connect();
      const listening: { readonly isOpen: boolean; destroy(): void }[] = [];
      const engine = redisEngine({
        eval: (...args) => client.eval(...args),
        evalSha: (...args) => client.evalSha(...args),
        duplicate() {
          const duplicate = client.duplicate();
          listening.push(duplicate);
          return duplicate;
        },
      }, { prefix, leaseMs });
      clients.set(engine, { destroy: () => [client, ...listening].forEach((each) => each.isOpen && each.destroy()) });
      return engine;
    };
    await run(async () => ({
      engine: await again(), again, leaseMs,
      kill(engine) {
        clients.get(engine)?.destroy();
        clients.delete(engine);
      },
      restart: async () => server?.restart(),
    }));
  });
}

test('a process whose lease ran out is told, and has its name again', { skip }, async () => {
  const client = createClient({ socket: { path: server?.url ?? '', tls: false } });
  await client.connect();
  const engine = redisEngine(client, { prefix: 'lost:', leaseMs: 300 });
  const bus = await engine.join('p1');
  const lost = new Promise<void>((resolve) => {
    bus.receive({ message() {}, told() {}, gap() {}, lost: resolve });
  });
  await client.del('lost:{p1}:lease');
  assert.deepEqual(await bus.gone(['p1']), ['p1']);
  await lost;
  assert.deepEqual(await bus.gone(['p1']), []);
  await bus.leave();
  client.destroy();
});

test('of a stream that is too long the oldest events are forgotten', { skip }, async () => {
  const client = createClient({ socket: { path: server?.url ?? '', tls: false } });
  await client.connect();
  const { streams } = redisEngine(client, { prefix: 'long:', maxBytesPerStream: 100 });
  const part = { session: 's', stream: 't', head: '', over: false, ttlMs: 10_000 };
  await streams.append({ ...part, first: 1, texts: ['a'.repeat(60), 'b'.repeat(30), 'c'.repeat(30)] });
  assert.equal(await streams.after('s', 't', 0), undefined);
  assert.deepEqual((await streams.after('s', 't', 1))?.texts, ['b'.repeat(30), 'c'.repeat(30)]);
  await streams.append({ ...part, first: 4, texts: ['d'.repeat(1000)] });
  assert.deepEqual((await streams.after('s', 't', 3))?.texts, ['d'.repeat(1000)]);
  client.destroy();
});
