import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { fleet, memoryEngine, Undeliverable } from '../../src/fleet/index.ts';
import type { FleetEngine } from '../../src/fleet/index.ts';
import { relayEngine } from '../../src/fleet/node/relay-engine.ts';
import type { FromRelay, Port, RelayedEngine, ToRelay } from '../../src/fleet/node/relay-engine.ts';
import { createRelay } from '../../src/fleet/node/relay.ts';
import { engineTests, storeTests } from '../../src/fleet/testing.ts';
import { startFleet } from './harness.ts';

/** Both ends of a channel between processes. It carries JSON and can be cut silently. */
function channel(): { process: Port<FromRelay, ToRelay>; relay: Port<ToRelay, FromRelay>; cut(): void } {
  let whole = true;
  type Hear = (text: string) => void;
  const end = <In, Out>(): { port: Port<In, Out>; hear: Hear; to: (hear: Hear) => void } => {
    let heard: ((message: In) => void) | undefined;
    let speak: (text: string) => void = () => {};
    return {
      port: {
        send(message) {
          const text = JSON.stringify(message);
          setImmediate(() => whole && speak(text));
        },
        listen: (listener) => void (heard = listener),
      },
      hear: (text) => heard?.(JSON.parse(text) as In),
      to: (hear) => void (speak = hear),
    };
  };
  const [one, other] = [end<FromRelay, ToRelay>(), end<ToRelay, FromRelay>()];
  one.to(other.hear);
  other.to(one.hear);
  return { process: one.port, relay: other.port, cut: () => void (whole = false) };
}

const key = Buffer.alloc(32, 7).toString('base64');

/** The bus of a cluster, within one process. */
function relayed(leaseMs: number, answerMs: number = 2000): { again(): RelayedEngine; kill(engine: FleetEngine): void } {
  const relay = createRelay([key], leaseMs);
  const cuts = new Map<FleetEngine, () => void>();
  return {
    again() {
      const { process, relay: far, cut } = channel();
      relay.attach(far);
      const engine = relayEngine(process, answerMs);
      cuts.set(engine, cut);
      return engine;
    },
    kill: (engine) => cuts.get(engine)?.(),
  };
}

// In parallel, because the tests mostly wait.
describe('engines of this package', { concurrency: 50 }, () => {
  for (const { name, run } of [...engineTests, ...storeTests]) {
    test(`memory: ${name}`, () => run(async () => {
      const engine = memoryEngine();
      return { engine, again: async () => engine };
    }));
    // A short lease can expire by accident on a busy machine, so use it only in tests that wait for its end.
    const leaseMs = name.includes('killed') ? 3000 : 60_000;
    test(`relay: ${name}`, () => run(async () => {
      const { again, kill } = relayed(leaseMs, 20_000);
      return { engine: again(), again: async () => again(), kill, leaseMs };
    }));
  }
});

test('a relay hands its keys over, and where there is none nobody waits for long', async () => {
  const { again } = relayed(300);
  assert.deepEqual(await again().keys(), [new Uint8Array(32).fill(7)]);
  const nobody = relayEngine(channel().process, 50);
  await assert.rejects(nobody.keys(), /the relay did not answer within 50 ms/);
  await assert.rejects(fleet({ keys: [new Uint8Array(32)], engine: nobody }), /the relay did not answer/);
});

test('sessions over a relay: a question whose process is cut off is refused when the lease is out', async (t) => {
  const leaseMs = 2000;
  const { again, kill } = relayed(leaseMs);
  const engine = again();
  const other = again();
  let turn = 0;
  const bench = await startFleet(t, {
    version: '2025-11-25', count: 2,
    engine: { join: (name) => (turn++ === 0 ? engine : other).join(name) },
  });
  const client = await bench.client({ onElicit: () => ({ action: 'accept', content: { sure: true } }) });
  for (let i = 0; i < 3; i++) {
    const { content } = await client.callTool('confirm');
    assert.match(JSON.stringify(content), /accept true/);
  }
  kill(other);
  const bus = await again().join('watcher');
  const gone = bench.members[1]?.fleet.process ?? '';
  for (;;) {
    const error: unknown = await bus.send(gone, '{}').catch((thrown: unknown) => thrown);
    if (error instanceof Undeliverable) break;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const headers = { 'mcp-session-id': bench.session() };
  const answer = async (): Promise<number> => (await bench.post(0, headers, { jsonrpc: '2.0', id: `${gone}-1`, result: {} })).status;
  // 503 if the machine was so busy that the first process's own lease expired.
  let status = await answer();
  while (status === 503) status = await answer();
  assert.equal(status, 400);
});
