import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryEventStore } from '../../../src/transport/http/node/index.ts';
import { note, rpc, start } from './harness.ts';
import type { SseEvent } from '../../../src/transport/http/sse-parser.ts';

const datas = (events: readonly SseEvent[]): string[] => events.map(({ data }) => data).filter((data) => data !== '');
const step = (n: number): string => `{"jsonrpc":"2.0","method":"notifications/step","params":{"step":${n}}}`;

test('a stream cut after any event goes on there: nothing lost, nothing twice', async (t) => {
  const { live, open } = await start(t);
  const steps = 6;
  const expected = [
    ...Array.from({ length: steps }, (_, i) => step(i + 1)), `{"jsonrpc":"2.0","id":1,"result":{"steps":${steps}}}`,
  ];
  for (const version of ['2025-11-25', '2025-03-26']) {
    const headers = await open(version);
    const primes = version === '2025-11-25' ? 1 : 0;
    for (let cut = 1; cut <= steps + 1 + primes; cut++) {
      const first = await live({ headers, body: rpc('steps', { steps }) });
      const seen: SseEvent[] = [];
      while (seen.length < cut) seen.push(await first.next() ?? assert.fail('the stream ended early'));
      first.cut();
      const again = await live({ method: 'GET', headers: { ...headers, 'last-event-id': seen.at(-1)?.id ?? '' } });
      assert.equal(again.status, 200);
      const rest = await again.all();
      assert.deepEqual([...datas(seen), ...datas(rest)], expected, `${version}, cut after ${cut}`);
      // Each event id names its stream, also when events are sent again, and no id comes twice.
      const ids = [...seen, ...rest].map(({ id }) => id.split('-'));
      assert.deepEqual(new Set(ids.map(([stream]) => stream)), new Set([ids[0]?.[0]]));
      assert.equal(new Set(ids.map(([, seq]) => seq)).size, ids.length);
    }
  }
});

test('a stream whose request is still open is carried on with what comes later', async (t) => {
  const { live, open, server } = await start(t);
  const headers = await open();
  const first = await live({ headers: { ...headers, accept: 'text/event-stream' }, body: rpc('poll', { key: 'k' }) });
  const [primer, ...none] = await first.all();
  assert.deepEqual([primer?.data, primer?.retry, none], ['', 1000, []]);
  const again = live({ method: 'GET', headers: { ...headers, 'last-event-id': primer?.id ?? '' } });
  const { inbound, finish } = server.waiting.get('k') ?? assert.fail();
  const resumed = await again;
  inbound.send(step(1));
  assert.equal((await resumed.next())?.data, step(1));
  // A dropped connection does not cancel the request: its messages are stored.
  const last = (await (async () => {
    inbound.send(step(2));
    return resumed.next();
  })())?.id ?? '';
  resumed.cut();
  inbound.send(step(3));
  finish({ all: true });
  const rest = await live({ method: 'GET', headers: { ...headers, 'last-event-id': last } });
  assert.deepEqual(datas(await rest.all()), [step(3), '{"jsonrpc":"2.0","id":1,"result":{"all":true}}']);
  assert.equal(inbound.signal.aborted, false);
});

test('closing the stream does nothing where the revision has no polling', async (t) => {
  const { ask, open, server } = await start(t);
  const headers = await open('2025-06-18');
  const pending = ask({ headers, body: rpc('poll', { key: 'k' }) });
  await server.arrived('k');
  server.waiting.get('k')?.finish();
  assert.equal((await pending).headers['content-type'], 'application/json');
});

