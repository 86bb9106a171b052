import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOf } from '../../mock-clock.ts';
import { rateLimit } from '../../../src/transport/http/node/index.ts';
import type { Authenticate, RateLimitOptions, RequestInfo } from '../../../src/transport/http/node/index.ts';
import { randomOf } from '../../random.ts';
import { code, modern, rpc, start } from './harness.ts';

const byHeader: Authenticate = (request) => {
  const principal = request.header('authorization');
  return principal === undefined ? undefined : { principal };
};
const requestOf = (principal?: string): RequestInfo =>
  ({ method: 'POST', path: '/mcp', query: '', header: (name) => (name === 'authorization' ? principal : undefined) });

test('rate limit: 429 with Retry-After in both eras, each principal for itself, none for callers without', async (t) => {
  let now = 0;
  const auth = rateLimit({ authenticate: byHeader, challenge: 'Bearer realm="x"', documents: { '/.well-known/x': () => ({ x: 1 }) } }, { requests: 2, clock: clockOf(() => now) });
  const { ask, errors } = await start(t, { auth });
  const as = (authorization: string): Promise<{ status: number; headers: Record<string, unknown>; text: string }> => ask(modern('ping', {}, { authorization }));
  assert.deepEqual([(await as('ann')).status, (await as('ann')).status], [200, 200]);
  for (const sent of [modern('ping', {}, { authorization: 'ann' }), { headers: { authorization: 'ann' }, body: rpc('initialize') }, { method: 'GET', headers: { authorization: 'ann' } }]) {
    const refused = await ask(sent);
    assert.deepEqual([refused.status, refused.headers['retry-after'], refused.headers['www-authenticate'], code(refused)], [429, '30', undefined, -32603]);
    assert.match(refused.text, /2 in 60000 ms are allowed.*rate_limited/);
  }
  assert.equal((await as('bob')).status, 200);
  for (let i = 0; i < 5; i++) {
    const unknown = await ask(modern('ping'));
    assert.deepEqual([unknown.status, unknown.headers['www-authenticate']], [401, 'Bearer realm="x"']);
  }
  assert.equal((await ask({ method: 'GET', path: '/.well-known/x' })).text, '{"x":1}');
  now = 29_999;
  assert.deepEqual([(await as('ann')).status, (await as('ann')).headers['retry-after']], [429, '1']);
  now = 30_000;
  assert.deepEqual([(await as('ann')).status, (await as('ann')).status], [200, 429]);
  assert.deepEqual(errors, []);
});

test('rate limit: no span of time has more than twice what is allowed, and who keeps to the rate is never refused', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const next = randomOf(seed);
    const requests = 1 + Math.floor(next() * 20);
    const perMs = 1 + Math.floor(next() * 100_000);
    let now = 0;
    const auth = rateLimit(byHeader, { requests, perMs, clock: clockOf(() => now) });
    const passed: number[] = [];
    for (let i = 0; i < 400; i++) {
      now += next() ** 4 * perMs;
      const found = await auth.authenticate(requestOf('greedy'));
      if (found && 'principal' in found) passed.push(now);
    }
    for (let i = 2 * requests; i < passed.length; i++) {
      assert.ok((passed[i] as number) - (passed[i - 2 * requests] as number) >= perMs * (1 - 1e-6), `seed ${seed}`);
    }
    for (let i = 0; i < 200; i++) {
      now += perMs / requests;
      const found = await auth.authenticate(requestOf('steady'));
      assert.ok(found && 'principal' in found, `seed ${seed}, request ${i}`);
    }
  }
});

test('rate limit: waiting as long as Retry-After says is enough', async () => {
  let now = 0;
  const auth = rateLimit(byHeader, { requests: 7, perMs: 10_000, clock: clockOf(() => now) });
  for (let passed = 0; passed < 50;) {
    const found = await auth.authenticate(requestOf('ann'));
    if (found && !('principal' in found)) {
      now += 1000 * Number(found.headers?.['retry-after']);
      const again = await auth.authenticate(requestOf('ann'));
      assert.ok(again && 'principal' in again);
    }
    passed++;
  }
});

test('rate limit: only so many principals are remembered', async () => {
  const auth = rateLimit(byHeader, { requests: 1, maxPrincipals: 2, clock: clockOf(() => 0) });
  const statuses: unknown[] = [];
  for (const name of ['a', 'b', 'a', 'c', 'd', 'a']) statuses.push((await auth.authenticate(requestOf(name)))?.['status']);
  assert.deepEqual(statuses, [undefined, undefined, 429, undefined, undefined, undefined]);
});

test('rate limit: what is no number of requests is refused', () => {
  for (const options of [{}, { requests: 0 }, { requests: Number.NaN }, { requests: 1, perMs: 0 }, { requests: 1, maxPrincipals: 0 }]) {
    assert.throws(() => rateLimit(byHeader, options as RateLimitOptions), /rateLimit: options\.\w+/);
  }
});
