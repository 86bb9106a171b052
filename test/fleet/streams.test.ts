import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { StreamPart } from '../../src/fleet/index.ts';
import { writeRecord } from '../../src/fleet/session-records.ts';
import type { ListenerRecord } from '../../src/fleet/session-records.ts';
import type { ScriptedRequest } from '../transport/http/scripted-request.ts';
import { eventsOf, settled, spiedMember, wordsOf } from './spied-member.ts';
import type { SpiedMember } from './spied-member.ts';

// The streams of a session, by the messages between the processes that write and carry them.

const progress = (n: number): string => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: n, progressToken: 7 } });
const result = JSON.stringify({ jsonrpc: '2.0', id: 7, result: {} });
const question = JSON.stringify({ jsonrpc: '2.0', id: 'spy-9', method: 'elicitation/create', params: {} });
const wordOf = (request: ScriptedRequest): string => wordsOf(request).join('; ');

interface Borrowing extends SpiedMember {
  readonly headers: Record<string, string>;
  readonly session: string;
  /** Stores events of the stream `spy-1`, which the spy writes. */
  keep(first: number, texts: readonly string[], more?: Partial<StreamPart>): Promise<void>;
  /** The client comes back to the member for the stream after the event with this number. */
  resume(number: number, stream?: string): Promise<{ request: ScriptedRequest; ticket: string }>;
}

async function borrowing(t: TestContext): Promise<Borrowing> {
  const it = await spiedMember(t);
  const headers = await it.open();
  const session = headers['mcp-session-id'] as string;
  it.sent();
  it.told();
  return {
    ...it, headers, session,
    keep: async (first, texts, more) => it.hub.streams.append({
      session, stream: 'spy-1', head: '{"owner":"spy","request":7}', first, texts, over: false, ttlMs: 1e6, ...more,
    }),
    async resume(number, stream = 'spy-1') {
      const request = await it.ask('GET', { ...headers, 'last-event-id': `${stream}-${number}` });
      const take = it.sent().find(({ kind }) => kind === 'take');
      return { request, ticket: take?.kind === 'take' ? take.ticket : '' };
    },
  };
}

test('a stream of another process: its events come from the store, then as it sends them, each once', async (t) => {
  const it = await borrowing(t);
  const { session, own } = it;
  await it.keep(1, [progress(1), progress(2)]);
  const request = await it.ask('GET', { ...it.headers, 'last-event-id': 'spy-1-1' });
  const [take, ...more] = it.sent();
  assert.ok(take?.kind === 'take');
  const { ticket } = take;
  assert.match(ticket, new RegExp(`^${own.process}-[a-z\\d]+$`));
  assert.deepEqual([take, more], [{ kind: 'take', session, stream: 'spy-1', by: own.process, ticket }, []]);
  assert.deepEqual([request.status, eventsOf(request)], [200, [{ id: 'spy-1-2', data: progress(2) }]]);
  await it.send({ kind: 'handed', session, ticket, kept: 2 });
  const part = (first: number, texts: readonly string[], more: { over?: boolean; unkept?: boolean; ticket?: string } = {}): Promise<void> =>
    it.send({ kind: 'part', session, ticket, first, texts, over: false, unkept: false, ...more });
  await part(3, [progress(3)], { ticket: 'other' });
  await part(3, [progress(3)]);
  // Nothing comes twice, also not in a part with something new.
  await part(2, [progress(2), progress(3)]);
  await part(3, [progress(3), progress(4)]);
  assert.equal(wordOf(request), 'progress 2; progress 3; progress 4');
  // A part was lost: the store has it.
  await it.keep(3, [progress(3), progress(4), progress(5), progress(6), progress(7)]);
  await part(7, [progress(7)]);
  assert.equal(wordOf(request), 'progress 2; progress 3; progress 4; progress 5; progress 6; progress 7');
  assert.deepEqual(eventsOf(request).map(({ id }) => id), [2, 3, 4, 5, 6, 7].map((n) => `spy-1-${n}`));
  // The store does not have this one, and the client gets no id of it.
  await part(8, [progress(8)], { unkept: true });
  assert.equal(eventsOf(request).at(-1)?.id, undefined);
  assert.deepEqual([it.sent(), request.stream], [[], 'open']);
  await part(9, [result], { over: true });
  assert.deepEqual([wordsOf(request).at(-1), request.stream], ['result of 7', 'ended']);
  assert.deepEqual(it.sent(), [{ kind: 'dropped', session, stream: 'spy-1', ticket }]);
  await part(10, [progress(10)]);
  assert.equal(wordsOf(request).at(-1), 'result of 7');
  assert.deepEqual(it.errors, []);
});

