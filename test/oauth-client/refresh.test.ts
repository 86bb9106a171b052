import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import { clientCredentials, memoryStore, oauth } from '../../src/oauth/index.ts';
import type { AuthorizationStore } from '../../src/oauth/index.ts';
import { withClaim } from '../../src/oauth/client/claim.ts';
import { refreshTime } from '../../src/oauth/client/refresh.ts';
import { json, pair } from './authorization-server.ts';
import { call, selfLogin } from './login.ts';

const grants = (forms: readonly URLSearchParams[]): (string | null)[] => forms.map((form) => form.get('grant_type'));

/** Makes the stored tokens look expired. */
async function expire(store: AuthorizationStore, issuer: string, resource: string): Promise<void> {
  const key = `tokens test ${resource} ${issuer} ${resource}`;
  const text = await store.get(key) ?? '';
  const aged = { ...JSON.parse(text) as object, issued_at: Date.now() - 3600_000, expires_at: Date.now() - 1 };
  assert.ok(await store.update(key, text, JSON.stringify(aged)));
}

test('refresh: an expired token is refreshed before it is sent, and the refresh token rotates', async (t) => {
  const { as, rs } = await pair(t);
  const store = memoryStore();
  await call(selfLogin({ store }), rs.url);
  for (let i = 0; i < 3; i++) {
    await expire(store, as.origin, rs.url);
    // A new object, as in a process that starts with the stored tokens.
    assert.equal(await call(selfLogin({ store }), rs.url), 200);
  }
  assert.deepEqual(grants(as.forms), ['authorization_code', 'refresh_token', 'refresh_token', 'refresh_token']);
  assert.equal(as.forms[1]?.get('resource'), rs.url);
  assert.equal(as.reuses, 0);
  // No refresh needed a refusal first.
  assert.equal(rs.requests.filter((request) => request === 'POST /mcp').length, 1 + 4);
});

test('refresh: a token that the server does not take any more is refreshed without a login', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  await call(auth, rs.url);
  as.valid.clear();
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual(grants(as.forms), ['authorization_code', 'refresh_token']);
});

test('refresh: a server that keeps the refresh token lets it be used again', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  await call(auth, rs.url);
  for (let i = 0; i < 2; i++) {
    as.valid.clear();
    as.answers.set('/token', (request, response, body) => {
      as.forms.push(new URLSearchParams(body));
      as.valid.set(`kept-${i}`, { scope: '', client: '', resource: null });
      json({ access_token: `kept-${i}`, token_type: 'Bearer' })(request, response, body);
    });
    assert.equal(await call(auth, rs.url), 200);
  }
  assert.equal(as.forms[1]?.get('refresh_token'), as.forms[2]?.get('refresh_token'));
});

test('refresh: where no refresh token is issued, the login works, and the person logs in again when the token is no longer taken', async (t) => {
  const { as, rs } = await pair(t);
  as.token = { refresh_token: undefined };
  const auth = selfLogin();
  assert.equal(await call(auth, rs.url), 200);
  as.valid.clear();
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual(grants(as.forms), ['authorization_code', 'authorization_code']);
});

test('refresh: a refresh token is sent to no endpoint over plain HTTP', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  await call(auth, rs.url);
  as.valid.clear();
  as.metadata = { token_endpoint: 'http://as.example/token' };
  await assert.rejects(call(auth, rs.url), { code: 'insecure_url', message: /the token endpoint/ });
  assert.deepEqual(grants(as.forms), ['authorization_code']);
});

test('refresh: refused, the tokens go and the person logs in again', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  await call(auth, rs.url);
  as.valid.clear();
  for (const key of as.refreshTokens.keys()) as.refreshTokens.delete(key);
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual(grants(as.forms), ['authorization_code', 'refresh_token', 'authorization_code']);
});

test('refresh: a client that the server has forgotten is registered anew', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  await call(auth, rs.url);
  as.valid.clear();
  as.answers.set('/token', (request, response, body) => {
    as.answers.delete('/token');
    json({ error: 'invalid_client' }, 401)(request, response, body);
  });
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual(as.logins.map((login) => login.get('client_id')), ['client-1', 'client-2']);
});

test('refresh: on invalid_grant only the value that failed is removed', async (t) => {
  const { as, rs } = await pair(t);
  const store = memoryStore();
  const auth = selfLogin({ store });
  await call(auth, rs.url);
  as.valid.clear();
  const key = `tokens test ${rs.url} ${as.origin} ${rs.url}`;
  as.answers.set('/token', async (request, response, body) => {
    // Another process, which did not see our claim, was faster.
    const text = await store.get(key) ?? '';
    as.valid.set('theirs', { scope: '', client: '', resource: null });
    await store.update(key, text, JSON.stringify({ ...JSON.parse(text) as object, access_token: 'theirs', refresh_token: 'newer' }));
    json({ error: 'invalid_grant' }, 400)(request, response, body);
  });
  assert.equal(await call(auth, rs.url), 200);
  assert.equal(rs.accepted.at(-1), 'theirs');
  assert.equal(as.logins.length, 1);
});

