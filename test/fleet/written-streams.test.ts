import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { StreamPart } from '../../src/fleet/index.ts';
import type { FleetMessage } from '../../src/fleet/messages.ts';
import { SharedStream } from '../../src/fleet/shared-stream.ts';
import type { SharedStreamOptions } from '../../src/fleet/shared-stream.ts';
import type { ScriptedRequest } from '../transport/http/scripted-request.ts';
import { eventsOf, settled, spiedMember, wordsOf } from './spied-member.ts';
import type { SpiedMember } from './spied-member.ts';

// Streams that the member writes, and the spy carries.

interface Writing extends SpiedMember {
  readonly headers: Record<string, string>;
  readonly session: string;
  /** Its call of the tool `steps` has sent one event. */
  readonly request: ScriptedRequest;
  /** The stream of that call. */
  readonly stream: string;
  take(ticket: string, more?: object): Promise<FleetMessage[]>;
}

async function writing(t: TestContext, n: number = 3): Promise<Writing> {
  const it = await spiedMember(t);
  const headers = await it.open();
  const session = headers['mcp-session-id'] as string;
  const request = await it.call(headers, 'steps', { n });
  await it.step();
  const stream = /^id: (\S+)-0$/m.exec(request.text)?.[1] ?? assert.fail(request.text);
  assert.deepEqual(wordsOf(request), ['progress 1']);
  return {
    ...it, headers, session, request, stream,
    async take(ticket, more) {
      await it.send({ kind: 'take', session, stream, by: 'spy', ticket, ...more });
      return it.sent();
    },
  };
}

const parts = (messages: readonly FleetMessage[]): unknown[] => messages.map((message) => message.kind === 'part' ? [message.first, message.texts.length, message.over, message.unkept] : message.kind);

test('a stream is lent to the process that asks for it: its connection here ends, and later events go there', async (t) => {
  const it = await writing(t);
  const { session } = it;
  assert.deepEqual(await it.take('k1'), [{ kind: 'handed', session, ticket: 'k1', kept: 1 }]);
  assert.equal(it.request.stream, 'ended');
  await it.step();
  const [part] = it.sent();
  assert.ok(part?.kind === 'part');
  assert.deepEqual({ ...part, texts: part.texts.length }, { kind: 'part', session, ticket: 'k1', first: 2, texts: 1, over: false, unkept: false });
  // Another connection takes it: the first one ends with a part that says so.
  const again = await it.take('k2');
  assert.deepEqual(again, [
    { kind: 'part', session, ticket: 'k1', first: 3, texts: [], over: true, unkept: true }, { kind: 'handed', session, ticket: 'k2', kept: 2 },
  ]);
  await it.step();
  await it.step();
  const rest = it.sent();
  assert.deepEqual(parts(rest), [[3, 1, false, false], [4, 1, true, false]]);
  assert.ok(rest.every((message) => 'ticket' in message && message.ticket === 'k2'));
  assert.equal((await it.hub.streams.after(session, it.stream, 0))?.texts.length, 4);
  // It is over, and not written here any more.
  assert.deepEqual(await it.take('k3'), [{ kind: 'handed', session, ticket: 'k3', kept: undefined }].map((one) => JSON.parse(JSON.stringify(one)) as FleetMessage));
  assert.deepEqual(it.errors, []);
});

test('a stream is not lent for another session, nor under another name; idle, only to say whether it has a connection', async (t) => {
  const it = await writing(t);
  const { session } = it;
  const unknown = (ticket: string, of: string = session): object => ({ kind: 'handed', session: of, ticket });
  assert.deepEqual(await it.take('k1', { session: 'another' }), [unknown('k1', 'another')]);
  assert.deepEqual(await it.take('k2', { stream: `${it.stream}0` }), [unknown('k2')]);
  assert.deepEqual(await it.take('k3', { idle: true }), [{ kind: 'returned', session, ticket: 'k3' }]);
  assert.equal(it.request.stream, 'open');
  it.request.leave();
  await settled();
  assert.deepEqual(await it.take('k4', { idle: true }), [unknown('k4')]);
  assert.deepEqual(await it.take('k5'), [{ kind: 'handed', session, ticket: 'k5', kept: 1 }]);
  // A connection elsewhere counts too.
  assert.deepEqual(await it.take('k6', { idle: true }), [{ kind: 'returned', session, ticket: 'k6' }]);
});

