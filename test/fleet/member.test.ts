import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import type { FleetOptions } from '../../src/fleet/index.ts';
import { undelivered } from '../../src/fleet/forwarding.ts';
import { joinChanges } from '../../src/fleet/joined-changes.ts';
import type { Change, CarriedMessage } from '../../src/fleet/messages.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { McpServer } from '../../src/server/index.ts';
import { internalsOf } from '../../src/server/internal-exports.ts';
import { requestStateSealer } from '../../src/server/modern/request-state.ts';
import type { ServerPort } from '../../src/transport/server-port.ts';
import { fakeServer } from '../transport/http/fake-server.ts';
import { settled, spiedMember, wordsOf } from './spied-member.ts';

// One member of a fleet: what it tells and sends to the others, and what it does with their messages.

const version = '2025-11-25';
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const key = new Uint8Array(32).fill(9);
const byUser = (request: { header(name: string): string | undefined }) => ({ principal: request.header('authorization') ?? 'nobody' });
const carried = (session: string, message: unknown, more: Partial<CarriedMessage> = {}): CarriedMessage => ({ kind: 'message', session, paired: false, auth: undefined, message, ...more });

test('the options of a fleet are known, and its keys have 32 bytes', async () => {
  for (const [options, message] of [
    [{ keys: [key], engines: {} }, 'fleet: options.engines is unknown, did you mean engine?'], [{ keys: 'x' }, /options\.keys is invalid/],
    [{ keys: [key], engine: 5 }, /options\.engine/], [{ keys: [key], sessionMaxMs: '5' }, /options\.sessionMaxMs/], [{ keys: [key], clock: 1 }, /options\.clock/],
    [{ keys: [key], onError: 1 }, /options\.onError/], [{}, 'fleet: options.keys must be a list of secrets of 32 bytes, the same in all processes'],
    [{ keys: [] }, 'fleet: options.keys must be a list of secrets of 32 bytes, the same in all processes'], [{ keys: [key, new Uint8Array(31)] }, 'fleet: a key in options.keys has 31 bytes, expected 32'],
    [{ keys: [new Uint8Array(33)] }, 'fleet: a key in options.keys has 33 bytes, expected 32'],
  ] as const) await assert.rejects(fleet(options as unknown as FleetOptions), { message });
});

test('without stores a fleet remembers no states and proofs; with one, each is new once', async () => {
  const alone = await fleet({ keys: [key] });
  assert.deepEqual([alone.spentStates, alone.proofReplays, await alone.up()], [undefined, undefined, true]);
  assert.match(alone.process, /^[a-z\d]{10}$/);
  await alone.close();
  const clock = manualClock(1000);
  const { join, spent } = memoryEngine({ clock });
  const [one, other] = [await fleet({ keys: [key], clock, engine: { join, spent } }), await fleet({ keys: [key], clock, engine: { join, spent } })];
  assert.deepEqual([await one.spentStates?.spend('a', 2000), await other.spentStates?.spend('a', 2000), await other.spentStates?.spend('b', 2000)], [true, false, true]);
  const proof = (key: string, jti: string) => ({ key, jti, expires: 2000 });
  assert.deepEqual(
    [await one.proofReplays?.add(proof('k', 'a')), await other.proofReplays?.add(proof('k', 'a')), await other.proofReplays?.add(proof('k', 'b')), await one.proofReplays?.add(proof('l', 'a'))],
    [true, false, true, true],
  );
  clock.tick(2000);
  assert.deepEqual([await one.proofReplays?.add(proof('k', 'a')), await other.spentStates?.spend('a', 3000)], [true, true]);
  // The name joins both parts without confusing them.
  assert.equal(await one.proofReplays?.add({ key: 'k","a', jti: '', expires: 4000 }), true);
  assert.equal(await one.proofReplays?.add({ key: 'k', jti: 'a","', expires: 4000 }), true);
  for (const each of [one, other]) await each.close();
});

test('a member that leaves says so before it gives its name back, and does both although the engine is away', async (t) => {
  const it = await spiedMember(t);
  await it.own.close();
  await settled();
  assert.deepEqual(it.told(), [{ kind: 'left' }]);
  await assert.rejects(it.bus.send(it.own.process, 'x'), { code: 'undeliverable' });
  assert.deepEqual(it.errors, []);
  const other = await spiedMember(t);
  for (const name of ['tell', 'leave']) other.broken.set(name, new Error(`no ${name}`));
  await other.own.close();
  assert.deepEqual(other.errors, ['no tell', 'no leave']);
});