test('a stream of another process that has stored more meanwhile is read again, and one that has not is not', async (t) => {
  const it = await borrowing(t);
  await it.keep(1, [progress(1)]);
  const { request, ticket } = await it.resume(0);
  await it.keep(2, [progress(2)]);
  await it.send({ kind: 'handed', session: it.session, ticket, kept: 1 });
  assert.equal(wordOf(request), 'progress 1');
  await it.send({ kind: 'handed', session: it.session, ticket, kept: 2 });
  assert.equal(wordOf(request), 'progress 1; progress 2');
  await it.send({ kind: 'handed', session: it.session, ticket: 'other', kept: 9 });
  // The store is away: the connection ends, so that the client comes back.
  it.broken.set('after', new Error('away'));
  await it.send({ kind: 'handed', session: it.session, ticket, kept: 3 });
  assert.deepEqual([request.stream, it.errors], ['ended', ['away']]);
});

test('a stream that is over in the store ends without its process', async (t) => {
  const it = await borrowing(t);
  await it.keep(1, [progress(1), result], { over: true });
  const { request, ticket } = await it.resume(1);
  assert.deepEqual([wordOf(request), request.stream, ticket], ['result of 7', 'ended', '']);
});

test('of a stream that the store does not know, the process says how far it is', async (t) => {
  const it = await borrowing(t);
  const { request, ticket } = await it.resume(0);
  assert.equal(request.status, undefined);
  await it.send({ kind: 'part', session: it.session, ticket, first: 1, texts: [progress(1)], over: false, unkept: false });
  await it.send({ kind: 'handed', session: it.session, ticket, kept: 0 });
  assert.deepEqual([request.status, request.stream, wordOf(request)], [200, 'open', '']);
  await it.send({ kind: 'part', session: it.session, ticket, first: 1, texts: [progress(1)], over: false, unkept: false });
  assert.equal(wordOf(request), 'progress 1');
  const forgotten = await it.resume(0, 'spy-2');
  await it.send({ kind: 'handed', session: it.session, ticket: forgotten.ticket, kept: 3 });
  assert.deepEqual([forgotten.request.status, forgotten.request.text.includes('The stream cannot be resumed after event \\"spy-2-0\\"')], [400, true], forgotten.request.text);
  assert.deepEqual(it.sent(), [{ kind: 'dropped', session: it.session, stream: 'spy-2', ticket: forgotten.ticket }]);
});

test('the process does not write the stream any more: its questions are withdrawn, its request gets an error, and the store says so', async (t) => {
  const it = await borrowing(t);
  await it.keep(1, [progress(1), question]);
  const { request, ticket } = await it.resume(1);
  await it.send({ kind: 'handed', session: it.session, ticket, kept: undefined });
  assert.deepEqual(wordsOf(request), ['elicitation/create', 'notifications/cancelled', 'error The process that served this request has gone of 7']);
  assert.equal(request.stream, 'ended');
  const kept = await it.hub.streams.after(it.session, 'spy-1', 0);
  assert.deepEqual([kept?.texts.length, kept?.over, kept?.head], [4, true, '{"owner":"spy","request":7}']);
  assert.deepEqual(JSON.parse(kept?.texts[2] ?? ''), {
    jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'spy-9', reason: 'The process that served this request has gone' },
  });
  assert.equal(it.errors.length, 0);
});

