import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authenticate, Authenticator, RequestInfo } from '../../../src/transport/http/node/index.ts';
import { code, modern, rpc, start } from './harness.ts';

/** The credentials of `Authorization: <principal> <scope> <milliseconds until they expire>`. */
const authenticate: Authenticate = (request: RequestInfo) => {
  const [principal = '', scope = '', life] = request.header('authorization')?.split(' ') ?? [];
  if (principal === '') return undefined;
  if (principal === 'bad') return { status: 400, challenge: 'Bearer error="invalid_request"', message: 'Two tokens' };
  if (principal === 'weak') {
    return {
      status: 403, challenge: 'Bearer error="insufficient_scope"', message: 'Too weak', headers: { 'dpop-nonce': 'n' },
    };
  }
  return { principal, scope, expiresAt: life === undefined ? undefined : Date.now() + Number(life) };
};
const as = (authorization: string): Record<string, string> => ({ authorization });

test('credentials are refused with a status, a challenge and words', async (t) => {
  const { ask } = await start(t, { auth: { authenticate, challenge: 'Bearer resource_metadata="x"' } });
  const cases: [headers: Record<string, string>, status: number, challenge: string, says: RegExp][] = [
    [{}, 401, 'Bearer resource_metadata="x"', /Unauthorized/],
    [as('bad'), 400, 'Bearer error="invalid_request"', /Two tokens/],
    [as('weak'), 403, 'Bearer error="insufficient_scope"', /Too weak/],
  ];
  for (const [headers, status, challenge, says] of cases) {
    // Credentials are checked first, so this includes requests that no credentials would make valid.
    for (const sent of [
      { headers, body: rpc('initialize') }, { ...modern('ping'), headers }, { method: 'GET', headers }, { method: 'DELETE', headers },
      { headers, body: 'no JSON' }, { headers: { ...headers, 'mcp-session-id': 'nobody-has-it' }, body: rpc('ping') },
    ]) {
      const answer = await ask(sent);
      assert.deepEqual([answer.status, answer.headers['www-authenticate'], code(answer)], [status, challenge, -32600]);
      assert.match(answer.text, says);
      assert.equal(answer.headers['dpop-nonce'], status === 403 ? 'n' : undefined);
    }
  }
});

test('a handler that finds the credentials too weak answers 403 with a challenge, in both eras', async (t) => {
  const { ask, live, open } = await start(t, { auth: authenticate });
  const session = await open('2025-11-25', as('me'));
  for (const sent of [modern('forbidden', {}, as('me')), { headers: session, body: rpc('forbidden') }]) {
    const answer = await ask(sent);
    assert.equal(answer.status, 403);
    assert.equal(answer.headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="a b"');
    assert.equal(answer.headers['dpop-nonce'], 'n1');
    assert.deepEqual((JSON.parse(answer.text) as { error: unknown }).error, { code: -32600, message: 'It needs a and b' });
  }
  // If the stream has begun, the error is sent on it.
  const late = await live(modern('forbidden', { late: true }, as('me')));
  assert.equal(late.status, 200);
  assert.match((await late.all()).at(-1)?.data ?? '', /It needs a and b/);
});

test('documents are for everybody, of every origin and host', async (t) => {
  const table: Authenticator = {
    authenticate,
    documents: {
      '/.well-known/oauth-protected-resource/mcp': () => ({ resource: 'r' }),
      '/.well-known/broken': () => {
        throw new Error('no such thing');
      },
    },
  };
  const byFunction: Authenticator = {
    authenticate,
    documents: (path) =>
      path === '/.well-known/oauth-protected-resource/mcp' ? { resource: 'r' } : undefined,
  };
  for (const auth of [table, byFunction]) {
    const { ask } = await start(t, { auth });
    const path = '/.well-known/oauth-protected-resource/mcp';
    const headers = { origin: 'https://elsewhere.example', host: 'public.example' };
    const found = await ask({ method: 'GET', path, headers });
    assert.deepEqual([found.status, found.headers['access-control-allow-origin'], found.headers['content-type']],
      [200, '*', 'application/json']);
    assert.deepEqual(JSON.parse(found.text), { resource: 'r' });
    const preflight = await ask({ method: 'OPTIONS', path, headers });
    assert.deepEqual([preflight.status, preflight.headers['access-control-allow-headers']], [204, '*']);
    assert.equal((await ask({ path, body: '{}' })).status, 404);
    assert.equal((await ask({ method: 'GET', path: '/.well-known/other' })).status, 404);
    assert.equal((await ask({ method: 'GET', path: '/__proto__' })).status, 404);
    assert.equal((await ask({ body: rpc('initialize') })).status, 401);
  }
  const { ask, errors } = await start(t, { auth: table });
  assert.equal((await ask({ method: 'GET', path: '/.well-known/broken' })).status, 500);
  assert.equal(errors[0]?.message, 'no such thing');
});

test('each POST of a session is served with its own credentials', async (t) => {
  const { ask, open } = await start(t, { auth: authenticate });
  const session = await open('2025-11-25', as('me read'));
  for (const scope of ['read', 'write', 'read']) {
    const { text } = await ask({ headers: { ...session, ...as(`me ${scope}`) }, body: rpc('who') });
    assert.match(text, new RegExp(`"principal":"me","scope":"${scope}"`));
  }
});

test('streams and subscriptions end when the credentials that opened them expire', async (t) => {
  const { live, ask, open, server } = await start(t, { auth: authenticate });
  const session = await open('2025-11-25', as('me'));
  const listening = await live({ method: 'GET', headers: { ...session, ...as('me x 30') } });
  const [prime] = await listening.all();
  // The session continues: a client with newer credentials resumes where the stream ended.
  server.peers.values().next().value?.notify('notifications/meanwhile');
  const again = await live({
    method: 'GET', headers: { ...session, ...as('me x'), 'last-event-id': prime?.id ?? '' },
  });
  assert.match((await again.next())?.data ?? '', /meanwhile/);
  again.cut();
  assert.equal((await ask({ headers: { ...session, ...as('me') }, body: rpc('ping') })).status, 200);

  const subscription = await live(modern('subscriptions/listen', {}, as('me x 30')));
  const events = await subscription.all();
  assert.match(events.at(-1)?.data ?? '', /"notifications\/cancelled".*"requestId":1.*credentials.*expired/);
  assert.equal([...server.subscriptions][0]?.signal.aborted, true);

  // HTTP+SSE has one stream for its session, and the session ends with the stream.
  const before = server.peers.size;
  const pair = await live({ method: 'GET', path: '/sse', headers: as('me x 30') });
  assert.equal(server.peers.size, before + 1);
  await pair.closed;
  assert.equal(server.peers.size, before);

  // A call that was admitted is completed.
  const call = ask(modern('wait', { key: 'call' }, as('me x 1')));
  await server.arrived('call');
  await new Promise((resolve) => setTimeout(resolve, 5));
  server.waiting.get('call')?.finish();
  assert.match((await call).text, /"done":true/);
});