test('a member waits, when it closes, for what the store is still writing', async (t) => {
  const it = await spiedMember(t);
  const headers = await it.open();
  await it.call(headers, 'steps', { n: 2 });
  const { append } = it.hub.streams;
  let go = (): void => {};
  it.hub.streams.append = async (part) => {
    await new Promise<void>((resolve) => (go = resolve));
    return append(part);
  };
  await it.step();
  let closed = false;
  const closing = it.own.close().then(() => (closed = true));
  await settled();
  assert.deepEqual([closed, it.told().filter(({ kind }) => kind === 'left')], [false, []]);
  it.hub.streams.append = append;
  go();
  await closing;
  assert.deepEqual(it.told().map(({ kind }) => kind).at(-1), 'left');
});

test('what a member could not tell all, it makes good: the others learn that they have missed something', async (t) => {
  const it = await spiedMember(t);
  await it.open();
  it.told();
  it.broken.set('tell', new Error('away'));
  it.server.tool('late', {}, () => '');
  it.server.resourceUpdated('note:a');
  await settled();
  assert.deepEqual(it.errors, ['away', 'away']);
  it.broken.clear();
  it.clock.pass(250);
  await settled();
  assert.deepEqual(it.told(), [{ kind: 'missed' }]);
  it.clock.pass(1000);
  await settled();
  assert.deepEqual(it.told(), []);
});

test('a change in a member is told to all; one in another process comes to its clients, and is not told again', async (t) => {
  const it = await spiedMember(t);
  it.server.tool('late', {}, () => '');
  it.server.resourceUpdated('note:b');
  await settled();
  assert.deepEqual(it.told(), [{ kind: 'changed', change: { list: 'tools' } }, { kind: 'changed', change: { uri: 'note:b' } }]);
  await it.tell({ kind: 'changed', change: { list: 'tools' } });
  await it.tell({ kind: 'changed', change: { uri: 'note:b' } });
  assert.deepEqual(it.told(), []);
});

test('another topic and other texts are not for a member: the first is passed over, the others are reported', async (t) => {
  const it = await spiedMember(t);
  const headers = await it.open();
  const waiting = await it.call(headers, 'wait');
  await it.bus.tell('another', JSON.stringify({ from: 'spy', told: { kind: 'ended', session: headers['mcp-session-id'], why: 'x' } }));
  await it.bus.tell('barewire.fleet', 'no JSON');
  await it.bus.send(it.own.process, 'no JSON');
  await settled();
  assert.deepEqual([waiting.answers, it.errors.length], [0, 2]);
  assert.ok(it.errors.every((text) => text.includes('JSON')), String(it.errors));
});

test('a member does not heed what it has told itself', async (t) => {
  const it = await spiedMember(t);
  const headers = await it.open();
  const waiting = await it.call(headers, 'wait');
  const cancel = carried(headers['mcp-session-id'] ?? '', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'never mind' } });
  await it.tell({ kind: 'cancelled', carried: cancel }, it.own.process);
  assert.equal(waiting.answers, 0);
  await it.tell({ kind: 'cancelled', carried: cancel });
  assert.equal(waiting.answers, 1);
});

/** A call that asks a question, and the id of the question. */
async function asking(it: Awaited<ReturnType<typeof spiedMember>>, headers: Record<string, string>) {
  const call = await it.call(headers, 'confirm');
  const id = /"id":"([^"]+)","method":"elicitation/.exec(call.text)?.[1] ?? /"method":"elicitation\/create".*"id":"([^"]+)"/.exec(call.text)?.[1] ?? assert.fail(call.text);
  return { call, id };
}