test('a connection elsewhere that has ended gets nothing more; its stream goes on, and is read from the store', async (t) => {
  const it = await writing(t);
  await it.take('k1');
  await it.send({ kind: 'dropped', session: it.session, stream: it.stream, ticket: 'other' });
  await it.step();
  assert.deepEqual(parts(it.sent()), [[2, 1, false, false]]);
  await it.send({ kind: 'dropped', session: it.session, stream: it.stream, ticket: 'k1' });
  await it.send({ kind: 'dropped', session: it.session, stream: it.stream, ticket: 'k1' });
  await it.step();
  assert.deepEqual(it.sent(), []);
  const back = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-1` });
  assert.deepEqual(wordsOf(back), ['progress 2', 'progress 3']);
  await it.step();
  assert.deepEqual([wordsOf(back), back.stream], [['progress 2', 'progress 3', 'result of 1'], 'ended']);
  assert.deepEqual(eventsOf(back).map(({ id }) => id), [2, 3, 4].map((n) => `${it.stream}-${n}`));
});

test('a client comes back to the process that writes its stream: the connection before it ends, and an event that the store lacks is refused', async (t) => {
  const it = await writing(t);
  const back = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-0` });
  assert.deepEqual([it.request.stream, back.stream, wordsOf(back)], ['ended', 'open', ['progress 1']]);
  const again = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-1` });
  assert.deepEqual([back.stream, again.stream, wordsOf(again)], ['ended', 'open', []]);
  await it.step();
  assert.deepEqual([wordsOf(back), wordsOf(again)], [['progress 1'], ['progress 2']]);
  await it.hub.streams.drop(it.session);
  // The number of its last event is known here.
  const known = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-2` });
  assert.deepEqual([known.stream, again.stream], ['open', 'ended']);
  const unknown = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-1` });
  assert.deepEqual([unknown.status, known.stream], [400, 'open']);
});

test('the process that carries a stream has gone: the stream goes on without a connection', async (t) => {
  const it = await writing(t);
  await it.take('k1');
  await it.tell({ kind: 'left' });
  await it.step();
  assert.deepEqual(it.sent(), []);
  const back = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-1` });
  assert.deepEqual(wordsOf(back), ['progress 2']);
});

