import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import test from 'node:test';
import type { Clock } from '../../../src/bounds/clock.ts';
import { ServerCore, tools } from '../../../src/server/index.ts';
import type { TraceEntry } from '../../../src/transport/trace.ts';
import { serveStdio } from '../../../src/transport/stdio/index.ts';
import type { ServeStdioOptions, StdioServing } from '../../../src/transport/stdio/index.ts';
import { waitingClock } from '../../mock-clock.ts';
import { fakeServer } from '../http/fake-server.ts';
import type { FakeServer } from '../http/fake-server.ts';

interface Answer {
  id: number | string | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

interface Bench {
  readonly server: FakeServer;
  readonly serving: StdioServing;
  readonly stdin: PassThrough;
  readonly writes: string[];
  answers(): Answer[];
}

function bench(options: ServeStdioOptions = {}, to?: Writable, clock?: Clock): Bench {
  const server = Object.assign(fakeServer(), clock && { clock });
  const stdin = new PassThrough();
  const writes: string[] = [];
  const stdout = to ?? new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, callback) {
      writes.push(chunk);
      callback();
    },
  });
  return {
    server, stdin, writes,
    serving: serveStdio(server, { stdin, stdout, ...options }),
    answers: () => writes.join('').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Answer),
  };
}

const ask = (id: number | string, method: string, params?: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('serveStdio: answers, in one write a turn, and ends with stdin', async () => {
  const { stdin, serving, writes, answers } = bench();
  stdin.end(ask(1, 'later') + ask('two', 'later') + ask(3, 'later'));
  await serving.closed;
  assert.deepEqual(answers().map(({ id, result }) => [id, result]), [
    [1, { later: true }], ['two', { later: true }], [3, { later: true }],
  ]);
  assert.equal(writes.filter((text) => text !== '').length, 1);
});

test('serveStdio: the input cut at every byte', async () => {
  const input = Buffer.from(`${ask(1, 'echo', { text: 'é🙂' }).replace('\n', '\r\n')}\n${ask(2, 'ping')}`);
  for (let cut = 0; cut <= input.length; cut++) {
    const { stdin, serving, answers } = bench();
    stdin.write(input.subarray(0, cut));
    stdin.end(input.subarray(cut));
    await serving.closed;
    assert.deepEqual(answers().map(({ id, result }) => [id, result]), [[1, { echo: 'é🙂' }], [2, {}]], `cut at ${cut}`);
  }
});

test('serveStdio: what cannot be read is refused by name, and the next line is served', async () => {
  const { stdin, serving, answers } = bench({ maxMessageBytes: 200 });
  stdin.write('garbage\n');
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1.5, method: 'ping' })}\n`);
  stdin.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  stdin.write(`${'x'.repeat(500)}\n`);
  stdin.write('[]\n');
  // The last line has no line break, and is served.
  stdin.end(ask(9, 'ping').trim());
  await serving.closed;
  const seen = answers();
  assert.deepEqual(seen.map(({ id, error }) => [id, error?.code]), [
    [undefined, -32700], [undefined, -32600], [undefined, -32700], [undefined, -32600], [undefined, -32600],
    [9, undefined],
  ]);
  assert.match(seen[0]?.error?.message ?? '', /garbage/);
  assert.match(seen[2]?.error?.message ?? '', /UTF-8/);
  assert.match(seen[3]?.error?.message ?? '', /limit of 200 bytes/);
});

test('serveStdio: a full stdout stops the reading of stdin, and room starts it again', async () => {
  const taken: string[] = [];
  let next: (() => void) | undefined;
  const stdout = new Writable({
    decodeStrings: false,
    highWaterMark: 1000,
    write(chunk: string, _encoding, callback) {
      taken.push(chunk);
      next = callback;
    },
  });
  const { stdin, serving } = bench({}, stdout);
  let sent = 0;
  // Send requests until stdin is full too.
  while (stdin.write(ask(sent++, 'big', { size: 2000 }))) await turn();
  assert.equal(stdin.isPaused(), true);
  const held = stdout.writableLength;
  assert.ok(held < 20_000, `${held} bytes are held`);
  await turn();
  assert.equal(stdout.writableLength, held);
  assert.equal(stdout.listenerCount('drain'), 1);
  stdin.end();
  const ticker = setInterval(() => next?.(), 0);
  await serving.closed;
  clearInterval(ticker);
  assert.equal(stdout.listenerCount('drain'), 1);
  assert.deepEqual(
    taken.join('').trim().split('\n').map((line) => (JSON.parse(line) as Answer).id),
    Array.from({ length: sent }, (_, id) => id),
  );
});

test('serveStdio: the end of stdin waits for what is in flight', async () => {
  const { stdin, server, serving, answers } = bench({ drainMs: 60_000 });
  stdin.end(ask(1, 'wait', { key: 'a' }));
  await server.arrived('a');
  await turn();
  assert.deepEqual(answers(), []);
  server.waiting.get('a')?.finish({ a: 1 });
  await serving.closed;
  assert.deepEqual(answers().map(({ result }) => result), [{ a: 1 }]);
});

test('serveStdio: what does not end in time is aborted', async () => {
  for (const [options, drainMs] of [[{ drainMs: 1 }, 1], [{}, 5000]] as const) {
    const waits: number[] = [];
    const clock = waitingClock(async (ms) => void waits.push(ms));
    const { stdin, server, serving, answers } = bench(options, undefined, clock);
    stdin.end(ask(1, 'wait', { key: 'a' }));
    await serving.closed;
    const inbound = server.waiting.get('a')?.inbound;
    assert.equal(inbound?.signal.aborted, true);
    assert.match((inbound?.signal.reason as Error).message, /the client closed stdin/);
    assert.deepEqual(answers(), []);
    assert.equal(waits[0], drainMs);
  }
});

test('serveStdio: subscriptions are ended with stdin, and do not hold it up', async () => {
  const { stdin, server, serving, answers } = bench({ drainMs: 60_000 });
  // The fake server ends its subscriptions by the key "listen".
  stdin.end(ask(1, 'wait', { key: 'listen' }));
  await serving.closed;
  assert.deepEqual(answers().map(({ id }) => id), [1]);
  assert.equal(server.peers.size, 0);
});

test('serveStdio: close aborts at once and writes out what was said', async () => {
  const { stdin, server, serving, answers } = bench({ drainMs: 60_000 });
  stdin.write(ask(1, 'ping') + ask(2, 'wait', { key: 'a' }));
  await server.arrived('a');
  await serving.close();
  await serving.closed;
  assert.equal(server.waiting.get('a')?.inbound.signal.aborted, true);
  assert.deepEqual(answers().map(({ id }) => id), [1]);
  assert.equal(stdin.listenerCount('data'), 0);
  await serving.close();
});

test('serveStdio: a session that has ended leaves stdin alone, also once stdout has room again', async () => {
  let next: (() => void) | undefined;
  const stdout = new Writable({
    highWaterMark: 10,
    write(_chunk, _encoding, callback) {
      next = callback;
    },
  });
  // The output that closing waits for is never taken.
  const { stdin, serving } = bench({ drainMs: 100 }, stdout);
  stdin.write(ask(1, 'ping'));
  await turn();
  assert.equal(stdout.writableNeedDrain, true);
  const drained = new Promise((resolve) => stdout.once('drain', resolve));
  const closed = serving.close();
  next?.();
  await Promise.all([drained, closed]);
  assert.equal(stdin.isPaused(), true);
});

test('serveStdio: a stdout that breaks ends the session quietly', async () => {
  const stdout = new Writable({
    write(_chunk, _encoding, callback) {
      callback(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    },
  });
  const { stdin, server, serving } = bench({}, stdout);
  stdin.write(ask(1, 'wait', { key: 'a' }) + ask(2, 'ping'));
  await serving.closed;
  assert.equal(server.waiting.get('a')?.inbound.signal.aborted, true);
  assert.equal(server.peers.size, 0);
});

test('serveStdio: trace sees every message', async () => {
  const seen: TraceEntry[] = [];
  const { stdin, serving } = bench({ trace: (entry) => seen.push(entry) });
  stdin.end(ask(1, 'ping'));
  await serving.closed;
  assert.deepEqual(seen.map(({ direction, text }) => [direction, text]), [
    ['received', ask(1, 'ping').trim()],
    ['sent', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ]);
  assert.ok(seen.every(({ at }) => Math.abs(at - Date.now()) < 60_000));
});

test('serveStdio: an answer above 10 MiB is written, and its author is told of clients that do not take it', async () => {
  const reported: string[] = [];
  const big = tools();
  const server = new ServerCore({ name: 'test', version: '1' }, { features: [big], onError: ({ message }) => void reported.push(message) });
  big.add('big', {}, () => 'x'.repeat(11_000_000));
  big.add('small', {}, () => 'x'.repeat(9_000_000));
  const stdin = new PassThrough();
  let written = 0;
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, callback) {
      written += chunk.length;
      callback();
    },
  });
  const serving = serveStdio(server, { stdin, stdout });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
  };
  stdin.end(ask(1, 'tools/call', { name: 'small', _meta }) + ask(2, 'tools/call', { name: 'big', _meta }));
  await serving.closed;
  assert.ok(written > 20_000_000);
  assert.equal(reported.length, 1);
  assert.match(reported[0] ?? '', /^a message of 11000\d\d\d characters: the official clients close the pipe/);
});

test('serveStdio: a client that sends and never reads gets errors for results, and costs no more memory', async () => {
  const answered: string[] = [];
  let take: (() => void) | undefined;
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, callback) {
      answered.push(...chunk.split('\n').filter(Boolean));
      take = callback;
    },
  });
  const { stdin, serving } = bench({ drainMs: 100 }, stdout);
  // All requests at once: those read before the pipe was full must not pile up either.
  stdin.write(Array.from({ length: 10 }, (_, id) => ask(id, 'big', { size: 6_000_000 })).join(''));
  await turn();
  await turn();
  for (; take !== undefined; await turn()) {
    const next = take;
    take = undefined;
    next();
  }
  const errors = answered.map((text) => JSON.parse(text) as Answer).filter(({ error }) => error);
  assert.equal(answered.length, 10);
  assert.ok(errors.length >= 6, `${errors.length} of 10`);
  assert.match(errors[0]?.error?.message ?? '', /^The result does not fit/);
  await serving.close();
});