for (const engine of ['stores', 'bus'] as const) {
  test(`an answer that another process sends reaches the question of its session and principal only (${engine})`, async (t) => {
    const it = await spiedMember(t, { engine, http: { auth: byUser } });
    const ann = await it.open(version, { authorization: 'ann' });
    const { call, id } = await asking(it, ann);
    assert.match(id, new RegExp(`^${it.own.process}-`));
    // The name of a sealed session is not its id: the spy learns it from what the member sends.
    const { status } = await it.ask('POST', ann, { jsonrpc: '2.0', id: 'spy-1', result: {} });
    assert.equal(status, 202);
    const [sent] = it.sent();
    assert.ok(sent?.kind === 'message');
    const session = sent.session;
    const auth = { principal: 'ann' };
    assert.deepEqual(sent, JSON.parse(JSON.stringify(carried(session, { jsonrpc: '2.0', id: 'spy-1', result: {} }, { auth }))));
    const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { sure: true } } };
    await it.send(carried('another', answer, { auth }));
    await it.send(carried(session, answer, { auth: { principal: 'eve' } }));
    await it.send(carried(session, answer));
    await it.send(carried(session, answer, { auth, paired: true }));
    assert.equal(call.stream, 'open');
    await it.send(carried(session, answer, { auth }));
    assert.deepEqual([wordsOf(call).at(-1), call.stream], ['result of 1', 'ended']);
    assert.deepEqual(it.errors, []);
  });

  test(`what belongs to another process goes there, and the rest is served here (${engine})`, async (t) => {
    const it = await spiedMember(t, { engine });
    const headers = await it.open();
    it.told();
    const post = async (body: object): Promise<[number | undefined, unknown[]]> => {
      const { status } = await it.ask('POST', headers, body);
      return [status, it.sent().map((message) => message.kind === 'message' && message.message)];
    };
    const elsewhere: object[] = [
      { jsonrpc: '2.0', id: 'spy-1', result: {} }, { jsonrpc: '2.0', id: 'spy-1', error: { code: 1, message: 'no' } },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'spy-1', progress: 1 } },
    ];
    for (const message of elsewhere) assert.deepEqual(await post(message), [202, [message]]);
    // A response that is malformed is refused, and becomes an error for its question.
    const [status, [malformed]] = await post({ jsonrpc: '2.0', id: 'spy-2', error: 'x' });
    assert.deepEqual([status, (malformed as { id: unknown }).id, typeof (malformed as { error: { message: unknown } }).error.message], [400, 'spy-2', 'string']);
    for (const message of [
      { jsonrpc: '2.0', id: `${it.own.process}-z`, result: {} }, { jsonrpc: '2.0', id: 7, result: {} }, { jsonrpc: '2.0', id: 'no process', result: {} },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 5, progress: 1 } }, { jsonrpc: '2.0', method: 'notifications/progress' },
      { jsonrpc: '2.0', method: 'notifications/other', params: { progressToken: 'spy-1' } },
    ]) assert.deepEqual(await post(message), [202, []], JSON.stringify(message));
    assert.deepEqual(await post(ping), [200, []]);
    assert.deepEqual(it.told(), []);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    assert.deepEqual(await post(cancelled), [202, []]);
    assert.deepEqual(it.told().map((told) => told.kind === 'cancelled' && told.carried.message), [cancelled]);
    assert.deepEqual(it.errors, []);
  });

  test(`a client hears whether the process of its answer has gone, or cannot be reached (${engine})`, async (t) => {
    const it = await spiedMember(t, { engine });
    const headers = await it.open();
    const answer = async (id: string): Promise<[number | undefined, string]> => {
      const { status, text } = await it.ask('POST', headers, { jsonrpc: '2.0', id, result: {} });
      const { message, data } = (JSON.parse(text || '{"error":{}}') as { error: { message?: string; data?: object } }).error;
      return [status, `${message} ${JSON.stringify(data)}`];
    };
    assert.deepEqual(await answer('ghost-1'), [400, 'The process that waits for this answer cannot be reached undefined']);
    it.broken.set('send', new Error('away'));
    assert.deepEqual(await answer('spy-1'), [503, 'The sessions cannot be reached {"code":"fleet_unreachable"}']);
    assert.deepEqual(it.errors, ['the process ghost has left the fleet, or was never in it', 'away']);
    it.broken.clear();
    it.broken.set('tell', new Error('no tell'));
    const { status } = await it.ask('POST', headers, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    assert.equal(status, 503);
  });
}

test('2025-03-26: a batch is divided; one that is all for other processes is answered with 202', async (t) => {
  const it = await spiedMember(t, { engine: 'bus' });
  const headers = await it.open('2025-03-26');
  const there = (id: string): object => ({ jsonrpc: '2.0', id, result: {} });
  const one = await it.ask('POST', headers, [there('spy-1'), ping, there('spy-2')]);
  assert.deepEqual([one.status, JSON.parse(one.text)], [200, [{ jsonrpc: '2.0', id: 1, result: {} }]]);
  assert.equal(it.sent().length, 2);
  const all = await it.ask('POST', headers, [there('spy-1'), there('spy-2')]);
  assert.deepEqual([all.status, it.sent().length], [202, 2]);
  const none = await it.ask('POST', headers, [ping, { ...ping, id: 2 }]);
  assert.deepEqual([none.status, it.sent()], [200, []]);
  const empty = await it.ask('POST', headers, []);
  assert.equal(empty.status, 400);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
  it.told();
  const told = await it.ask('POST', headers, [cancelled, ping]);
  assert.deepEqual([told.status, it.told().length], [200, 1]);
});