test('a stream whose oldest events are forgotten ends too; one that has its answer ends as it is', async (t) => {
  const it = await borrowing(t);
  await it.keep(1, ['x'.repeat(1_100_000)]);
  await it.keep(2, [progress(2)]);
  const { request, ticket } = await it.resume(1);
  await it.send({ kind: 'handed', session: it.session, ticket, kept: undefined });
  assert.equal(wordOf(request), 'progress 2; error The process that served this request has gone of 7');
  await it.keep(1, [progress(1), result], { stream: 'spy-2' });
  const other = await it.resume(1, 'spy-2');
  await it.send({ kind: 'handed', session: it.session, ticket: other.ticket, kept: undefined });
  assert.deepEqual([wordOf(other.request), other.request.stream], ['result of 7', 'ended']);
  assert.equal((await it.hub.streams.after(it.session, 'spy-2', 0))?.over, true);
});

test('a stream is given back: its connection ends, and the other process is told once', async (t) => {
  const it = await borrowing(t);
  await it.keep(1, [progress(1)]);
  const dropped = (ticket: string): object => ({ kind: 'dropped', session: it.session, stream: 'spy-1', ticket });
  const begin = async () => {
    const found = await it.resume(0);
    assert.equal(found.request.stream, 'open');
    return found;
  };
  const returned = await begin();
  await it.send({ kind: 'returned', session: it.session, ticket: 'other' });
  assert.equal(returned.request.stream, 'open');
  await it.send({ kind: 'returned', session: it.session, ticket: returned.ticket });
  assert.deepEqual([returned.request.stream, it.sent()], ['ended', [dropped(returned.ticket)]]);
  const left = await begin();
  left.request.leave();
  await settled();
  assert.deepEqual(it.sent(), [dropped(left.ticket)]);
  const lapsed = await begin();
  await it.tell({ kind: 'lapsed' }, 'other');
  assert.equal(lapsed.request.stream, 'open');
  await it.tell({ kind: 'lapsed' });
  assert.deepEqual([lapsed.request.stream, it.sent()], ['ended', [dropped(lapsed.ticket)]]);
  // One that the store does not know has no connection yet: the request breaks off.
  const unknown = await it.resume(0, 'spy-2');
  await it.tell({ kind: 'lapsed' });
  assert.equal(unknown.request.stream, 'destroyed');
  const ended = await begin();
  await it.tell({ kind: 'ended', session: 'another', why: 'x' });
  assert.equal(ended.request.stream, 'open');
  await it.tell({ kind: 'ended', session: it.session, why: 'x' });
  assert.equal(ended.request.stream, 'ended');
});

test('a process that leaves, or that cannot be reached, has its streams ended; an engine that is away breaks them off', async (t) => {
  const it = await borrowing(t);
  await it.keep(1, [progress(1)]);
  const one = await it.resume(0);
  await it.tell({ kind: 'left' }, 'other');
  assert.equal(one.request.stream, 'open');
  await it.tell({ kind: 'left' });
  assert.deepEqual([wordOf(one.request), one.request.stream], ['progress 1; error The process that served this request has gone of 7', 'ended']);
  // The process has left: nothing is told to it.
  assert.deepEqual(it.sent(), []);
  const unknown = await it.ask('GET', { ...it.headers, 'last-event-id': 'ghost-1-0' });
  assert.equal(unknown.status, 400);
  await it.keep(1, [progress(1)], { stream: 'ghost-2' });
  const known = await it.ask('GET', { ...it.headers, 'last-event-id': 'ghost-2-0' });
  assert.deepEqual([wordOf(known), known.stream], ['progress 1; error The process that served this request has gone of 7', 'ended']);
  assert.deepEqual(it.errors, []);
  await it.keep(1, [progress(1)], { stream: 'spy-3' });
  it.broken.set('send', new Error('away'));
  const [some, none] = [await it.resume(0, 'spy-3'), await it.resume(0, 'spy-4')];
  assert.deepEqual([some.request.stream, none.request.stream], ['ended', 'destroyed']);
  it.broken.clear();
  it.broken.set('after', new Error('away'));
  const unread = await it.resume(0, 'spy-3');
  assert.deepEqual([unread.request.stream, it.errors], ['destroyed', ['away', 'away', 'away']]);
});

