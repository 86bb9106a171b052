import assert from 'node:assert/strict';
import test from 'node:test';
import { Budget, ByteGatherer } from '../../src/bounds/budget.ts';
import { decode, decodeValue } from '../../src/jsonrpc/message.ts';
import { takeBatch } from '../../src/jsonrpc/batch.ts';
import { Connection, defaultConnectionLimits } from '../../src/jsonrpc/connection.ts';
import type { ConnectionLimits } from '../../src/jsonrpc/connection.ts';
import { createFramer } from '../../src/jsonrpc/framing.ts';
import type { InboundRequest } from '../../src/jsonrpc/inbound-request.ts';
import { quote } from '../../src/bounds/quote.ts';
import { heldWeight, smallText, weighText, weighValue } from '../../src/bounds/weight.ts';
import { readCancellation } from '../../src/protocol/cancellation.ts';
import { randomOf } from '../random.ts';

// In a process of its own: it measures the memory of the process.

const KiB = 1024;
const MiB = 1024 * KiB;

test('budget: what is charged to a peer is charged to the process, and released from both', () => {
  const process = new Budget(1000 * KiB);
  const peer = new Budget(200 * KiB, process);
  assert.ok(peer.charge(150 * KiB));
  assert.ok(!peer.charge(60 * KiB));
  assert.deepEqual([peer.used, process.used], [150 * KiB, 150 * KiB]);
  peer.release(150 * KiB);
  assert.deepEqual([peer.used, process.used], [0, 0]);
});

test('budget: a peer that holds little is served while others fill the process', () => {
  const process = new Budget(MiB);
  const hostile = new Budget(2 * MiB, process);
  const innocent = new Budget(2 * MiB, process);
  assert.ok(hostile.charge(MiB));
  assert.ok(!hostile.charge(1));
  assert.ok(innocent.charge(10 * KiB));
  assert.ok(!innocent.charge(60 * KiB), 'no more than its first 64 KiB');
});

test('gathering: chunks of any size give their bytes, in at most twice their memory and a block', () => {
  let seed = 1;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 40; round++) {
    const all = Uint8Array.from({ length: random(200_000) }, () => random(256));
    const budget = new Budget(Infinity);
    const gatherer = new ByteGatherer(budget);
    const sizes = [1, 7, 1000, 65_536].slice(random(4));
    for (let at = 0; at < all.length;) {
      const size = 1 + random(sizes[random(sizes.length)] as number);
      gatherer.push(all.subarray(at, at + size));
      at += size;
      assert.ok(budget.used <= 2 * gatherer.length + KiB, `${budget.used} for ${gatherer.length}`);
    }
    assert.equal(gatherer.length, all.length);
    assert.deepEqual(Buffer.compare(gatherer.take(), all), 0);
    assert.deepEqual([gatherer.length, budget.used], [0, 0]);
  }
});

test('gathering: a chunk that is not copied is charged with its whole ArrayBuffer, which is at most twice as long', () => {
  const pool = new Uint8Array(4 * KiB);
  for (const length of [KiB, 2 * KiB - 1, 2 * KiB, 3 * KiB, 4 * KiB]) {
    const budget = new Budget(Infinity);
    const gatherer = new ByteGatherer(budget);
    gatherer.push(pool.subarray(0, length));
    const { used } = budget;
    const { buffer } = gatherer.take();
    assert.deepEqual([used, buffer === pool.buffer], [buffer.byteLength, length >= 2 * KiB], String(length));
    assert.equal(budget.used, 0);
    // The next chunk needs a new block: the pool is released.
    gatherer.push(pool.subarray(0, length));
    gatherer.push(pool.subarray(0, 5 * KiB - length));
    const grown = budget.used;
    assert.equal(gatherer.take().buffer.byteLength, grown);
    assert.equal(budget.used, 0);
  }
});

test('gathering: four million one-byte chunks take little more than four million bytes', () => {
  const gatherer = new ByteGatherer();
  const byte = new Uint8Array(64 * KiB).fill(0x20);
  const before = process.memoryUsage();
  for (let i = 0; i < 4 * MiB; i++) gatherer.push(byte.subarray(i % 4096, i % 4096 + 1));
  const { rss } = process.memoryUsage();
  assert.equal(gatherer.length, 4 * MiB);
  // It was 400 bytes per byte: 1.6 GB. The figure includes the young generation's memory for the views above.
  assert.ok(rss - before.rss < 160 * MiB, `${(rss - before.rss) / MiB} MiB`);
});