test('refresh: while the authorization server is away, a token that may still be good is sent', async (t) => {
  const { as, rs } = await pair(t);
  const store = memoryStore();
  const errors: Error[] = [];
  await call(selfLogin({ store }), rs.url);
  await expire(store, as.origin, rs.url);
  as.answers.set('/token', (_, response) => response.writeHead(503).end());
  const auth = selfLogin({ store, onError: (error) => errors.push(error) });
  assert.equal(await call(auth, rs.url), 200);
  assert.equal(await call(auth, rs.url), 200);
  // The second request did not retry the refresh at once.
  assert.equal(errors.length, 1);
});

test('refresh: ahead of time in the last tenth, each process at another moment; a missing lifetime is unknown', () => {
  const tokens = { access_token: 'a', token_type: 'bearer', issuer: 'i', login: 'l', text: '', key: undefined, issued_at: 1_000_000 };
  const hour = { ...tokens, expires_at: 1_000_000 + 3600_000 };
  assert.equal(refreshTime(hour, 0), hour.expires_at - 30_000);
  assert.equal(refreshTime(hour, 1), hour.expires_at - 60_000);
  assert.equal(refreshTime({ ...tokens, expires_at: 1_000_000 + 10_000 }, 1), 1_009_000);
  assert.equal(refreshTime(tokens, 0.5), undefined);
});

test('refresh: client credentials are asked for again when the server says so', async (t) => {
  const { as, rs } = await pair(t);
  as.token = { refresh_token: undefined, expires_in: undefined };
  const auth = oauth({ grant: clientCredentials({ clientId: 'job', clientSecret: 's' }) });
  await call(auth, rs.url);
  as.valid.clear();
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual(grants(as.forms), ['client_credentials', 'client_credentials']);
});

test('refresh: what was cached for a login stays good for its refreshed tokens, and for no other login', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  assert.equal(await auth.context?.(), '');
  await call(auth, rs.url);
  const context = await auth.context?.();
  as.valid.clear();
  await call(auth, rs.url);
  assert.equal(await auth.context?.(), context);
  await auth.signOut();
  await call(auth, rs.url);
  assert.notEqual(await auth.context?.(), context);
});

test('refresh: signing out removes the tokens', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  await call(auth, rs.url);
  await auth.signOut();
  await call(auth, rs.url);
  assert.equal(as.logins.length, 2);
});

test('claim: one works while the others wait', async () => {
  const store = memoryStore();
  let inside = 0;
  await Promise.all(Array.from({ length: 5 }, () => withClaim({ store, key: 'claim', claimMs: 60_000 }, async () => {
    assert.equal(++inside, 1);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  })));
  assert.equal(await store.get('claim'), undefined);
});

test('claim: a living owner renews it, a dead owner\'s runs out, and one that cannot be read counts for nothing', async () => {
  const store = memoryStore();
  const options = { store, key: 'claim', claimMs: 30 };
  await withClaim(options, async () => {
    const first = await store.get('claim');
    while (await store.get('claim') === first) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await store.update('claim', undefined, JSON.stringify({ owner: 'dead', until: Date.now() + 50 }));
  await withClaim(options, async () => {});
  await store.update('claim', undefined, 'no JSON');
  await withClaim(options, async () => {});
});

test('claim: a dead owner\'s is believed for its own length at most, whatever the clock said when it was written', async () => {
  const store = memoryStore();
  const day = 86_400_000;
  // The second claim is from a version that did not store the length: the waiter uses its own.
  for (const claim of [{ owner: 'dead', until: Date.now() + day, ms: 30 }, { owner: 'dead', until: Date.now() + day }]) {
    await store.update('claim', undefined, JSON.stringify(claim));
    assert.equal(await withClaim({ store, key: 'claim', claimMs: 'ms' in claim ? day : 30 }, async () => 'mine'), 'mine');
  }
});

test('claim: one that is found renewed at each look is not taken, however long that goes on', async (t) => {
  const inner = memoryStore();
  let [looks, steady] = [0, 0];
  t.mock.method(systemClock, 'monotonic', () => steady);
  const store = {
    ...inner,
    async get() {
      steady += 50_000;
      return ++looks > 4 ? undefined : JSON.stringify({ owner: 'other', until: Date.now() + 60_000 + looks, ms: 60_000 });
    },
    update: async (key: string, expected: string | undefined, next: string | undefined) => expected !== undefined || inner.update(key, undefined, next),
  };
  await withClaim({ store, key: 'claim', claimMs: 60_000 }, async () => assert.equal(looks, 5));
});
