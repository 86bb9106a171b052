import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { introspection } from '../../src/oauth/resource/introspection.ts';
import type { IntrospectionOptions } from '../../src/oauth/resource/introspection.ts';
import { codeOf, isRefusal, present, resource, resourceOf, seconds, serve } from './issuer.ts';
import type { Issuer } from './issuer.ts';

interface Asked {
  readonly authorization: string | undefined;
  readonly form: Record<string, string>;
}

/** An authorization server with introspection, which records the questions. */
async function start(t: TestContext, answer: (token: string) => { status?: number; body: unknown }) {
  const questions: Asked[] = [];
  const { origin } = await serve(t, (req, res) => {
    if (req.url === '/.well-known/oauth-authorization-server') {
      res.end(JSON.stringify({ issuer: origin, introspection_endpoint: `${origin}/introspect` }));
      return;
    }
    let body = '';
    req.on('data', (chunk) => body += chunk).on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(body));
      questions.push({ authorization: req.headers.authorization, form });
      const { status = 200, body: text } = answer(form['token'] ?? '');
      res.writeHead(status).end(typeof text === 'string' ? text : JSON.stringify(text));
    });
  });
  const auth = (options: IntrospectionOptions = {}, now?: () => number) => resourceOf({ issuer: origin } as Issuer, {
    verify: introspection(options), ...now && { now },
  });
  return { origin, questions, auth };
}

const active = { active: true, sub: 'alice', aud: resource, scope: 'trips:read', client_id: 'app' };

test('introspection: an active token is asked about each time, as RFC 7662 section 2.1 wants', async (t) => {
  const { auth, origin, questions } = await start(t, () => ({ body: { ...active, exp: seconds() + 60 } }));
  const server = auth({ clientId: 'trips server', clientSecret: 'se:cr%et' });
  const found = await present(server, 'opaque');
  assert.ok(!isRefusal(found));
  assert.equal(found.principal, JSON.stringify([origin, 'alice']));
  await present(server, 'opaque');
  assert.equal(questions.length, 2);
  assert.deepEqual(questions[0], {
    authorization: `Basic ${Buffer.from('trips+server:se%3Acr%25et').toString('base64')}`,
    form: { token: 'opaque', token_type_hint: 'access_token' },
  });
  await present(auth({ clientId: 'a', clientSecret: 'b', authMethod: 'client_secret_post' }), 'opaque');
  assert.deepEqual(questions[2], { authorization: undefined, form: { token: 'opaque', token_type_hint: 'access_token', client_id: 'a', client_secret: 'b' } });
  await present(auth({ endpoint: `${origin}/elsewhere`, headers: async () => ({ authorization: 'Bearer own' }) }), 'opaque');
  assert.equal(questions[3]?.authorization, 'Bearer own');
});

test('introspection: what is not active, or not for this resource, is refused', async (t) => {
  const answers: Record<string, unknown> = {
    inactive: { active: false }, bare: { active: true }, other: { ...active, aud: 'https://x.example' }, old: { ...active, exp: seconds() - 60 },
    stranger: { ...active, iss: 'https://x.example' }, nobody: { ...active, sub: undefined, client_id: undefined }, good: active,
  };
  const { auth } = await start(t, (token) => ({ body: answers[token] }));
  const codes = Object.fromEntries(await Promise.all(Object.keys(answers).map(async (token) => [token, codeOf(await present(auth(), token))])));
  assert.deepEqual(codes, {
    inactive: 'token_inactive', bare: 'token_audience', other: 'token_audience', old: 'token_expired', stranger: 'token_issuer',
    nobody: 'token_subject', good: 'accepted',
  });
});

test('introspection: a server that says nothing of use is a fault of this side', async (t) => {
  const answers: Record<string, [{ status?: number; body: unknown }, string]> = {
    a: [{ status: 401, body: { error: 'invalid_client' } }, 'introspection_failed'], b: [{ status: 500, body: '' }, 'introspection_failed'],
    c: [{ body: '<html>' }, 'introspection_malformed'], d: [{ body: { active: 'true' } }, 'introspection_malformed'],
    e: [{ body: [] }, 'introspection_malformed'], f: [{ body: 'x'.repeat(300_000) }, 'fetch_too_large'],
  };
  const { auth } = await start(t, (token) => answers[token]?.[0] ?? { body: active });
  for (const [token, [, code]] of Object.entries(answers)) {
    await assert.rejects(present(auth(), token), (error: { code?: string } & Error) => error.code === code && !error.message.includes(`"${token}"`), code);
  }
});