test('the GET stream carries what belongs to no request, and is resumed with that alone', async (t) => {
  const { live, ask, open, server } = await start(t);
  const headers = await open();
  const [peer] = server.peers;
  peer?.notify('notifications/early');
  const listening = await live({ method: 'GET', headers });
  assert.deepEqual([listening.status, listening.headers['content-type']], [200, 'text/event-stream']);
  const primer = await listening.next();
  // 2025-11-25 basic/transports: an event with the reconnection time comes before the server may close the stream.
  assert.deepEqual([primer?.data, primer?.retry], ['', 1000]);
  // A notification from before the stream was opened has waited for it.
  assert.match((await listening.next())?.data ?? '', /early/);
  peer?.notify('notifications/one');
  const one = await listening.next();
  assert.match(one?.data ?? '', /notifications\/one/);
  listening.cut();
  // Messages of another stream are never replayed here.
  await (await live({ headers, body: rpc('steps', { steps: 3 }) })).all();
  peer?.notify('notifications/two');
  const resumed = await live({ method: 'GET', headers: { ...headers, 'last-event-id': one?.id ?? '' } });
  peer?.notify('notifications/three');
  const found = [await resumed.next(), await resumed.next()].map(
    (event) => (JSON.parse(event?.data ?? '') as { method: string }).method,
  );
  assert.deepEqual(found, ['notifications/two', 'notifications/three']);
  // A newer stream replaces the older one, which ends.
  const newer = await live({ method: 'GET', headers });
  await resumed.closed;
  peer?.notify('notifications/four');
  await newer.next();
  assert.match((await newer.next())?.data ?? '', /four/);
  assert.equal((await ask({ method: 'DELETE', headers })).status, 204);
  await newer.closed;
});

test('a question goes on the stream of its request, and its answer is POSTed', async (t) => {
  const { live, ask, open } = await start(t);
  const headers = await open('2025-06-18');
  // 2025-03-26 basic/transports#sending-messages-to-the-server: answers may come as a batch.
  for (const [session, inBatch] of [[headers, false], [await open('2025-03-26'), true]] as const) {
    const asking = await live({ headers: session, body: rpc('ask') });
    const question = JSON.parse((await asking.next())?.data ?? '') as { id: number; method: string };
    assert.equal(question.method, 'roots/list');
    const answer = { jsonrpc: '2.0', id: question.id, result: { roots: [] } };
    const { status, text } = await ask({ headers: session, body: inBatch ? [answer] : answer });
    assert.deepEqual([status, text], [202, '']);
    assert.deepEqual(datas(await asking.all()), ['{"jsonrpc":"2.0","id":1,"result":{"answer":{"roots":[]}}}']);
  }
  // A client without any stream cannot be asked: the handler gets an error instead of waiting.
  const { text } = await ask({ headers: { ...headers, accept: 'application/json' }, body: rpc('ask') });
  assert.match(text, /no open stream/);
});

test('what cannot be resumed is refused by name', async (t) => {
  const { live, ask, open } = await start(t, { limits: { maxReplayPerStream: 1100, maxReplay: 3000 } });
  const headers = await open();
  const other = await open();
  const resume = (id: string, session = headers) =>
    ask({ method: 'GET', headers: { ...session, 'last-event-id': id } });
  const events = await (await live({ headers, body: rpc('steps', { steps: 10 }) })).all();
  assert.equal(events.length, 12);
  // The oldest events of a stream were dropped, the newest were kept.
  assert.equal((await resume('0-1')).status, 400);
  assert.equal((await resume('0-10')).status, 200);
  for (const id of ['0-12', '0-99999999999999999999', '7-0', 'x', '-', '-1', '0-', '0--1', '__proto__-0', '']) {
    const { status, text } = await resume(id);
    assert.equal(status, 400, id);
    assert.match(text, /cannot be resumed/);
  }
  assert.equal((await resume('0-10', other)).status, 400);
});

test('without a store there are no ids, and a GET with one begins afresh', async (t) => {
  const { live, open, server } = await start(t, { eventStore: false });
  const headers = await open();
  const events = await (await live({ headers, body: rpc('steps', { steps: 1 }) })).all();
  assert.deepEqual(events.map(({ id, data }) => [id, data.length > 0]), [['', true], ['', true]]);
  const listening = await live({ method: 'GET', headers: { ...headers, 'last-event-id': '0-1' } });
  server.peers.values().next().value?.notify('notifications/one');
  assert.match((await listening.next())?.data ?? '', /one/);
});

