import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { Kvm } from '@nats-io/kv';
import type { FleetEngine } from 'barewire/fleet';
import { engineTests, storeTests } from 'barewire/fleet/testing';
import { natsEngine } from '../src/index.ts';
import { natsServer } from './server.ts';

const server = await natsServer();
const skip = !server && 'there is no nats-server';
const leaseMs = 1000;
let names = 0;

after(() => server?.stop());

const open = (): Promise<NatsConnection> =>
  connect({ servers: server?.url ?? '', maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 20 });

for (const { name, run } of [...engineTests, ...storeTests]) {
  test(name, { skip }, async (t) => {
    const own = `test-${++names}`;
    const connections = new Map<FleetEngine, NatsConnection>();
    t.after(async () => {
      for (const connection of connections.values()) await connection.close();
    });
    const again = async (): Promise<FleetEngine> => {
      const connection = await open();
      const engine = await natsEngine(connection, { name: own, leaseMs });
      connections.set(engine, connection);
      return engine;
    };
    await run(async () => ({
      engine: await again(), again, leaseMs,
      kill: async (engine) => connections.get(engine)?.close(),
      restart: async () => server?.restart(),
    }));
  });
}

test('a process whose lease ran out is told, and has its name again', { skip }, async () => {
  const connection = await open();
  const engine = await natsEngine(connection, { name: 'lost', leaseMs: 300 });
  const bus = await engine.join('p1');
  const lost = new Promise<void>((resolve) => {
    bus.receive({ message() {}, told() {}, gap() {}, lost: resolve });
  });
  await (await new Kvm(connection).open('lost_leases')).delete('p1');
  assert.deepEqual(await bus.gone(['p1']), ['p1']);
  await lost;
  assert.deepEqual(await bus.gone(['p1']), []);
  await bus.leave();
  await connection.close();
});

test('texts of many megabytes go in pieces', { skip }, async () => {
  const connection = await open();
  const engine = await natsEngine(connection, { name: 'large' });
  const large = 'é'.repeat(3_000_000);
  const bus = await engine.join('p1');
  const came = new Promise<[message: string, told: string]>((resolve) => {
    let first: string | undefined;
    bus.receive({
      message: (text) => (first = text),
      // Notified after the message was acknowledged; either may happen first.
      told: (_, text) => setImmediate(function wait() {
        if (first === undefined) setImmediate(wait);
        else resolve([first, text]);
      }),
      gap() {}, lost() {},
    });
  });
  await bus.send('p1', large);
  await bus.tell('t', large);
  await engine.streams.append({ session: 's', stream: 't', head: '', first: 1, texts: [large, 'b'], over: false, ttlMs: 60_000 });
  assert.equal((await came).every((text) => text === large), true);
  assert.equal((await engine.streams.after('s', 't', 0))?.texts[0] === large, true);
  await bus.leave();
  await connection.close();
});

test('a name has characters that NATS takes', { skip }, async () => {
  const connection = await open();
  await assert.rejects(natsEngine(connection, { name: 'a.b' }), RangeError);
  await connection.close();
});