test('gathering: what does not fit in the budget is not taken; what came before is held until it is dropped, and released then', () => {
  const budget = new Budget(10 * KiB);
  const gatherer = new ByteGatherer(budget);
  let taken = 0;
  while (gatherer.push(new Uint8Array(100))) taken += 100;
  assert.ok(taken >= 4 * KiB && taken <= 10 * KiB, String(taken));
  assert.equal(gatherer.length, taken);
  gatherer.clear();
  assert.deepEqual([gatherer.length, budget.used], [0, 0]);
});

test('framing: an unfinished line is charged; one that does not fit is refused, and the next is read', () => {
  const budget = new Budget(10 * KiB);
  const seen: string[] = [];
  const framer = createFramer({
    line: (text) => seen.push(text), refused: ({ error }) => seen.push(`!${error.message}`),
  }, undefined, budget);
  framer.push(Buffer.from('abc'));
  assert.ok(budget.used > 0);
  framer.push(Buffer.from('\n'));
  for (let i = 0; i < 300; i++) framer.push(Buffer.from('x'.repeat(100)));
  assert.equal(budget.used, 0);
  framer.push(Buffer.from('\nnext\n'));
  assert.deepEqual(seen, ['abc', '!Invalid request: the message is over the limit of bytes held at a time', 'next']);
});

// ---- the weight of a message

const long = (text: string): string => `${text}${' '.repeat(65 * KiB)}`;

test('weight: a short text is what it is, a long one is counted', () => {
  assert.equal(weighText('[1,2,3]'), 7);
  assert.equal(weighText(long('[1,2,3]')), 65 * KiB + 7 + 4 * 64);
  assert.equal(weighText(long('{"a":1,"b":[true,null]}')), 65 * KiB + 23 + 5 * 64);
  assert.equal(weighText(long('7')), 65 * KiB + 1 + 64);
});

test('weight: what stands in strings counts for nothing', () => {
  for (const string of ['[[[,,,{{{', '\\', 'a"b[,', '\\"[,', '', '"', '\u2028,[', 'x\\\\"\\,'.repeat(9), '\\'.repeat(8), `${'\\'.repeat(7)}"[`, '"'.repeat(5)]) {
    const text = JSON.stringify([string, 1]);
    assert.equal(weighText(long(text)), 65 * KiB + text.length + 3 * 64, text);
  }
});

test('weight: a text and its value hold the same number of values, empty ones twice', () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  let values = 0;
  let empty = 0;
  const make = (depth: number): unknown => {
    values++;
    const kind = depth === 0 ? random(4) : random(6);
    if (kind === 4 || kind === 5) {
      const inner = Array.from({ length: random(6) }, () => make(depth - 1));
      if (inner.length === 0) empty++;
      return kind === 4 ? inner : Object.fromEntries(inner.map((one, i) => [`,[${i}"`, one]));
    }
    return [1, 'a,[{"\\', null, true][kind];
  };
  for (let round = 0; round < 300; round++) {
    values = empty = 0;
    const text = long(JSON.stringify(make(5)));
    assert.equal(weighText(text), text.length + (values + empty) * 64);
  }
});

