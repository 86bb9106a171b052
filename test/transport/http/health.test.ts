import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fleet, memoryEngine } from '../../../src/fleet/index.ts';
import type { Bus, FleetEngine } from '../../../src/fleet/index.ts';
import { fetchHandler } from '../../../src/transport/http/fetch/index.ts';
import { health } from '../../../src/transport/http/node/index.ts';
import { fakeServer } from './fake-server.ts';
import { modern, start } from './harness.ts';

const probe = { method: 'GET', path: '/healthz', headers: { host: '10.0.0.7:3000' } };

test('health: GET and HEAD get a word, whatever host and credentials', async (t) => {
  const { ask } = await start(t, { health: health('/healthz'), auth: () => undefined });
  const got = await ask(probe);
  assert.deepEqual([got.status, got.text, got.headers['content-type'], got.headers['cache-control']], [200, 'ready\n', 'text/plain', 'no-store']);
  const head = await ask({ ...probe, method: 'HEAD' });
  assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '6']);
  // Other requests follow the usual path: the host check comes first.
  assert.equal((await ask({ ...probe, method: 'POST' })).status, 403);
  assert.equal((await ask({ ...probe, path: '/healthz/x' })).status, 403);
});

test('health: without the option there is no such path', async (t) => {
  const { ask } = await start(t);
  assert.equal((await ask({ method: 'GET', path: '/healthz' })).status, 404);
});

test('health: a server that drains is not ready', async () => {
  const server = fakeServer();
  const handler = fetchHandler(server, { health: health(), allowedHosts: '*' });
  const status = async (method: string): Promise<[number, string]> => {
    const response = await handler(new Request('http://10.0.0.7/healthz', { method }));
    return [response.status, await response.text()];
  };
  assert.deepEqual(await status('GET'), [200, 'ready\n']);
  const { headers = {}, body } = modern('wait', { key: 'a' });
  const hanging = handler(new Request('http://localhost/mcp', {
    method: 'POST', headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  }));
  await server.arrived('a');
  const closed = handler.close({ drainMs: 60_000 });
  assert.deepEqual([await status('GET'), await status('HEAD')], [[503, 'unready\n'], [503, '']]);
  server.waiting.get('a')?.finish();
  await closed;
  assert.deepEqual(await status('GET'), [503, 'unready\n']);
  assert.equal((await hanging).status, 200);
});

/** An engine whose answers to `gone` the test provides. */
function scripted(): { engine: FleetEngine; asked: () => number; answer: { now: Bus['gone'] } } {
  const inner = memoryEngine();
  let asked = 0;
  const answer: { now: Bus['gone'] } = { now: async () => [] };
  return {
    answer, asked: () => asked,
    engine: {
      async join(process) {
        const bus = await inner.join(process);
        return {
          ...bus, leaseMs: 2000,
          gone(processes) {
            asked++;
            return answer.now(processes);
          },
        };
      },
    },
  };
}

test('health: not ready while the engine is down, stands still, or has lost this process; a burst of probes asks it once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { engine, answer, asked } = scripted();
  const one = await fleet({ keys: [new Uint8Array(32)], engine });
  const handler = fetchHandler(fakeServer(), { health: health(), fleet: one });
  const status = async (): Promise<number> => (await handler(new Request('http://10.0.0.7/healthz'))).status;
  assert.deepEqual(await Promise.all(Array.from({ length: 50 }, status)), Array.from({ length: 50 }, () => 200));
  assert.equal(asked(), 1);
  const later = async (now: Bus['gone']): Promise<number> => {
    t.mock.timers.tick(1000);
    answer.now = now;
    return status();
  };
  assert.equal(await later(() => Promise.reject(new Error('down'))), 503);
  assert.equal(await later(async (processes) => processes), 503);
  const still = later(() => new Promise(() => {}));
  t.mock.timers.tick(1000);
  assert.equal(await still, 503);
  await Promise.resolve();
  assert.equal(await later(async () => []), 200);
  await handler.close();
  await one.close();
});
