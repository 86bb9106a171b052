import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mockClock } from '../../mock-clock.ts';
import { createSessions, randomId } from '../../../src/transport/http/server/sessions.ts';
import { createServices } from '../../../src/transport/http/server/services.ts';
import { fakeServer } from './fake-server.ts';
import { rpc, start } from './harness.ts';

const auth = (request: { header(name: string): string | undefined }) => {
  const user = request.header('authorization');
  return user === undefined ? undefined : { principal: user };
};
const as = (user: string): Record<string, string> => ({ authorization: user });

test('when sessions are full the one that was idle longest goes, and gets 404', async (t) => {
  const { ask, open } = await start(t, { limits: { maxSessions: 3 } });
  const [a, b, c] = [await open(), await open(), await open()];
  await ask({ headers: a, body: rpc('ping') });
  await open();
  const statuses = [];
  for (const headers of [a, b, c]) statuses.push((await ask({ headers, body: rpc('ping') })).status);
  assert.deepEqual(statuses, [200, 404, 200]);
});

test('a busy session is never pushed out; where all are busy, a new one gets 503', async (t) => {
  const { ask, live, open, server } = await start(t, { limits: { maxSessions: 2 } });
  const [a, b] = [await open(), await open()];
  const stream = await live({ method: 'GET', headers: a });
  const work = ask({ headers: b, body: rpc('wait', { key: 'w' }) });
  await server.arrived('w');
  const refused = await ask({ body: rpc('initialize', { protocolVersion: '2025-11-25' }) });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
  assert.equal((await ask({ method: 'GET', path: '/sse' })).status, 503);
  server.waiting.get('w')?.finish();
  await work;
  await open();
  assert.equal((await ask({ headers: a, body: rpc('ping') })).status, 200);
  assert.equal((await ask({ headers: b, body: rpc('ping') })).status, 404);
  stream.cut();
});

test('a session is its user\'s alone', async (t) => {
  const { ask, live, open, server } = await start(t, { auth });
  assert.equal((await ask({ body: rpc('initialize') })).headers['www-authenticate'], 'Bearer');
  const mine = await open('2025-11-25', as('me'));
  assert.equal(server.peers.values().next().value?.auth?.principal, 'me');
  assert.equal((await ask({ headers: mine, body: rpc('ping') })).status, 200);
  const theirs = { ...mine, ...as('you') };
  for (const method of ['POST', 'GET', 'DELETE']) {
    const { status } = await ask({ method, headers: theirs, ...(method === 'POST' && { body: rpc('ping') }) });
    assert.equal(status, 404, method);
  }
  const nobody = { 'mcp-session-id': mine['mcp-session-id'] ?? '' };
  assert.equal((await ask({ headers: nobody, body: rpc('ping') })).status, 401);
  const pair = await live({ method: 'GET', path: '/sse', headers: as('me') });
  const path = (await pair.next())?.data ?? '';
  assert.equal((await ask({ path, headers: as('you'), body: rpc('ping') })).status, 404);
  assert.equal((await ask({ path, headers: as('me'), body: rpc('ping') })).status, 202);
  pair.cut();
});

test('the ids of sessions are 32 hexadecimal digits, and no two are the same', () => {
  const ids = Array.from({ length: 1000 }, randomId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
  // If random bytes were missing or reused, one digit would be constant.
  for (let at = 0; at < 32; at++) assert.equal(new Set(ids.map((id) => id[at])).size, 16, `digit ${at}`);
});

test('sessions of one user are bounded apart from those of others', async (t) => {
  const { ask, open } = await start(t, { auth, limits: { maxSessionsPerPrincipal: 2 } });
  const other = await open('2025-11-25', as('other'));
  const [a, b] = [await open('2025-11-25', as('me')), await open('2025-11-25', as('me'))];
  await ask({ headers: a, body: rpc('ping') });
  await open('2025-11-25', as('me'));
  const statuses = [];
  for (const headers of [other, a, b]) statuses.push((await ask({ headers, body: rpc('ping') })).status);
  assert.deepEqual(statuses, [200, 200, 404]);
});

test('requests of one session are bounded', async (t) => {
  const { ask, open, server } = await start(t, { limits: { maxStreamsPerSession: 1 } });
  const headers = await open();
  const work = ask({ headers, body: rpc('wait', { key: 'w' }) });
  await server.arrived('w');
  assert.equal((await ask({ headers, body: rpc('ping', {}, 2) })).status, 429);
  server.waiting.get('w')?.finish();
  await work;
  assert.equal((await ask({ headers, body: rpc('ping', {}, 2) })).status, 200);
});

test('what asks for credentials may be asynchronous, and may fail', async (t) => {
  const { ask, errors } = await start(t, {
    challenge: 'Bearer realm="x"',
    auth: async (request) => {
      if (request.header('authorization') === 'throw') throw new Error('the directory is down');
      return auth(request);
    },
  });
  assert.equal((await ask({ headers: as('me'), body: rpc('initialize') })).status, 200);
  const refused = await ask({ body: rpc('initialize') });
  assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'Bearer realm="x"']);
  assert.equal((await ask({ headers: as('throw'), body: rpc('initialize') })).status, 500);
  assert.deepEqual(errors.map(({ message }) => message), ['the directory is down']);
});

test('an idle session ends after its time, a busy one does not', (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const server = fakeServer();
  const sessions = createSessions(createServices(server, { eventStore: false, limits: { sessionIdleMs: 10_000 } }));
  const [idle, used, busy] = [
    sessions.open(undefined, false), sessions.open(undefined, false), sessions.open(undefined, false),
  ];
  assert.ok(idle && used && busy);
  busy.connected();
  t.mock.timers.tick(6000);
  assert.equal(sessions.find(used.id, undefined, false), used);
  t.mock.timers.tick(5000);
  assert.deepEqual([idle.ended, used.ended, busy.ended], [true, false, false]);
  assert.equal(sessions.find(idle.id, undefined, false), undefined);
  t.mock.timers.tick(20_000);
  assert.deepEqual([used.ended, busy.ended], [true, false]);
  busy.disconnected();
  t.mock.timers.tick(9000);
  assert.equal(busy.ended, false);
  t.mock.timers.tick(21_000);
  assert.equal(busy.ended, true);
  assert.equal(server.peers.size, 0);
});

test('for a new session the one that was idle longest goes; if each has work, the one that has no connection for longest', () => {
  const server = fakeServer();
  for (const [works, connected, gone] of [['', '', 'a'], ['a', '', 'b'], ['ab', '', 'c'], ['abc', '', 'a'], ['abc', 'a', 'b'], ['', 'a', 'b'], ['b', 'a', 'c'], ['bc', 'a', 'b'], ['', 'abc', '']] as const) {
    const sessions = createSessions(createServices(server, { eventStore: false, limits: { maxSessions: 3 } }));
    const all = new Map(['a', 'b', 'c'].map((name) => [name, sessions.open(undefined, false) ?? assert.fail()]));
    for (const [name, session] of all) {
      if (works.includes(name)) Object.defineProperty(session.peer, 'inFlight', { value: 1 });
      if (connected.includes(name)) session.connected();
    }
    const made = sessions.open(undefined, false);
    assert.deepEqual([[...all].filter(([, { ended }]) => ended).map(([name]) => name).join(''), made !== undefined], [gone, gone !== ''], `${works} ${connected}`);
  }
});
