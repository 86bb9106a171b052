import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { memoryEngine } from '../../src/fleet/index.ts';
import type { FleetEngine } from '../../src/fleet/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { startFleet } from './harness.ts';

/** An engine that is away the first time that it is to carry a message with these words. */
function awayOnce(engine: FleetEngine, words: string): FleetEngine {
  let away = true;
  return {
    ...engine,
    async join(name) {
      const bus = await engine.join(name);
      return {
        ...bus,
        async send(to, message) {
          if (!away || !message.includes(words)) return bus.send(to, message);
          away = false;
          throw new Error('the engine is away');
        },
      };
    },
  };
}

test('HTTP+SSE: a client whose notifications/initialized the engine could not carry tells it again, and is asked', async (t) => {
  const bench = await startFleet(t, { engine: awayOnce(memoryEngine(), 'notifications/initialized') });
  const client = new McpClient({ name: 'test', version: '1' }, {
    revisions: ['2024-11-05'],
    onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'thought' } }),
  });
  t.after(() => client.close());
  await client.connect(httpTransport('http://127.0.0.1:1/sse', { fetch: bench.roundRobin, limits: { reconnectInitialMs: 1 } }));
  const { content } = await client.callTool('think', {}, { timeoutMs: 5000 });
  assert.match(JSON.stringify(content), /thought/);
  const told = bench.log.filter(({ body }) => body.includes('notifications/initialized')).map(({ status }) => status);
  assert.deepEqual(told, [503, 202]);
});
