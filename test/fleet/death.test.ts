import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { StreamPart } from '../../src/fleet/index.ts';
import { startFleet } from './harness.ts';
import type { BenchOptions, FleetBench } from './harness.ts';
import { mortalEngine } from './mortal-engine.ts';
import { read } from './reading.ts';

const leaseMs = 300;

interface MortalBench extends FleetBench {
  /** Ends a member as SIGKILL would: it sends nothing more, and its connections break. */
  kill(member: number): void;
}

async function start(t: TestContext, options: BenchOptions = {}): Promise<MortalBench> {
  const handle = mortalEngine(leaseMs);
  const handles = [handle(), handle(), handle()] as const;
  const bench = await startFleet(t, {
    version: '2025-11-25', engines: (member) => handles[member % 3 as 0].engine, ...options,
  });
  return {
    ...bench,
    kill(member) {
      handles[member as 0].kill();
      void bench.members[member]?.http.close({ drainMs: 0 });
    },
  };
}

const gone = /The process that served this request has gone/;

test('a request whose process is killed ends with an error in the process that its client came back to before', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  bench.step();
  const first = await bench.call(0, headers, 'steps', { n: 3 });
  const begun = await read(first, 1);
  first.cut();
  const live = await bench.get(1, headers, begun.last);
  bench.step();
  const more = await read(live, 1, begun.last);
  const killed = Date.now();
  bench.kill(0);
  const rest = await read(live, Infinity, more.last);
  assert.ok(Date.now() - killed < leaseMs + 1000, 'within the lease and a second');
  assert.deepEqual([...begun.words, ...more.words], ['progress 1', 'progress 2']);
  assert.equal(rest.words.length, 1);
  assert.match(rest.words[0] ?? '', gone);
  // The end of the stream is stored too.
  for (const member of [1, 2]) assert.deepEqual((await read(await bench.get(member, headers, more.last))).words, rest.words);
});

test('a client that comes back after its process was killed gets what was kept, each once, and then the error', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  bench.step();
  const first = await bench.call(0, headers, 'steps', { n: 5 });
  const { last } = await read(first, 1);
  for (let i = 0; i < 3; i++) bench.step();
  await read(first, 3);
  const killed = Date.now();
  bench.kill(0);
  // The client has seen one event of four. It resumes at once, and again after the lease.
  for (const member of [1, 2]) {
    const { words } = await read(await bench.get(member, headers, last));
    assert.deepEqual(words.slice(0, 3), ['progress 2', 'progress 3', 'progress 4']);
    assert.equal(words.length, 4);
    assert.match(words[3] ?? '', gone);
  }
  assert.ok(Date.now() - killed < leaseMs + 1000, 'within the lease and a second');
});

test('two processes that find a request orphaned at once end it once', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  bench.step();
  const first = await bench.call(0, headers, 'steps', { n: 3 });
  const { last } = await read(first, 1);
  bench.kill(0);
  const both = await Promise.all([1, 2].map(async (member) => read(await bench.get(member, headers, last))));
  assert.deepEqual(both[0], both[1]);
  assert.equal(both[0]?.words.length, 1);
});

test('what a process had asked is withdrawn when it is killed, and an answer to it is refused', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  const first = await bench.call(0, headers, 'confirm');
  const prime = await first.next();
  const question = JSON.parse((await first.next())?.data ?? '') as { id: string; method: string };
  assert.equal(question.method, 'elicitation/create');
  bench.kill(0);
  const live = await bench.get(1, headers, prime?.id);
  const texts: unknown[] = [];
  for (let event = await live.next(); event; event = await live.next()) texts.push(JSON.parse(event.data));
  const [again, withdrawn, error] = texts as [unknown, unknown, { id: number; error: { message: string } }];
  assert.deepEqual(again, question);
  assert.deepEqual(withdrawn, {
    jsonrpc: '2.0', method: 'notifications/cancelled',
    params: { requestId: question.id, reason: 'The process that served this request has gone' },
  });
  assert.match(error.error.message, gone);
  assert.equal(texts.length, 3);
  const answer = await bench.post(2, headers, { jsonrpc: '2.0', id: question.id, result: { action: 'decline' } });
  assert.equal(answer.status, 400);
});

