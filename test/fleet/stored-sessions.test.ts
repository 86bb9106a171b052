import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { activeSessions } from '../../src/fleet/active-sessions.ts';
import { memoryEngine } from '../../src/fleet/memory-engine.ts';
import type { StoringProcess } from '../../src/fleet/process.ts';
import { takeOver } from '../../src/fleet/session-settings.ts';
import { writeRecord } from '../../src/fleet/session-records.ts';
import type { Decoded, Notification, Request } from '../../src/jsonrpc/index.ts';
import { findRevision, revisions } from '../../src/protocol/revisions.ts';
import type { EndpointServices, GivenSession, Session, Sessions, SharedHandshake } from '../../src/transport/internal-exports.ts';
import { defaultHttpLimits } from '../../src/transport/http/server/options.ts';
import { ScriptedRequest } from '../transport/http/scripted-request.ts';
import { settled, spiedMember, wordsOf } from './spied-member.ts';
import type { SpiedMember } from './spied-member.ts';

// Sessions whose records are in the store of the engine.

const version = '2025-11-25';
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const byUser = (request: { header(name: string): string | undefined }) => ({ principal: request.header('authorization') ?? 'nobody' });
const idleMs = 1_800_000;

/** Counts the calls of a function of the store. */
function counted<T extends object>(store: T, name: keyof T): () => number {
  const found = store[name] as (...args: unknown[]) => unknown;
  let count = 0;
  Object.assign(store, { [name]: (...args: unknown[]) => (count++, found(...args)) });
  return () => {
    const before = count;
    count = 0;
    return before;
  };
}

const idOf = (headers: Record<string, string>): string => headers['mcp-session-id'] ?? assert.fail();
const errorOf = ({ text }: { text: string }): { code: number; message: string; data?: unknown } => (JSON.parse(text) as { error: { code: number; message: string; data?: unknown } }).error;

test('a handshake writes the record of the session, for as long as a session may be idle', async (t) => {
  const it = await spiedMember(t, { http: { auth: byUser } });
  const headers = await it.open(version, { authorization: 'ann' });
  const id = idOf(headers);
  assert.match(id, /^[\da-f]{32}$/);
  assert.deepEqual(await it.record(headers), {
    agreed: { version, client: { name: 'raw', version: '1' }, capabilities: { elicitation: {} } },
    principal: 'ann', level: undefined, watched: [], opened: it.clock.now(), listener: undefined,
  });
  assert.deepEqual([await it.hub.sessions.of('ann'), it.told(), it.errors], [[id], [], []]);
  it.clock.pass(idleMs - 1);
  assert.ok(await it.hub.sessions.load(id));
  it.clock.pass(1);
  assert.equal(await it.hub.sessions.load(id), undefined);
});

test('the store is told of a use of a session four times in the time that it may be idle, and asked for no id that it did not make', async (t) => {
  const it = await spiedMember(t);
  const [touched, loaded] = [counted(it.hub.sessions, 'touch'), counted(it.hub.sessions, 'load')];
  const headers = await it.open();
  loaded();
  const status = async (more: Record<string, string> = {}): Promise<number | undefined> => (await it.ask('POST', { ...headers, ...more }, ping)).status;
  assert.deepEqual([await status(), touched()], [200, 1]);
  assert.deepEqual([await status(), touched()], [200, 0]);
  it.clock.pass(idleMs / 4 - 1);
  assert.deepEqual([await status(), touched()], [200, 0]);
  it.clock.pass(1);
  assert.deepEqual([await status(), touched(), await status(), touched()], [200, 1, 200, 0]);
  it.clock.pass(idleMs - 1);
  assert.deepEqual([await status(), touched()], [200, 1]);
  loaded();
  const id = idOf(headers);
  for (const wrong of ['', 'x', id.slice(1), `${id}0`, id.toUpperCase() === id ? `x${id.slice(1)}` : id.toUpperCase(), `g${id.slice(1)}`, `${id} `]) {
    assert.equal(await status({ 'mcp-session-id': wrong }), 404, wrong);
  }
  assert.deepEqual([touched(), loaded()], [0, 0]);
  assert.equal(await status({ 'mcp-session-id': 'f'.repeat(32) }), 404);
  assert.equal(touched(), 1);
  it.clock.pass(idleMs);
  assert.equal(await status(), 404);
});