test('weight: too many values and too many levels are refused by name, before parsing', () => {
  for (const [text, says] of [
    [`[${'1,'.repeat(1_000_000)}1]`, /1000000 values/],
    [`[${'{},'.repeat(600_000)}1]`, /1000000 values/],
    ['['.repeat(16 * MiB), /1000 levels/],
    [`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, /1000 levels/],
  ] as const) {
    const decoded = decode(text);
    assert.ok(decoded.kind === 'refusal');
    assert.equal(decoded.error.code, -32600);
    assert.match(decoded.error.message, says);
    assert.ok(decoded.error.message.length < 100);
  }
  assert.equal(decode(`[${'1,'.repeat(999_990)}1]`).kind, 'batch');
});

test('weight: a value that came parsed meets the same limits, without recursion', () => {
  const nested = (depth: number, leaf: unknown): unknown => {
    let value = leaf;
    for (let i = 0; i < depth; i++) value = [value];
    return value;
  };
  assert.equal(typeof weighValue(nested(1000, 1)), 'number');
  assert.deepEqual(weighValue(nested(1001, 1)), { over: 'the limit of 1000 levels in a message' });
  assert.deepEqual(weighValue(nested(1_000_000, 1)), { over: 'the limit of 1000 levels in a message' });
  assert.deepEqual(weighValue(Array.from({ length: 1_000_000 }, () => 1)), {
    over: 'the limit of 1000000 values in a message',
  });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  assert.equal(typeof weighValue(circle), 'object');
  assert.equal(weighValue({ ab: 'cde', f: [1, 2] }), 6 + 5 * 64);
  assert.equal(decodeValue({ jsonrpc: '2.0', id: 1, method: 'm', params: nested(2000, {}) }).kind, 'refusal');
});

// ---- a connection

interface Bench {
  connection: Connection;
  budget: Budget;
  sent: { id?: unknown; result?: unknown; error?: { code: number; message: string } }[];
}

function bench(request: (inbound: InboundRequest) => object | Promise<object>, limits: Partial<ConnectionLimits> = {}, budget: Budget = new Budget(MiB)): Bench {
  const sent: Bench['sent'] = [];
  const outlet = {
    send: (text: string) => sent.push(JSON.parse(text) as object),
    answer: (text: string | undefined) => {
      if (text !== undefined) sent.push(...[JSON.parse(text) as object].flat());
    },
  };
  const connection = new Connection(
    outlet, { request, notification() {}, cancellation: readCancellation, error() {} }, { ...defaultConnectionLimits, ...limits }, budget,
  );
  return { connection, budget, sent };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ask = (id: number, params?: object): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'm', params });

test('weight: the values of a small text count beside its length, those of a long one are in its weight, and what weighs nothing stays free', () => {
  const many = Array.from({ length: 100 }, () => ({}));
  const values = weighValue(many) as number;
  assert.ok(values > 6_400);
  for (const [weight, held] of [[0, 0], [1, values], [values - 1, values], [values + 1, values + 1], [smallText, smallText], [smallText + 1, smallText + 1]] as const) {
    assert.equal(heldWeight(weight, many), held, `${weight}`);
  }
  const heavy = Array.from({ length: 10_000 }, () => ({}));
  assert.equal(heldWeight(smallText, heavy), weighValue(heavy));
  assert.equal(heldWeight(smallText + 1, heavy), smallText + 1);
});

test('budget: crowded is more than a 32nd of the limit of the process, whatever the peer holds', () => {
  const process = new Budget(3_200);
  const peer = new Budget(64, process);
  peer.charge(60);
  assert.deepEqual([process.crowded, peer.crowded], [false, false]);
  process.hold(40);
  assert.deepEqual([process.crowded, peer.crowded], [false, false], 'exactly a 32nd');
  process.hold(1);
  assert.deepEqual([process.crowded, peer.crowded], [true, true]);
});

test('connection: where the process holds too much, the refusal says so, and names its bound', () => {
  const whole = new Budget(MiB);
  const { connection, sent } = bench(() => new Promise(() => {}), {}, new Budget(2 * MiB, whole));
  for (const id of [1, 2, 3, 4]) connection.receive(decode(ask(id, { text: 'x'.repeat(300 * KiB) })));
  assert.deepEqual(sent.map(({ id, error }) => [id, error?.message]), [
    [4, 'Too many bytes in flight: the limit of all peers together is 1048576'],
  ]);
});

test('connection: requests in flight are charged with their parameters, until their handlers end', async () => {
  const ends: (() => void)[] = [];
  const { connection, budget, sent } = bench(() => new Promise((resolve) => ends.push(() => resolve({}))));
  const params = { text: 'x'.repeat(300 * KiB) };
  for (const id of [1, 2, 3, 4]) connection.receive(decode(ask(id, params)));
  assert.deepEqual(sent.map(({ id, error }) => [id, error?.code]), [[4, -32603]]);
  assert.match(sent[0]?.error?.message ?? '', /^Too many bytes in flight: the limit is 1048576$/);
  assert.ok(budget.used > 900 * KiB);
  // A cancelled request keeps its charge while its handler is running.
  connection.receive(decode('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'));
  connection.receive(decode(ask(5, params)));
  assert.equal(sent.at(-1)?.error?.code, -32603);
  for (const end of ends) end();
  await settled();
  assert.equal(budget.used, 0);
  connection.receive(decode(ask(6, params)));
  assert.equal(sent.at(-1)?.id, 3);
  connection.close();
  ends.at(-1)?.();
  await settled();
  assert.equal(budget.used, 0);
});

test('connection: while the process holds much, a small text is charged with its values, of which it can hold many', async () => {
  const ends: (() => void)[] = [];
  const { connection, budget, sent } = bench(() => new Promise((resolve) => ends.push(() => resolve({}))));
  connection.takeBatch = takeBatch;
  // 3 KB of text, and 64 KB of memory.
  const params = { many: Array<object>(1000).fill({}) };
  for (let id = 0; id < 200; id++) connection.receive(decode(ask(id, params)));
  assert.ok(ends.length < 30, `${ends.length} are held`);
  connection.receive(decode(`[${ask(200, params)},${ask(201)}]`));
  assert.match(sent.at(-1)?.error?.message ?? '', /^Too many bytes in flight: the limit is 1048576$/);
  // One that is small in both is still taken.
  const before = sent.length;
  connection.receive(decode(ask(202, { one: 1 })));
  assert.equal(sent.length, before);
  for (const end of ends) end();
  await settled();
  assert.equal(budget.used, 0);
});

test('connection: a batch is refused whole where there are none, and where it is too long', () => {
  const { connection, sent } = bench(() => ({}));
  const many = decode(`[${'1,'.repeat(500_000)}1]`);
  connection.receive(many);
  connection.takeBatch = takeBatch;
  connection.receive(many);
  assert.deepEqual(sent.map(({ error }) => error?.message), [
    'Invalid request: this protocol revision has no batches',
    'Invalid request: a batch holds at most 1000 messages',
  ]);
  const short = bench(() => ({}), { maxBatch: 2 });
  short.connection.takeBatch = takeBatch;
  short.connection.receive(decode(`[${ask(1)},${ask(2)},${ask(3)}]`));
  assert.deepEqual(short.sent.map(({ error }) => error?.message), ['Invalid request: a batch holds at most 2 messages']);
});

test('connection: the answer to a batch is bounded: what does not fit becomes an error', async () => {
  const { connection, budget, sent } = bench(
    async () => ({ text: 'x'.repeat(400) }), { maxBatchAnswer: 1000 },
  );
  connection.takeBatch = takeBatch;
  connection.receive(decode(`[${[1, 2, 3, 4].map((id) => ask(id)).join()},7]`));
  await settled();
  assert.deepEqual(sent.map(({ error }) => error?.code), [-32600, undefined, undefined, -32603, -32603]);
  assert.match(sent.at(-1)?.error?.message ?? '', /^The result does not fit/);
  assert.equal(budget.used, 0);
});

test('connection: 40 results of 15 MB in a batch end neither the process nor the batch', async () => {
  const text = 'x'.repeat(15e6);
  let serialized = 0;
  const { connection, sent } = bench(async () => ({ toJSON: () => (serialized++, { text }) }));
  connection.takeBatch = takeBatch;
  connection.receive(decode(`[${Array.from({ length: 40 }, (_, id) => ask(id)).join()}]`));
  await settled();
  assert.equal(sent.length, 40);
  assert.equal(sent.filter(({ result }) => result).length, 1);
  assert.equal(serialized, 2, 'the one that fits, and the one by which it shows that no more do');
});

test('connection: once the answer to a batch is full, the requests that are left are refused and not run', async () => {
  const text = 'x'.repeat(700);
  let run = 0;
  const { connection, budget, sent } = bench(() => (run++, { text }), { maxBatchAnswer: 1000 });
  connection.takeBatch = takeBatch;
  connection.receive(decode(`[${Array.from({ length: 9 }, (_, id) => ask(id)).join()},{"jsonrpc":"2.0","method":"n"}]`));
  await settled();
  assert.equal(run, 2);
  assert.deepEqual(sent.map(({ id, result }) => [id, result !== undefined]).slice(0, 3), [[0, true], [1, false], [2, false]]);
  assert.equal(sent[8]?.error?.message, 'The response to the batch is full');
  assert.equal(budget.used, 0);
});

test('connection: in a batch, what may be lost asks the outlet alone for room, and makes the answer no longer', async () => {
  const asked: [number, boolean | undefined][] = [];
  const answers: (boolean | undefined)[] = [];
  const { connection } = bench(({ outlet }) => (answers.push(outlet.room?.(5_000, true), outlet.room?.(10)), {}), { maxBatchAnswer: 1000 });
  connection.takeBatch = takeBatch;
  const outlet = { send() {}, answer() {}, room: (length: number, droppable?: boolean) => (asked.push([length, droppable]), !droppable) };
  connection.receive(decode(`[${ask(1)}]`), outlet);
  await settled();
  assert.deepEqual([answers, asked.slice(0, 2)], [[false, true], [[5_000, true], [10, undefined]]]);
  answers.length = 0;
  connection.receive(decode(`[${ask(2)}]`), { send() {}, answer() {} });
  await settled();
  assert.deepEqual(answers, [true, true]);
});

test('connection: others have their turn between the long answers of a batch', async () => {
  const text = 'x'.repeat(600 * KiB);
  let run = 0;
  const { connection, sent } = bench(() => (run++, { text }));
  connection.takeBatch = takeBatch;
  connection.receive(decode(`[${[1, 2, 3, 4, 5].map((id) => ask(id)).join()}]`));
  assert.equal(run, 2, 'more than 1 MiB is enough for a turn');
  while (sent.length === 0) await settled();
  assert.deepEqual([run, sent.map(({ id }) => id)], [5, [1, 2, 3, 4, 5]]);
});

test('connection: a batch is charged until its last answer, also one that asks nothing', async () => {
  const ends: (() => void)[] = [];
  const { connection, budget } = bench(() => new Promise((resolve) => ends.push(() => resolve({}))));
  connection.takeBatch = takeBatch;
  connection.receive(decode(`[${ask(1)},${ask(2, { text: 'x'.repeat(500 * KiB) })}]`));
  ends[1]?.();
  await settled();
  assert.ok(budget.used > 500 * KiB);
  ends[0]?.();
  await settled();
  assert.equal(budget.used, 0);
  connection.receive(decode('[{"jsonrpc":"2.0","method":"n"}]'));
  assert.equal(budget.used, 0);
});

// ---- quotes of refused messages

test('quote: short, and never deeper than its kind', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = { deep };
  assert.equal(quote(deep), 'an object');
  assert.equal(quote([deep]), 'an array');
  assert.equal(quote('a"b'), '"a\\"b"');
  assert.equal(quote('x'.repeat(1e6), 3), '"xxx"...');
  assert.deepEqual([quote(1.5), quote(null), quote(undefined), quote(true)], ['1.5', 'null', 'undefined', 'true']);
});

test('an id longer than 1024 characters is refused, and not said back', () => {
  const decoded = decode(JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(1025), method: 'm' }));
  assert.ok(decoded.kind === 'refusal');
  assert.deepEqual([decoded.id, decoded.error.message], [null, 'Invalid request: "id" must be a string of at most 1024 characters or an integer within 2^53']);
  assert.equal(decode(JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(1024), method: 'm' })).kind, 'request');
});

test('budget: a peer may hold 64 KiB, and not a byte more, in a process that is full', () => {
  const process = new Budget(0);
  assert.equal(new Budget(MiB, process).fits(64 * KiB), true);
  assert.equal(new Budget(MiB, process).fits(64 * KiB + 1), false);
});

test('budget: a refusal names the bound that was passed: the peer\'s, or that of all peers', () => {
  const sent: string[] = [];
  const outlet = { send: (text: string) => sent.push(text), answer: (text: string | undefined) => sent.push(text ?? '') };
  const said = (used: number, weight: number, parent: Budget | undefined): string => {
    const connection = new Connection(outlet, {
      request: () => ({}), notification: () => undefined, cancellation: readCancellation, error: () => undefined,
    }, defaultConnectionLimits, new Budget(100, parent));
    connection.budget.used = used;
    connection.refuseBytes(outlet, 1, weight);
    return /the limit [^"]*/.exec(sent.pop() ?? '')?.[0] ?? '';
  };
  const all = new Budget(7);
  assert.equal(said(60, 40, all), 'the limit of all peers together is 7');
  assert.equal(said(60, 41, all), 'the limit is 100');
  assert.equal(said(60, 40, undefined), 'the limit is 100');
});

test('budget: a long text whose last string has no end is weighed to its end, once', () => {
  const text = `[[["${'a'.repeat(70_000)}`;
  assert.equal(weighText(text, { maxDepth: 4 }), text.length);
});

test('budget: a value that came parsed is refused where it holds too many', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'm', params: { list: Array.from({ length: 20_000 }, () => ({})) } };
  assert.equal(decodeValue(message, { maxValues: 10_000 }).kind, 'refusal');
  assert.equal(decodeValue(message, { maxValues: 100_000 }).kind, 'request');
});

test('the weight of a value: 64 bytes for it and for each value in it, and the lengths of its texts and names', () => {
  const random = randomOf(3);
  const drawn = (depth: number): unknown => {
    const kind = Math.floor(random() * (depth > 3 ? 4 : 6));
    const list = (): unknown[] => Array.from({ length: Math.floor(random() * 4) }, () => drawn(depth + 1));
    return [() => null, () => random() * 100, () => random() < 0.5, () => 'x'.repeat(Math.floor(random() * 50)), list, () => Object.fromEntries(list().map((one, at) => ['n'.repeat(1 + Math.floor(random() * 20)) + at, one]))][kind]?.();
  };
  const weightOf = (value: unknown): number => {
    if (typeof value === 'string') return 64 + value.length;
    if (typeof value !== 'object' || value === null) return 64;
    return Object.entries(value).reduce((sum, [name, one]) => sum + (Array.isArray(value) ? 0 : name.length) + weightOf(one), 64);
  };
  for (let round = 0; round < 500; round++) {
    const value = drawn(0);
    assert.equal(weighValue(value), weightOf(value), JSON.stringify(value));
  }
});