test('a part that could not be sent is not repeated: the carrier is told to end its connection, until it hears that', async (t) => {
  const it = await writing(t);
  await it.take('k1');
  it.broken.set('send', new Error('away'));
  await it.step();
  assert.deepEqual(it.sent(), []);
  await it.step();
  it.broken.clear();
  it.clock.pass(250);
  await settled();
  assert.deepEqual(it.sent(), [{ kind: 'returned', session: it.session, ticket: 'k1' }]);
  await it.step();
  assert.deepEqual(it.sent(), []);
  const back = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-1` });
  assert.deepEqual([wordsOf(back), back.stream], [['progress 2', 'progress 3', 'result of 1'], 'ended']);
});

test('an event that the store does not take goes out without an id, and so do all after it; nobody resumes or borrows the stream', async (t) => {
  const it = await writing(t);
  it.broken.set('append', new Error('away'));
  await it.step();
  it.broken.clear();
  await it.step();
  assert.deepEqual(eventsOf(it.request).map(({ id }) => id), [`${it.stream}-1`, undefined, undefined]);
  assert.deepEqual(wordsOf(it.request), ['progress 1', 'progress 2', 'progress 3']);
  assert.deepEqual(it.errors, ['away']);
  assert.deepEqual(await it.take('k1'), [{ kind: 'handed', session: it.session, ticket: 'k1' }]);
  const back = await it.ask('GET', { ...it.headers, 'last-event-id': `${it.stream}-1` });
  assert.deepEqual([back.status, it.request.stream], [400, 'open']);
  await it.step();
  assert.deepEqual([wordsOf(it.request).at(-1), it.request.stream], ['result of 1', 'ended']);
  assert.deepEqual((await it.hub.streams.after(it.session, it.stream, 0))?.texts.length, 1);
});

test('a broken stream is carried to its end by the process that has it', async (t) => {
  const it = await writing(t, 2);
  await it.take('k1');
  it.broken.set('append', new Error('away'));
  await it.step();
  await it.step();
  assert.deepEqual(parts(it.sent()), [[2, 1, false, true], [3, 1, true, true]]);
});

test('a session that ends elsewhere: its call is aborted, its streams end, and nothing more is stored', async (t) => {
  const it = await writing(t);
  const listening = await it.ask('GET', it.headers);
  assert.deepEqual([it.request.stream, listening.stream], ['open', 'open']);
  await it.hub.streams.drop(it.session);
  await it.tell({ kind: 'ended', session: it.session, why: 'no more' });
  assert.deepEqual([it.request.stream, listening.stream], ['ended', 'ended']);
  assert.equal(await it.hub.streams.after(it.session, it.stream, 0), undefined);
});

test('while the store does not answer, events wait, and go out in their order', async (t) => {
  const it = await writing(t);
  const { append } = it.hub.streams;
  const go: (() => void)[] = [];
  it.hub.streams.append = async (part) => {
    await new Promise<void>((resolve) => go.push(resolve));
    return append(part);
  };
  await it.step();
  await it.step();
  assert.deepEqual([wordsOf(it.request), go.length], [['progress 1'], 1]);
  go.shift()?.();
  await settled();
  assert.deepEqual([wordsOf(it.request), go.length], [['progress 1', 'progress 2'], 1]);
  await it.step();
  assert.equal(go.length, 1);
  go.shift()?.();
  await settled();
  go.shift()?.();
  await settled();
  assert.deepEqual([wordsOf(it.request), it.request.stream], [['progress 1', 'progress 2', 'progress 3', 'result of 1'], 'ended']);
  assert.deepEqual(eventsOf(it.request).map(({ id }) => id), [1, 2, 3, 4].map((n) => `${it.stream}-${n}`));
  assert.equal(it.request.text.match(/^id: /gm)?.length, 5, 'one more before the first event');
});

test('a store that rejects later breaks the stream as one that throws', async (t) => {
  const it = await writing(t);
  it.hub.streams.append = () => {
    throw new Error('thrown');
  };
  await it.step();
  await it.step();
  assert.deepEqual([eventsOf(it.request).map(({ id }) => id), it.errors], [[`${it.stream}-1`, undefined, undefined], ['thrown']]);
});

/** A stream by itself, and what it stores. */
function streamOf(request: number | undefined, ended: boolean): { stream: SharedStream; stored: StreamPart[]; ends: string[] } {
  const [stored, ends]: [StreamPart[], string[]] = [[], []];
  const parts = {
    id: 'own-1', request, session: { id: 's', ended }, services: { limits: { sessionIdleMs: 5, maxBufferedBytes: 100 }, report: assert.fail },
    self: { name: 'own', streams: { append: (part: StreamPart) => void stored.push(part) }, awaited: () => {} }, over: () => void ends.push('over'),
  };
  const stream = new SharedStream(parts as unknown as SharedStreamOptions);
  stream.take({ room: true, deliver: (first, texts, over) => void ends.push(`${first} ${texts.length} ${over}`), end: () => void ends.push('carrier') });
  return { stream, stored, ends };
}

test('a stream that ends has an answer to its request if its session has ended, and never two', async () => {
  const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}';
  const answer = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
  const question = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  for (const texts of [[], [progress], [answer(1)], [progress, answer(1)], [progress, progress, answer(1)], [answer(2)], [answer(1), progress], [question], [answer(1), question]]) {
    for (const ended of [false, true]) for (const request of [undefined, 1]) for (const flushed of [false, true]) {
      const { stream, stored, ends } = streamOf(request, ended);
      for (const text of texts) stream.write(text);
      if (flushed) await Promise.resolve();
      stream.finish();
      stream.finish();
      await Promise.resolve();
      const written = stored.flatMap((part) => part.texts);
      const missing = ended && request !== undefined && texts.at(-1) !== answer(1);
      const place = JSON.stringify({ texts, ended, request, flushed });
      assert.deepEqual(written.slice(0, texts.length), texts, place);
      assert.deepEqual(written.slice(texts.length).map((text) => { const { id, error } = JSON.parse(text) as { id: number; error?: object }; return [id, error !== undefined]; }), missing ? [[1, true]] : [], place);
      assert.deepEqual([stored.map(({ over }) => over).at(-1), stored.filter(({ over }) => over).length, ends.at(-1)], [true, 1, 'over'], place);
    }
  }
});

test('a client that is told to come back finds its stream in the store, though it has no event yet', async () => {
  for (const before of [0, 1]) {
    const { stream, stored, ends } = streamOf(1, false);
    if (before) stream.write('{"jsonrpc":"2.0","method":"x"}');
    await Promise.resolve();
    stream.detach();
    assert.deepEqual([stored.map(({ texts, over, first }) => [first, texts.length, over]), ends.at(-1)], [[[1, before, false]], 'carrier']);
    stream.detach();
    assert.equal(stored.length, 1, 'the store knows it already');
    stream.finish();
    assert.deepEqual([stored.length, stored.at(-1)?.over], [2, true]);
  }
});