test('while the store is away, a session that is known here is served, and another one gets 503', async (t) => {
  const it = await spiedMember(t);
  const headers = await it.open();
  await it.ask('POST', headers, ping);
  it.clock.pass(idleMs / 4);
  it.broken.set('touch', new Error('away'));
  assert.equal((await it.ask('POST', headers, ping)).status, 200);
  assert.deepEqual(it.errors.splice(0), ['away']);
  const other = await it.ask('POST', { ...headers, 'mcp-session-id': 'a'.repeat(32) }, ping);
  assert.deepEqual([other.status, errorOf(other).message, errorOf(other).data], [503, 'The sessions cannot be reached', { code: 'fleet_unreachable' }]);
  assert.deepEqual(it.errors.splice(0), ['away']);
  for (const name of ['create', 'of']) it.broken.set(name, new Error(`no ${name}`));
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const refused = await it.ask('POST', {}, { jsonrpc: '2.0', id: 'first', method: 'initialize', params });
  assert.deepEqual([refused.status, (JSON.parse(refused.text) as { id: unknown }).id, errorOf(refused).data], [503, 'first', { code: 'fleet_unreachable' }]);
  assert.deepEqual(it.errors.splice(0), ['no create']);
  it.broken.set('delete', new Error('no delete'));
  assert.equal((await it.ask('DELETE', headers)).status, 503);
  assert.deepEqual(it.errors, ['away', 'no delete']);
});

test('a principal that may have no more sessions, and a process that may open no more, answer 503', async (t) => {
  const it = await spiedMember(t, { http: { auth: byUser, limits: { maxSessionsPerPrincipal: 1 } } });
  const ann = await it.open(version, { authorization: 'ann' });
  assert.equal((await it.ask('GET', ann)).stream, 'open');
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const refused = await it.ask('POST', { authorization: 'ann' }, { jsonrpc: '2.0', id: 5, method: 'initialize', params });
  assert.deepEqual([refused.status, (JSON.parse(refused.text) as { id: unknown }).id], [503, 5]);
  assert.equal((await it.ask('POST', ann, ping)).status, 200);
  const few = await spiedMember(t, { http: { limits: { maxSessions: 1 } } });
  const [one, other] = [await few.open(), await few.open()];
  assert.equal((await few.ask('GET', one)).stream, 'open');
  assert.equal((await few.ask('POST', other, ping)).status, 503);
  assert.deepEqual([it.errors, few.errors], [[], []]);
});

test('a setting is answered once the store has it; all processes are told; a store that is away, or a session that has ended, is an error', async (t) => {
  const it = await spiedMember(t);
  const headers = await it.open();
  const id = idOf(headers);
  const post = (method: string, params: object) => it.ask('POST', headers, { jsonrpc: '2.0', id: 8, method, params });
  assert.deepEqual((JSON.parse((await post('logging/setLevel', { level: 'error' })).text) as { result: object }).result, {});
  const [told, ...more] = it.told();
  assert.ok(told?.kind === 'record');
  assert.deepEqual([told.session, told.version, more], [id, 2, []]);
  assert.equal((await it.record(headers)).level, 'error');
  await post('resources/subscribe', { uri: 'note:a' });
  await post('resources/subscribe', { uri: 'note:b' });
  await post('resources/unsubscribe', { uri: 'note:a' });
  assert.deepEqual([(await it.record(headers)).watched, it.told().length], [['note:b'], 3]);
  // A request that is refused changes nothing.
  assert.equal(errorOf(await post('resources/subscribe', {})).code, -32602);
  assert.deepEqual([(await it.record(headers)).watched, it.told()], [['note:b'], []]);
  it.broken.set('replace', new Error('away'));
  assert.deepEqual(errorOf(await post('logging/setLevel', { level: 'info' })), { code: -32603, message: 'The sessions cannot be reached', data: { code: 'fleet_unreachable' } });
  assert.deepEqual(it.errors.splice(0), ['away']);
  it.broken.clear();
  await it.hub.sessions.delete(id);
  assert.equal(errorOf(await post('logging/setLevel', { level: 'info' })).message, 'The sessions cannot be reached');
  assert.deepEqual(it.errors, ['the session has ended']);
  assert.equal((await it.ask('POST', headers, ping)).status, 404);
});

