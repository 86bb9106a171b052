import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { memoryEngine } from '../../src/fleet/index.ts';
import type { FleetEngine } from '../../src/fleet/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { startFleet } from './harness.ts';

/** An engine that refuses one message after `arm()`. */
function awayOnce(engine: FleetEngine): { engine: FleetEngine; arm(): void } {
  let away = false;
  return {
    arm: () => void (away = true),
    engine: {
      ...engine,
      async join(name) {
        const bus = await engine.join(name);
        return {
          ...bus,
          async send(to, message) {
            if (!away) return bus.send(to, message);
            away = false;
            throw new Error('the engine is away');
          },
        };
      },
    },
  };
}

test('HTTP+SSE: a client whose notifications/initialized the engine could not carry tells it again, and is asked', async (t) => {
  const { engine, arm } = awayOnce(memoryEngine());
  const bench = await startFleet(t, { engine });
  let armed = false;
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (!armed && String(init?.body).includes('notifications/initialized')) {
      armed = true;
      arm();
    }
    return bench.roundRobin(input, init);
  };
  const client = new McpClient({ name: 'test', version: '1' }, {
    revisions: ['2024-11-05'],
    onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'thought' } }),
  });
  t.after(() => client.close());
  await client.connect(httpTransport('http://127.0.0.1:1/sse', { fetch, limits: { reconnectInitialMs: 1 } }));
  const { content } = await client.callTool('think', {}, { timeoutMs: 5000 });
  assert.match(JSON.stringify(content), /thought/);
  const told = bench.log.filter(({ body }) => body.includes('notifications/initialized')).map(({ status }) => status);
  assert.deepEqual(told, [503, 202]);
});