test('answers for a process that was taken for gone go to it once it says that it lives, each once', async (t) => {
  const it = await spiedMember(t, { engine: 'bus' });
  const headers = await it.open();
  const answer = (id: string): Promise<unknown> => it.ask('POST', headers, { jsonrpc: '2.0', id, result: {} });
  await answer('late-1');
  await answer('later-1');
  await answer('late-2');
  const raw = await it.hub.join('late');
  const got: string[] = [];
  raw.receive({ message: (text) => got.push(text), told() {}, gap: () => assert.fail(), lost: () => assert.fail() });
  await it.tell({ kind: 'lapsed' }, 'other');
  assert.deepEqual(got, []);
  await it.tell({ kind: 'lapsed' }, 'late');
  assert.equal(got.length, 2);
  await it.tell({ kind: 'lapsed' }, 'late');
  assert.equal(got.length, 2);
  await it.tell({ kind: 'lapsed' }, 'later');
  assert.equal(it.errors.at(-1), 'the process later has left the fleet, or was never in it');
});

test('only answers that were undeliverable are sent again: neither a message of another kind, nor one that failed otherwise', async (t) => {
  const it = await spiedMember(t);
  const headers = await it.open();
  assert.equal((await it.ask('GET', { ...headers, 'last-event-id': 'ghost-1-0' })).status, 400);
  const raw = await it.hub.join('ghost');
  raw.receive({ message: () => assert.fail('nothing is sent again'), told() {}, gap: () => assert.fail(), lost: () => assert.fail() });
  await it.tell({ kind: 'lapsed' }, 'ghost');
  it.broken.set('send', new Error('away'));
  assert.equal((await it.ask('POST', headers, { jsonrpc: '2.0', id: 'spy-1', result: {} })).status, 503);
  it.broken.clear();
  await it.tell({ kind: 'lapsed' });
  assert.deepEqual(it.sent(), []);
});

test('of undelivered messages the newest 256 are kept, with at most 1,048,576 characters', () => {
  const message = (name: string, length: number = 0): CarriedMessage => carried(name, 'x'.repeat(length));
  const names = (found: readonly CarriedMessage[]): string[] => found.map(({ session }) => session);
  const kept = undelivered();
  for (let n = 0; n < 300; n++) kept.keep(n % 2 ? 'odd' : 'even', message(String(n)));
  const odd = names(kept.take('odd'));
  assert.deepEqual([odd[0], odd.at(-1), odd.length, names(kept.take('odd'))], ['45', '299', 128, []]);
  assert.deepEqual([names(kept.take('even'))[0], names(kept.take('even'))], ['44', []]);
  const own = JSON.stringify(message('a')).length;
  const half = 524_288 - own;
  for (const [name, length] of [['a', half], ['b', half]] as const) kept.keep('p', message(name, length));
  assert.deepEqual(names(kept.take('p')), ['a', 'b']);
  // What was taken takes no room.
  for (const [name, length] of [['a', half], ['b', half], ['c', 0]] as const) kept.keep('p', message(name, length));
  assert.deepEqual(names(kept.take('p')), ['b', 'c']);
  kept.keep('p', message('d', 1_048_577));
  assert.deepEqual(names(kept.take('p')), []);
});