test('a store may answer late', async (t) => {
  const memory = memoryEventStore(1e6, 1e6);
  let release: (() => void) | undefined;
  let asked: (() => void) | undefined;
  const eventStore = {
    ...memory,
    async after(session: string, stream: string, seq: number) {
      const found = await memory.after(session, stream, seq);
      await new Promise<void>((resolve) => {
        release = resolve;
        asked?.();
      });
      return found;
    },
  };
  const { live, open, server } = await start(t, { eventStore });
  const headers = await open();
  const listening = await live({ method: 'GET', headers });
  const primer = await listening.next();
  const peer = server.peers.values().next().value ?? assert.fail();
  peer.notify('one');
  await listening.next();
  listening.cut();
  const resumed = live({ method: 'GET', headers: { ...headers, 'last-event-id': primer?.id ?? '' } });
  await new Promise<void>((resolve) => {
    asked = resolve;
  });
  // Send a notification after the store was asked and before it answers.
  peer.notify('two');
  const again = new Promise<void>((resolve) => {
    asked = resolve;
  });
  release?.();
  await again;
  release?.();
  const stream = await resumed;
  assert.match((await stream.next())?.data ?? '', /one/);
  assert.match((await stream.next())?.data ?? '', /two/);
});

test('the memory store keeps to its bounds', async () => {
  const store = memoryEventStore(656, 1500);
  for (let seq = 1; seq <= 4; seq++) store.append('a', 's', seq, '1234');
  assert.deepEqual(await store.after('a', 's', 2), ['1234', '1234']);
  assert.equal(await store.after('a', 's', 1), undefined);
  assert.deepEqual(await store.after('a', 's', 4), []);
  assert.equal(await store.after('a', 's', 5), undefined);
  // A single message may exceed the limit of a stream.
  store.append('b', 's', 1, 'x'.repeat(100));
  assert.equal((await store.after('b', 's', 0))?.length, 1);
  store.append('b', 't', 1, 'x'.repeat(4));
  assert.equal(await store.after('a', 's', 4), undefined, 'the quietest stream went');
  assert.deepEqual(await store.after('b', 't', 0), ['xxxx']);
  store.drop('b');
  assert.equal(await store.after('b', 't', 0), undefined);
});

test('the memory store joins what a stream wrote in a row, and counts it message by message', async () => {
  const store = memoryEventStore(512 + 5 * 72, 1e6);
  for (let seq = 1; seq <= 3; seq++) store.append('a', 's', seq, `"${seq}0"`);
  // A message of another stream interrupts the row.
  store.append('a', 't', 1, '"t"');
  assert.deepEqual(await store.after('a', 's', 1), ['"20"', '"30"']);
  store.append('a', 's', 4, '"40"');
  store.append('a', 's', 5, '"50"');
  assert.deepEqual(await store.after('a', 's', 0), ['"10"', '"20"', '"30"', '"40"', '"50"']);
  store.append('a', 's', 6, '"60"');
  assert.equal(await store.after('a', 's', 0), undefined, 'the first message went');
  assert.deepEqual(await store.after('a', 's', 1), ['"20"', '"30"', '"40"', '"50"', '"60"']);
  for (let seq = 7; seq <= 9; seq++) store.append('a', 's', seq, `"${seq}0"`);
  assert.deepEqual(await store.after('a', 's', 4), ['"50"', '"60"', '"70"', '"80"', '"90"']);
  assert.equal(await store.after('a', 's', 3), undefined);
});

test('notifications of a session that nobody listened to are not kept', async (t) => {
  const { ask, open, server } = await start(t);
  const headers = await open();
  for (const peer of server.peers) peer.notify('x');
  assert.equal((await ask({ method: 'GET', headers: { ...headers, 'last-event-id': '0-0' } })).status, 400);
  assert.equal((await ask({ headers, body: note('y') })).status, 202);
});