test('DELETE ends a session: its record and its streams are gone, and all processes are told why', async (t) => {
  const it = await spiedMember(t);
  const headers = await it.open();
  const session = idOf(headers);
  const call = await it.call(headers, 'steps', { n: 2 });
  await it.step();
  const stream = /^id: (\S+)-0$/m.exec(call.text)?.[1] ?? assert.fail();
  assert.ok(await it.hub.streams.after(session, stream, 0));
  const { status, text } = await it.ask('DELETE', headers);
  assert.deepEqual([status, text], [204, '']);
  assert.deepEqual([it.told(), await it.hub.sessions.load(session), await it.hub.streams.after(session, stream, 0)], [
    [{ kind: 'ended', session, why: 'the client ended the session' }], undefined, undefined,
  ]);
  assert.equal((await it.ask('POST', headers, ping)).status, 404);
});

async function listening(it: SpiedMember) {
  const headers = await it.open();
  await it.ask('POST', headers, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' } });
  const request = await it.ask('GET', headers);
  const told = wordsOf(request).length;
  it.told();
  return { headers, request, news: () => wordsOf(request).slice(told) };
}

test('a connected session is kept in the store by its process; one that the store has lost ends', async (t) => {
  const it = await spiedMember(t);
  const [used, { headers, request }] = [await it.open(), await listening(it)];
  const touched = counted(it.hub.sessions, 'touch');
  it.clock.pass(idleMs / 4 - 1);
  await settled();
  assert.equal(touched(), 0);
  it.clock.pass(1);
  await settled();
  assert.equal(touched(), 1);
  for (let n = 0; n < 8; n++) {
    it.clock.pass(idleMs / 4);
    await settled();
  }
  assert.deepEqual([request.stream, (await it.ask('POST', headers, ping)).status, (await it.ask('POST', used, ping)).status], ['open', 200, 404]);
  it.broken.set('touch', new Error('away'));
  it.clock.pass(idleMs / 4);
  await settled();
  assert.deepEqual([it.errors.splice(0), request.stream], [['away'], 'open']);
  it.broken.clear();
  await it.hub.sessions.delete(idOf(headers));
  it.clock.pass(idleMs / 4);
  await settled();
  assert.equal(request.stream, 'ended');
});

test('a record that another process has changed holds here: the level, and what the client watches', async (t) => {
  const it = await spiedMember(t);
  const { headers, news } = await listening(it);
  const session = idOf(headers);
  const { text, version: before } = await it.hub.sessions.load(session) ?? assert.fail();
  const record = await it.record(headers);
  const hear = async (more: number, watched: readonly string[]): Promise<void> =>
    it.tell({ kind: 'record', session, version: before + more, text: writeRecord({ ...record, watched }) });
  await hear(2, ['note:b']);
  it.server.resourceUpdated('note:b');
  it.server.resourceUpdated('note:a');
  await settled();
  assert.deepEqual(news(), ['notifications/resources/updated note:b']);
  // An older one is late.
  await hear(1, ['note:a']);
  it.server.resourceUpdated('note:a');
  await settled();
  assert.deepEqual(news(), ['notifications/resources/updated note:b']);
  await it.tell({ kind: 'record', session, version: before + 3, text: 'no record' });
  assert.equal(it.errors.length, 1);
  assert.ok(text);
});

test('after a loss of messages a process reads the records of its connected sessions again, until the store answers', async (t) => {
  const it = await spiedMember(t);
  const { headers, request, news } = await listening(it);
  const session = idOf(headers);
  const idle = await it.open();
  await it.ask('POST', idle, ping);
  const loaded = counted(it.hub.sessions, 'load');
  await it.tell({ kind: 'missed' });
  assert.equal(loaded(), 1, 'only the connected one');
  assert.deepEqual(news(), ['notifications/resources/updated note:a']);
  it.clock.pass(100);
  await settled();
  assert.deepEqual(news().slice(1).sort(), ['notifications/resources/list_changed', 'notifications/tools/list_changed']);
  it.broken.set('load', new Error('away'));
  await it.tell({ kind: 'missed' });
  assert.deepEqual([it.errors.splice(0), news().length], [['away'], 3]);
  it.broken.clear();
  it.clock.pass(249);
  await settled();
  assert.ok(!news().slice(3).some((text) => text.endsWith('note:a')));
  it.clock.pass(1);
  await settled();
  assert.ok(news().slice(3).some((text) => text.endsWith('note:a')));
  await it.hub.sessions.delete(session);
  await it.tell({ kind: 'missed' });
  assert.equal(request.stream, 'ended');
});

test('a process that writes a GET stream heeds a new record although it has not read the old one again', async (t) => {
  const it = await spiedMember(t);
  const { headers, news } = await listening(it);
  const session = idOf(headers);
  const { version: before } = await it.hub.sessions.load(session) ?? assert.fail();
  const record = await it.record(headers);
  it.broken.set('load', new Error('away'));
  await it.tell({ kind: 'missed' });
  await it.tell({ kind: 'record', session: 'f'.repeat(32), version: 9, text: 'of a session that is not used here' });
  assert.deepEqual(it.errors, ['away']);
  await it.tell({ kind: 'record', session, version: before + 1, text: writeRecord({ ...record, watched: ['note:b'] }) });
  it.server.resourceUpdated('note:b');
  await settled();
  assert.deepEqual(news(), ['notifications/resources/updated note:b']);
});

for (const [engine, auth] of [['stores', byUser], ['stores', undefined], ['bus', byUser], ['bus', undefined]] as const) {
  test(`a session that makes room while the body of its request is read is opened again (${engine}, ${auth ? 'of a user' : 'of anybody'})`, async (t) => {
    const it = await spiedMember(t, { engine, http: { auth, limits: { maxSessions: 1 } } });
    const headers = await it.open(version, { authorization: 'ann' });
    const begin = (method: string) => {
      const request = new ScriptedRequest({ method: 'POST', headers, body: { ...ping, method } });
      const read = request.read.bind(request);
      let go = (): void => {};
      request.read = (most, done) => {
        go = () => read(most, done);
        return undefined;
      };
      it.endpoint.handle(request);
      return { request, go: () => go() };
    };
    const { request, go } = begin('ping');
    await settled();
    await it.open(version, { authorization: 'bob' });
    go();
    await settled();
    assert.equal(request.status, 200);
    if (engine === 'bus') return;
    // One that has ended meanwhile is not.
    const late = begin('ping');
    await settled();
    await it.tell({ kind: 'ended', session: idOf(headers), why: 'x' });
    late.go();
    await settled();
    assert.equal(late.request.status, 404);
  });
}

/** Active sessions of an endpoint that the test plays. */
function active() {
  const clock = manualClock(1_000_000);
  const { sessions, streams } = memoryEngine({ clock });
  const [sent, errors, received, ended]: [unknown[], string[], Decoded[], unknown[]] = [[], [], [], []];
  const broken: { with?: Error } = {};
  const self = {
    name: 'me', clock, streams, connected: true, newName: () => 'me-1', questionId: () => 'me-2', lists: () => ({ started: 0, changed: 0 }), awaited() {},
    sessions: { ...sessions, load: async (id: string) => broken.with ? Promise.reject(broken.with) : sessions.load(id) },
    send: async (process: string, message: object) => void (broken.with ? assert.fail() : sent.push([process, message])),
    tell: async () => {}, failures: { watch: () => () => {}, failed() {} }, insist() {},
  } as unknown as StoringProcess;
  let given: GivenSession | undefined;
  const session = { id: 's', ended: false, connections: 0, peer: { receive: (decoded: Decoded) => received.push(decoded) } } as unknown as Session;
  const local: Sessions = {
    open: (_auth, _paired, found) => (given = found, session), find: () => undefined, peek: (id) => id === 's' ? session : undefined,
    end: (...what) => void ended.push(what), all: () => [session],
  };
  const services = {
    clock, limits: defaultHttpLimits, server: {}, report: (error: Error) => errors.push(error.message),
  } as unknown as EndpointServices;
  const it = activeSessions(self, services, local);
  const agreed: unknown[] = [];
  assert.equal(it.begin(undefined, (...what) => agreed.push(what)), session);
  assert.ok(given?.announce && given.shared);
  return { it, sessions, sent, errors, received, broken, agreed, session, clock, announce: given.announce, shared: given.shared, local, id: given.id };
}

test('a message outside of any request goes to the process of the GET stream; without one a question is refused', async () => {
  const { it, sessions, sent, errors, received, broken, announce, id } = active();
  assert.match(id, /^[\da-f]{32}$/);
  const { agreed } = { agreed: { version, client: { name: 'c', version: '1' }, capabilities: {} } };
  const record = { agreed, principal: undefined, level: undefined, watched: [], opened: 0 };
  await sessions.create(id, undefined, writeRecord({ ...record, listener: { process: 'spy', stream: 'spy-01' } }), 1e6);
  const note: Notification = { jsonrpc: '2.0', method: 'notifications/message', params: {} };
  const asked: Request = { jsonrpc: '2.0', id: 'me-2', method: 'roots/list' };
  const say = async (message: Request | Notification): Promise<void> => {
    announce(JSON.stringify(message), message);
    await settled();
  };
  await say(note);
  await say(asked);
  assert.deepEqual(sent.splice(0), [note, asked].map((message) => ['spy', { kind: 'announced', session: id, text: JSON.stringify(message) }]));
  // Each process has these itself.
  for (const method of ['notifications/resources/updated', 'notifications/tools/list_changed', 'notifications/prompts/list_changed']) await say({ jsonrpc: '2.0', method });
  assert.deepEqual(sent, []);
  for (const method of ['notifications/resources/updates', 'notifications/list_changed', 'xnotifications/tools/list_changed']) await say({ jsonrpc: '2.0', method });
  assert.equal(sent.splice(0).length, 3);
  broken.with = new Error('away');
  await say(note);
  assert.deepEqual(errors.splice(0), ['away']);
  it.close();
});

test('a question outside of any request that cannot be sent gets an error in the place of its answer', async () => {
  for (const [listener, breaks, message] of [
    [undefined, false, 'the client has no open stream for requests'], [{ process: 'me', stream: 'me-01' }, false, 'the client has no open stream for requests'],
    [undefined, true, 'The sessions cannot be reached'],
  ] as const) {
    const { it, sessions, errors, received, broken, announce, id, local } = active();
    Object.assign(local, { peek: (name: string) => name === id ? { peer: { receive: (decoded: Decoded) => received.push(decoded) } } : undefined });
    await sessions.create(id, undefined, writeRecord({
      agreed: { version, client: { name: 'c', version: '1' }, capabilities: {} }, principal: undefined, level: undefined, watched: [], opened: 0, listener,
    }), 1e6);
    if (breaks) broken.with = new Error('away');
    announce('{}', { jsonrpc: '2.0', id: 'me-2', method: 'roots/list' });
    await settled();
    assert.deepEqual(received, [{ kind: 'failure', message: { jsonrpc: '2.0', id: 'me-2', error: { code: -32603, message } } }]);
    assert.deepEqual(errors, []);
    announce('{}', { jsonrpc: '2.0', method: 'notifications/message' });
    await settled();
    assert.deepEqual(errors, [breaks ? 'away' : message]);
    it.close();
  }
});

test('a session that is taken over has the revision of its handshake, asks with ids of the fleet, and is told of changes if it listens', () => {
  const play = (more: object, listens: boolean) => {
    const calls: unknown[] = [];
    const handshake = {
      connection: { newId: undefined as unknown }, agree: (...what: unknown[]) => calls.push(['agree', ...what]), move: (state: string) => calls.push(['move', state]),
      server: { revisions, changes: { expect: (one: unknown) => calls.push(['expect', one === handshake]) }, ...more },
    };
    const questionId = (): string => 'me-1';
    return { calls, handshake, questionId, take: (agreed: object | undefined) => takeOver(handshake as unknown as SharedHandshake, { agreed: agreed as never, listens, questionId }) };
  };
  const agreed = { version, client: { name: 'c', version: '1' }, capabilities: {} };
  const revision = findRevision(revisions, version);
  assert.ok(revision);
  const one = play({}, true);
  one.take(agreed);
  assert.equal(one.handshake.connection.newId, one.questionId);
  assert.deepEqual(one.calls, [['agree', revision, agreed], ['move', 'opened'], ['expect', true]]);
  const quiet = play({}, false);
  quiet.take(agreed);
  assert.deepEqual(quiet.calls, [['agree', revision, agreed], ['move', 'opened']]);
  const without = play({ changes: undefined }, true);
  without.take(agreed);
  assert.equal(without.calls.length, 2);
  for (const wrong of [undefined, { ...agreed, version: '1999-01-01' }]) {
    const other = play({}, true);
    other.take(wrong);
    assert.deepEqual([other.calls, other.handshake.connection.newId], [[], other.questionId]);
  }
});