test('introspection: answers are kept as long as is said, and no more of them', async (t) => {
  const { auth, questions } = await start(t, (token) => ({ body: { ...active, active: token !== 'revoked' } }));
  const clock = { ms: Date.now() };
  const server = auth({ limits: { introspectionCacheMs: 1000, maxIntrospections: 3 } }, () => clock.ms);
  const ask = async (token: string): Promise<unknown> => codeOf(await present(server, token));
  await ask('a');
  await ask('a');
  assert.equal(questions.length, 1);
  clock.ms += 1000;
  await ask('a');
  assert.equal(questions.length, 2);
  for (const token of ['b', 'c', 'd']) await ask(token);
  assert.equal(questions.length, 5);
  await ask('a');
  assert.equal(questions.length, 6);
});

test('introspection: a token that is not active is asked about once in five seconds, or as often as is said', async (t) => {
  let isActive = false;
  const { auth, questions } = await start(t, (token) => ({ body: { ...active, active: isActive || token === 'good' } }));
  const clock = { ms: Date.now() };
  const server = auth({ limits: { maxIntrospections: 3 } }, () => clock.ms);
  const ask = async (token: string): Promise<unknown> => codeOf(await present(server, token));
  for (let i = 0; i < 100; i++) assert.equal(await ask('bad'), 'token_inactive');
  assert.equal(questions.length, 1);
  // Active tokens are introspected each time, and the cached inactive ones stay.
  assert.deepEqual([await ask('good'), await ask('good')], ['accepted', 'accepted']);
  assert.equal(questions.length, 3);
  isActive = true;
  clock.ms += 4999;
  assert.equal(await ask('bad'), 'token_inactive');
  clock.ms += 1;
  assert.equal(await ask('bad'), 'accepted');
  isActive = false;
  // No more of them are kept than the limit.
  for (const token of ['a', 'b', 'c', 'd', 'a']) await ask(token);
  assert.equal(questions.length, 9);
  // If the clock is set back, no entry is kept longer.
  clock.ms -= 3_600_000;
  isActive = true;
  assert.equal(await ask('d'), 'accepted');

  const always = auth({ limits: { inactiveCacheMs: 0 } });
  isActive = false;
  const before = questions.length;
  for (let i = 0; i < 3; i++) assert.equal(codeOf(await present(always, 'bad')), 'token_inactive');
  assert.equal(questions.length, before + 3);
});

test('introspection: a clock that is set back keeps no answer longer, so that a revoked token is refused in time', async (t) => {
  let isActive = true;
  const { auth } = await start(t, () => ({ body: { ...active, active: isActive } }));
  const clock = { ms: Date.now() };
  const server = auth({ limits: { introspectionCacheMs: 1000 } }, () => clock.ms);
  assert.equal(codeOf(await present(server, 'token')), 'accepted');
  isActive = false;
  clock.ms -= 86_400_000;
  assert.equal(codeOf(await present(server, 'token')), 'token_inactive');
});

test('introspection: what one authorization server says of another\'s subject is not believed', async (t) => {
  const other = 'https://as-two.example';
  const { origin } = await start(t, () => ({ body: { ...active, iss: other, sub: 'bob' } }));
  const server = resourceOf({ issuer: origin } as Issuer, { authorizationServers: [origin, other], verify: introspection({ issuer: origin }) });
  assert.equal(codeOf(await present(server, 'token')), 'token_issuer');
  const own = await start(t, () => ({ body: { ...active, iss: null } }));
  const found = await present(resourceOf({ issuer: own.origin } as Issuer, { authorizationServers: [own.origin, other], verify: introspection({ issuer: own.origin }) }), 'token');
  assert.equal(!isRefusal(found) && found.issuer, own.origin);
});

test('introspection: the token\'s end counts, also of an answer that was kept', async (t) => {
  const clock = { ms: Date.now() };
  const { auth } = await start(t, () => ({ body: { ...active, exp: Math.floor(clock.ms / 1000) + 10 } }));
  const server = auth({ limits: { introspectionCacheMs: 3_600_000 } }, () => clock.ms);
  assert.equal(codeOf(await present(server, 'a')), 'accepted');
  clock.ms += 60_000;
  const found = await present(server, 'a');
  assert.equal(codeOf(found), 'token_expired');
});