test('changes of one list within 100 ms are one notification; those of resources go at once', async () => {
  const clock = manualClock(70);
  const told: Change[] = [];
  const errors: string[] = [];
  const joined = joinChanges((change) => told.push(change), (error) => errors.push(error.message), clock);
  const server = new McpServer({ name: 's', version: '1' });
  const { changes } = internalsOf(server) ?? assert.fail();
  assert.ok(changes);
  const announced: string[] = [];
  changes.announce = (list) => void announced.push(list);
  joined.share(server);
  const { divert } = changes;
  joined.share(server);
  assert.equal(changes.divert, divert);
  assert.equal(joined.changed, 0);
  changes.listChanged('tools');
  changes.listChanged('tools');
  changes.divert?.({ uri: 'note:a' });
  assert.deepEqual([told, announced, joined.changed, clock.waiting], [[{ list: 'tools' }, { list: 'tools' }, { uri: 'note:a' }], [], 70, 1]);
  joined.hear({ list: 'prompts' });
  clock.tick(169);
  assert.deepEqual(announced, []);
  clock.tick(170);
  assert.deepEqual(announced.splice(0), ['tools', 'prompts']);
  clock.tick(400);
  assert.deepEqual([announced, clock.waiting], [[], 0]);
  joined.hear({ list: 'tools' });
  assert.equal(joined.changed, 400);
  joined.everything();
  clock.tick(500);
  assert.deepEqual(announced.splice(0), ['tools', 'prompts', 'resources']);
  // At the end what waits is announced, and the server announces for itself again.
  joined.hear({ list: 'resources' });
  joined.end();
  assert.deepEqual([announced.splice(0), clock.waiting, changes.divert], [['resources'], 0, undefined]);
  joined.hear({ uri: 'note:a' });
  joined.end();
  changes.listChanged('prompts');
  assert.deepEqual([announced, told.length, errors], [['prompts'], 3, []]);
  const foreign: ServerPort = fakeServer();
  joined.share(foreign);
  assert.deepEqual(errors, ['the server was made by another copy of barewire: its list and resource changes do not reach other processes']);
});

const sessionOf = (t: TestContext, options: Parameters<typeof spiedMember>[1] = {}) => spiedMember(t, { engine: 'bus', ...options });

test('a sealed id that was made of something else than a session opens nothing', async (t) => {
  const it = await sessionOf(t);
  const sealer = requestStateSealer({ keys: [key] }, undefined, it.clock);
  const like = { s: 'name', v: version, n: 'c', w: '1', t: 'title', c: {} };
  const status = async (content: object): Promise<number | undefined> => (await it.ask('POST', { 'mcp-session-id': await sealer.seal(content, 'session ') }, ping)).status;
  assert.equal(await status(like), 200);
  const { t: _, ...untitled } = like;
  assert.equal(await status({ ...untitled, s: 'other' }), 200);
  for (const wrong of [{ s: 5 }, { v: 5 }, { n: 5 }, { w: 5 }, { c: 5 }, { c: null }, { s: undefined }, { v: undefined }, { n: undefined }, { c: undefined }]) {
    assert.equal(await status({ ...like, ...wrong }), 404, JSON.stringify(wrong));
  }
  assert.deepEqual(it.errors, []);
});

test('a sealed session ends exactly at its time: after 24 hours by default', async (t) => {
  for (const [options, ms] of [[{}, 86_400_000], [{ sessionMaxMs: 5000 }, 5000]] as const) {
    const it = await sessionOf(t, options);
    const headers = await it.open();
    it.clock.pass(ms - 1);
    assert.equal((await it.ask('POST', headers, ping)).status, 200);
    it.clock.pass(1);
    assert.equal((await it.ask('POST', headers, ping)).status, 404);
  }
});

test('a sealed session serves neither settings nor streams; where the engine has no stores nothing else is told or sent', async (t) => {
  const it = await sessionOf(t);
  const headers = await it.open();
  for (const method of ['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) {
    const { text } = await it.ask('POST', headers, { jsonrpc: '2.0', id: 1, method, params: { uri: 'note:a', level: 'info' } });
    assert.equal((JSON.parse(text) as { error: { code: number } }).error.code, -32601, method);
  }
  for (const method of ['xresources/subscribe', 'resources/subscribed', 'logging/setLevels']) {
    const { text } = await it.ask('POST', headers, { jsonrpc: '2.0', id: 1, method });
    assert.equal((JSON.parse(text) as { error: { code: number } }).error.code, -32601, method);
  }
  assert.equal((await it.ask('GET', headers)).status, 405);
  assert.equal((await it.ask('DELETE', headers)).status, 405);
  for (const told of [{ kind: 'missed' }, { kind: 'lapsed' }, { kind: 'ended', session: 'x', why: 'x' }, { kind: 'left' }] as const) await it.tell(told);
  await it.send({ kind: 'take', session: 'x', stream: 'y-1', by: 'spy', ticket: 'k' });
  assert.deepEqual([it.told(), it.sent(), it.errors], [[], [], []]);
});

test('the result of a handshake declares what a sealed session can do', async (t) => {
  const it = await sessionOf(t);
  const { text } = await it.ask('POST', {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } } });
  const { result } = JSON.parse(text) as { result: { capabilities: object; protocolVersion: string; serverInfo: object } };
  assert.deepEqual([result.capabilities, result.protocolVersion, result.serverInfo], [{ tools: {}, resources: {} }, version, { name: 'spied', version: '1' }]);
});