test('an orphaned stream of a session that has ended is not resumed', async (t) => {
  const it = await borrowing(t);
  const { request, ticket } = await it.resume(0, 'spy-5');
  await it.keep(1, [progress(1)]);
  const open = await it.resume(0);
  // Another process has deleted the record, and its message is late.
  await it.hub.sessions.delete(it.session);
  for (const one of [ticket, open.ticket]) await it.send({ kind: 'handed', session: it.session, ticket: one, kept: undefined });
  assert.deepEqual([request.status, open.request.stream], [404, 'ended']);
});

interface Listening extends SpiedMember {
  readonly headers: Record<string, string>;
  readonly session: string;
  get(last?: string): Promise<ScriptedRequest>;
  /** Sets the GET stream in the record. */
  listener(listener: ListenerRecord): Promise<void>;
}

async function listening(t: TestContext): Promise<Listening> {
  const it = await spiedMember(t);
  const headers = await it.open();
  await it.ask('POST', headers, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' } });
  const session = headers['mcp-session-id'] as string;
  it.told();
  return {
    ...it, headers, session,
    get: (last) => it.ask('GET', { ...headers, ...last !== undefined && { 'last-event-id': last } }),
    async listener(listener) {
      const { text, version } = await it.hub.sessions.load(session) ?? assert.fail();
      const record = JSON.parse(text) as object;
      assert.ok(await it.hub.sessions.replace(session, version, JSON.stringify({ ...record, listener })));
      await it.tell({ kind: 'record', session, version: version + 1, text: JSON.stringify({ ...record, listener }) });
    },
  };
}

/** The id that a GET stream has begun with: of its first event, which has no data. */
const primeOf = ({ text }: ScriptedRequest): string => /^id: (\S+)$/m.exec(text)?.[1] ?? assert.fail(text);
const streamOf = (request: ScriptedRequest): string => primeOf(request).replace(/-\d+$/, '');
const updated = 'notifications/resources/updated note:a';
const everything = ['notifications/tools/list_changed', 'notifications/resources/list_changed', updated];

test('a GET stream: it begins with an id and what may have changed, and carries what other processes announce', async (t) => {
  const it = await listening(t);
  it.clock.pass(10_000);
  const first = await it.get();
  assert.match(primeOf(first), new RegExp(`^${it.own.process}-0[a-z\\d]+-0$`));
  assert.deepEqual(wordsOf(first), [updated]);
  assert.deepEqual((await it.record(it.headers)).listener, { process: it.own.process, stream: streamOf(first) });
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
  await it.send({ kind: 'announced', session: it.session, text: note });
  await it.send({ kind: 'announced', session: 'another', text: note });
  assert.deepEqual(wordsOf(first), [updated, 'notifications/message']);
  assert.equal(eventsOf(first).at(-1)?.id, `${streamOf(first)}-2`);
  await it.tell({ kind: 'changed', change: { uri: 'note:a' } });
  await it.tell({ kind: 'changed', change: { uri: 'note:b' } });
  await it.tell({ kind: 'changed', change: { list: 'tools' } });
  assert.deepEqual(wordsOf(first).slice(2), [updated]);
  it.clock.pass(100);
  await settled();
  assert.deepEqual(wordsOf(first).slice(2), [updated, 'notifications/tools/list_changed']);
  await it.send({ kind: 'superseded', session: 'another', stream: streamOf(first) });
  assert.equal(first.stream, 'open');
  await it.send({ kind: 'superseded', session: it.session, stream: streamOf(first) });
  assert.equal(first.stream, 'ended');
  assert.deepEqual(it.sent(), []);
});

test('a client that may have missed a change of a list is told of all: since the process began, and five seconds after a change', async (t) => {
  for (const [before, after, told] of [[0, 0, false], [10_000, 0, false], [10_000, 4_999, true], [10_000, 5_000, false]] as const) {
    const it = await spiedMember(t);
    it.clock.pass(before);
    if (after > 0) {
      await it.tell({ kind: 'changed', change: { list: 'tools' } });
      it.clock.pass(after);
    }
    const headers = await it.open();
    const request = await it.ask('GET', headers);
    assert.deepEqual(wordsOf(request), told ? everything.slice(0, 2) : [], `${before} ${after}`);
  }
  // A session that was opened before this process began.
  const it = await listening(t);
  const record = await it.record(it.headers);
  it.clock.pass(10_000);
  const { text } = await it.hub.sessions.load(it.session) ?? assert.fail();
  assert.equal(text, writeRecord(record));
  await it.hub.sessions.replace(it.session, 2, writeRecord({ ...record, opened: 5 }));
  await it.tell({ kind: 'missed' });
  assert.deepEqual(wordsOf(await it.get()), everything);
});

test('each GET replaces the stream before it, wherever that is; the record keeps the last four', async (t) => {
  const it = await listening(t);
  const first = await it.get();
  const streams = [streamOf(first)];
  let before = first;
  for (let n = 0; n < 6; n++) {
    const next = await it.get();
    assert.deepEqual([before.stream, next.stream], ['ended', 'open']);
    // The client may have missed something between the two.
    assert.deepEqual(wordsOf(next), everything);
    streams.unshift(streamOf(next));
    before = next;
  }
  assert.deepEqual((await it.record(it.headers)).listener, { process: it.own.process, stream: streams[0], replaced: streams.slice(1, 5) });
  assert.deepEqual(it.sent(), []);
  await it.listener({ process: 'spy', stream: 'spy-01' });
  assert.equal(before.stream, 'ended');
  const last = await it.get();
  assert.deepEqual(it.sent(), [{ kind: 'superseded', session: it.session, stream: 'spy-01' }]);
  assert.deepEqual((await it.record(it.headers)).listener, { process: it.own.process, stream: streamOf(last), replaced: ['spy-01'] });
});

test('a client that comes back for the GET stream before the last: it ends while the last one has a connection, and then goes on', async (t) => {
  const it = await listening(t);
  const first = await it.get();
  const second = await it.get();
  // It is written here: nothing is sent for it.
  it.broken.set('send', new Error('away'));
  const ended = await it.get(primeOf(first));
  // It gets what the first stream had, and then the connection ends.
  assert.deepEqual([wordsOf(ended), ended.stream, second.stream], [[updated], 'ended', 'open']);
  second.leave();
  await settled();
  const third = await it.get(primeOf(first));
  assert.deepEqual(it.errors, []);
  it.broken.clear();
  assert.deepEqual([wordsOf(third).slice(-3), third.stream], [everything, 'open']);
  const { listener } = await it.record(it.headers);
  assert.equal(listener?.process, it.own.process);
  assert.ok(![streamOf(first), streamOf(second)].includes(listener?.stream ?? ''));
  assert.deepEqual(listener?.replaced, [streamOf(first)]);
  it.server.resourceUpdated('note:a');
  await settled();
  assert.equal(wordsOf(third).length, wordsOf(third).lastIndexOf(updated) + 1);
});

test('a client that comes back for a stream that it has itself replaced asks the process of the new one whether that has a connection', async (t) => {
  const it = await listening(t);
  await it.hub.streams.append({ session: it.session, stream: 'spy-01', head: '{"owner":"spy"}', first: 1, texts: [progress(1)], over: true, ttlMs: 1e6 });
  await it.listener({ process: 'spy', stream: 'spy-02', replaced: ['spy-01'] });
  const request = await it.get('spy-01-0');
  const [take] = it.sent();
  assert.ok(take?.kind === 'take');
  const { ticket } = take;
  assert.deepEqual(take, { kind: 'take', session: it.session, stream: 'spy-02', by: it.own.process, ticket, idle: true });
  assert.deepEqual([wordsOf(request), request.stream], [['progress 1'], 'open']);
  await it.send({ kind: 'returned', session: it.session, ticket });
  assert.equal(request.stream, 'ended');
  it.sent();
  const again = await it.get('spy-01-1');
  const [other] = it.sent();
  assert.ok(other?.kind === 'take');
  await it.send({ kind: 'handed', session: it.session, ticket: other.ticket, kept: undefined });
  assert.deepEqual([wordsOf(again), again.stream], [everything, 'open']);
  const { listener } = await it.record(it.headers);
  assert.deepEqual([listener?.process, listener?.replaced], [it.own.process, ['spy-01']]);
  assert.deepEqual(it.sent(), [{ kind: 'superseded', session: it.session, stream: 'spy-02' }]);
  // Another stream of the client has replaced `spy-02` meanwhile: this one ends.
  await it.listener({ process: 'spy', stream: 'spy-02', replaced: ['spy-01'] });
  const late = await it.get('spy-01-1');
  const [third] = it.sent();
  assert.ok(third?.kind === 'take');
  await it.listener({ process: 'spy', stream: 'spy-03', replaced: ['spy-02', 'spy-01'] });
  await it.send({ kind: 'handed', session: it.session, ticket: third.ticket, kept: undefined });
  assert.equal(late.stream, 'ended');
  assert.equal((await it.record(it.headers)).listener?.stream, 'spy-03');
});

test('a client that does not know the stream in the record gets a new one, and all may have changed', async (t) => {
  const it = await listening(t);
  await it.hub.streams.append({ session: it.session, stream: 'spy-01', head: '{"owner":"spy"}', first: 1, texts: [progress(1)], over: true, ttlMs: 1e6 });
  await it.listener({ process: 'spy', stream: 'spy-02', replaced: ['spy-00'] });
  const request = await it.get('spy-01-0');
  assert.deepEqual([wordsOf(request), request.stream], [['progress 1', ...everything], 'open']);
  const ids = eventsOf(request).map(({ id }) => id);
  const { listener } = await it.record(it.headers);
  assert.deepEqual(ids, ['spy-01-1', ...[1, 2, 3].map((n) => `${listener?.stream}-${n}`)]);
  assert.ok(request.text.includes(`id: ${listener?.stream}-0\n`), 'the client learns the name of the new stream first');
  assert.deepEqual(listener?.replaced, ['spy-00']);
});

test('the GET stream of a process that leaves goes on here', async (t) => {
  const it = await listening(t);
  await it.listener({ process: 'spy', stream: 'spy-01' });
  const request = await it.get('spy-01-0');
  const [take] = it.sent();
  assert.ok(take?.kind === 'take' && take.idle === undefined);
  await it.send({ kind: 'handed', session: it.session, ticket: take.ticket, kept: 0 });
  await it.send({ kind: 'part', session: it.session, ticket: take.ticket, first: 1, texts: [progress(1)], over: false, unkept: false });
  assert.deepEqual(wordsOf(request), ['progress 1']);
  await it.tell({ kind: 'left' });
  assert.deepEqual([wordsOf(request), request.stream], [['progress 1', ...everything], 'open']);
  await it.tell({ kind: 'changed', change: { uri: 'note:a' } });
  assert.equal(wordsOf(request).length, 5);
  assert.equal((await it.record(it.headers)).listener?.process, it.own.process);
});

test('a GET stream whose record cannot be changed, or whose session ends meanwhile, is not opened', async (t) => {
  const it = await listening(t);
  it.broken.set('replace', new Error('away'));
  const request = await it.get();
  assert.deepEqual([request.stream, it.errors.splice(0)], ['destroyed', ['away']]);
  it.broken.clear();
  const next = await it.get();
  assert.equal(next.stream, 'open');
  await it.hub.sessions.delete(it.session);
  const last = await it.get();
  assert.equal(last.status, 404);
});

test('a GET takes an event stream, and an event id of a fleet', async (t) => {
  const it = await listening(t);
  const refused = await it.ask('GET', { ...it.headers, accept: 'application/json' });
  assert.deepEqual([refused.status, refused.text.includes('Not acceptable: Accept must list text/event-stream')], [406, true]);
  for (const id of ['', 'x', 'spy-1']) {
    const found = await it.get(id);
    assert.deepEqual([found.status, found.text.includes(`The stream cannot be resumed after event ${JSON.stringify(JSON.stringify(id)).slice(1, -1)}`)], [400, true], found.text);
  }
});