test('the GET stream of a process that is killed goes on elsewhere, and its client is told that all may have changed', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  await bench.post(1, headers, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' } });
  const update = (member: number): void => bench.members[member]?.server.resourceUpdated('note:a');
  const updated = 'notifications/resources/updated note:a';
  const everything = [
    'notifications/tools/list_changed', 'notifications/resources/list_changed', updated,
  ];
  const first = await bench.get(0, headers);
  // The resource may have changed before the client listened.
  assert.deepEqual((await read(first, 1)).words, [updated]);
  update(1);
  const { last } = await read(first, 1);
  // Resume in another process than the one that writes the stream.
  first.cut();
  const carried = await bench.get(1, headers, last);
  update(2);
  const { words } = await read(carried, 1, last);
  assert.deepEqual(words, [updated]);
  bench.kill(0);
  assert.deepEqual((await read(carried, 3)).words, everything);
  update(2);
  const on = await read(carried, 1);
  assert.deepEqual(on.words, [updated]);
  // Kill the new writer too; its connection breaks.
  bench.kill(1);
  const third = await bench.get(2, headers, on.last);
  assert.deepEqual((await read(third, 3)).words, everything);
  update(2);
  assert.deepEqual((await read(third, 1)).words, [updated]);
});

test('the GET stream goes on where a second process is killed before the client has heard of the first one\'s successor', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  await bench.post(1, headers, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' } });
  const updated = 'notifications/resources/updated note:a';
  const first = await bench.get(0, headers);
  const known = (await first.next())?.id;
  bench.kill(0);
  const second = await bench.get(1, headers, known);
  const { words } = await read(second, 3);
  assert.ok(words.includes(updated), words.join());
  // Resume from an old id, as if no later event had reached the client.
  bench.kill(1);
  const third = await bench.get(2, headers, known);
  assert.ok((await read(third, 3)).words.includes(updated));
  bench.members[2]?.server.resourceUpdated('note:a');
  assert.deepEqual((await read(third, 1)).words, [updated]);
});

test('a process that closes hands its streams over: requests are served to their end, GET streams go on elsewhere', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  bench.step();
  const call = await bench.call(0, headers, 'steps', { n: 2 });
  const listening = await bench.get(0, headers);
  const prime = await listening.next();
  const begun = await read(call, 1);
  const closed = bench.members[0]?.http.close({ drainMs: 20_000 });
  // The GET stream ends at once, and this process opens no new one.
  assert.equal(await listening.next(), undefined);
  const elsewhere = await bench.get(1, headers, prime?.id ?? `${bench.members[0]?.fleet.process}-1-0`);
  bench.members[2]?.server.resourceUpdated('note:b');
  for (let i = 0; i < 2; i++) bench.step();
  const rest = await read(call);
  assert.deepEqual([...begun.words, ...rest.words], ['progress 1', 'progress 2', 'result of 1']);
  await closed;
  await bench.members[0]?.fleet.close();
  // The processes that carry its stream learn at once that it has left.
  assert.deepEqual((await read(elsewhere, 2)).words, [
    'notifications/tools/list_changed', 'notifications/resources/list_changed',
  ]);
  assert.deepEqual(bench.errors, []);
});

test('a request that is not done when its process closes ends with an error, wherever its client is', async (t) => {
  const bench = await start(t);
  const headers = await bench.open(0);
  bench.step();
  const first = await bench.call(0, headers, 'steps', { n: 3 });
  const { last } = await read(first, 1);
  first.cut();
  const live = await bench.get(1, headers, last);
  await bench.members[0]?.http.close({ drainMs: 0 });
  const { words } = await read(live);
  assert.match(words.join(), /^error The process that served this request closed before it answered of 1$/);
});

test('a request that was answered in its process\'s last moment is not answered again', async (t) => {
  const handle = mortalEngine(leaseMs);
  const handles = [handle(), handle(), handle()] as const;
  const { engine } = handles[0];
  const { streams } = engine;
  assert.ok(streams);
  // The process dies after its answer is stored, but before it has marked the stream as complete.
  const cut = { ...engine, streams: { ...streams, append: (part: StreamPart) => streams.append({ ...part, over: false }) } };
  const bench = await startFleet(t, {
    version: '2025-11-25', engines: (member) => member === 0 ? cut : handles[member as 1].engine,
  });
  const headers = await bench.open(0);
  bench.step();
  const first = await bench.call(0, headers, 'steps', { n: 1 });
  const { last } = await read(first, 1);
  first.cut();
  bench.step();
  const carried = await bench.get(1, headers, last);
  assert.deepEqual((await read(carried, 1)).words, ['result of 1']);
  handles[0].kill();
  void bench.members[0]?.http.close({ drainMs: 0 });
  // The stream ends with the stored events.
  for (const member of [1, 2]) {
    assert.deepEqual((await read(await bench.get(member, headers, last))).words, ['result of 1']);
  }
});
