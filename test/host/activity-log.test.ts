import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { ActivityLog, memoryLog, verifyLog } from '../../src/host/activity-log.ts';
import { fileLog, verifyLogFile } from '../../src/host/node/file-log.ts';
import { everyNth } from '../every-nth.ts';
import { randomOf } from '../random.ts';

const fail = (error: Error): void => assert.fail(error);

test('activity log: a line that was changed, taken out, put in or cut off is found', async () => {
  const sink = memoryLog();
  const log = new ActivityLog(sink, () => 1, fail);
  for (let i = 0; i < 5; i++) void log.record('asked', { call: i, args: { text: `word ${i}` } });
  await log.flushed();
  const { lines, head } = sink;
  assert.equal(lines.length, 5);
  assert.equal((await verifyLog(lines, head)).ok, true);
  for (let at = 0; at < 5; at++) {
    const changed = lines.map((line, i) => (i === at ? line.replace('word', 'w0rd') : line));
    assert.equal((await verifyLog(changed, head)).ok, false, `changed ${at}`);
    assert.equal((await verifyLog(lines.filter((_, i) => i !== at), head)).ok, false, `without ${at}`);
    assert.equal((await verifyLog([...lines.slice(0, at), lines[at] as string, ...lines.slice(at)], head)).ok, false, `twice ${at}`);
    const cut = await verifyLog(lines.slice(0, at), head);
    assert.deepEqual(cut, { ok: false, line: at + 1, why: `${5 - at} lines are missing at the end` });
  }
});

test('activity log: secrets are not in it', async () => {
  const sink = memoryLog();
  const log = new ActivityLog(sink, () => 1, fail);
  await log.record('asked', {
    args: {
      password: 'hunter2', apiKey: 'abc', nested: { client_secret: 'x1', note: 'Authorization: Bearer abcdef1234567890' },
      list: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc'], plain: 'kept', __proto__: { polluted: true },
    },
  });
  const [line = ''] = sink.lines;
  for (const secret of ['hunter2', '"abc"', 'x1', 'abcdef1234567890', 'eyJ']) assert.ok(!line.includes(secret), secret);
  assert.ok(line.includes('kept'));
  assert.ok(line.length < 600);
});

test('activity log: what is long is cut, and says so', async () => {
  const sink = memoryLog();
  await new ActivityLog(sink, () => 1, fail).record('asked', { args: { text: 'x '.repeat(500_000), deep: JSON.parse('['.repeat(50) + ']'.repeat(50)) as unknown } });
  assert.ok((sink.lines[0] ?? '').length < 6_000);
  assert.match(sink.lines[0] ?? '', /996000 characters more/);
});

function folder(t: { after(run: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'barewire-log-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('activity log in files: bounded, chained, several writers', async (t) => {
  const file = join(folder(t), 'activity.jsonl');
  const logs = [0, 1, 2].map(() => new ActivityLog(fileLog(file, { maxBytes: 2_000 }), () => 1, fail));
  await Promise.all(logs.flatMap((log, writer) => Array.from({ length: 20 }, (_, i) => log.record('asked', { writer, i }))));
  const verdict = await verifyLogFile(file);
  assert.ok(verdict.ok && verdict.lines === 60, JSON.stringify(verdict));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  // Change a line of the older file.
  const text = readFileSync(`${file}.1`, 'utf8');
  writeFileSync(`${file}.1`, text.replace('"i":0', '"i":9'));
  const broken = await verifyLogFile(file);
  assert.ok(!broken.ok && broken.file === `${file}.1`);
  writeFileSync(`${file}.1`, text);
  // A file is missing, and a log that was never begun.
  rmSync(`${file}.1`);
  assert.deepEqual(await verifyLogFile(file), { ok: false, line: 1, why: 'the file is missing', file: `${file}.1` });
  writeFileSync(`${file}.1`, text);
  const none = await verifyLogFile(join(dirname(file), 'none.jsonl'));
  assert.ok(none.ok && none.lines === 0, JSON.stringify(none));
  // Cut the end of the newest file.
  truncateSync(file, readFileSync(file, 'utf8').trimEnd().lastIndexOf('\n') + 1);
  const cut = await verifyLogFile(file);
  assert.ok(!cut.ok && /missing at the end/.test(cut.why));
});

test('activity log in files: a head that is not one is refused, whatever is missing in it', async (t) => {
  const file = join(folder(t), 'activity.jsonl');
  await new ActivityLog(fileLog(file), () => 1, fail).record('asked', {});
  const head = JSON.parse(readFileSync(`${file}.head`, 'utf8')) as Record<string, unknown>;
  const heads = [null, 5, 'x', [], {}, { seq: 1 }, { digest: 'x' }, { seq: 1.5, digest: 'x' }, { seq: 1, digest: 5 }];
  for (const bad of [
    null, 5, 'x', [], {}, ...Object.keys(head).map((name) => ({ ...head, [name]: undefined })),
    ...['head', 'start'].flatMap((name) => heads.map((one) => ({ ...head, [name]: one }))), ...['files', 'bytes'].map((name) => ({ ...head, [name]: '1' })),
  ]) {
    writeFileSync(`${file}.head`, JSON.stringify(bad));
    await assert.rejects(verifyLogFile(file), /is not the head of an activity log/, JSON.stringify(bad));
  }
});

test('activity log in files: a writer that died leaves whole lines or half of one, and the log goes on', async (t) => {
  const file = join(folder(t), 'activity.jsonl');
  const log = new ActivityLog(fileLog(file), () => 1, fail);
  await log.record('asked', { i: 0 });
  const head = readFileSync(`${file}.head`, 'utf8');
  await log.record('asked', { i: 1 });
  // One writer died after its line and before its head, another in the middle of its line.
  writeFileSync(`${file}.head`, head);
  appendFileSync(file, '{"at":1,"ki');
  await log.record('asked', { i: 2 });
  const verdict = await verifyLogFile(file);
  assert.ok(verdict.ok && verdict.lines === 3, JSON.stringify(verdict));
});

test('activity log: half of a surrogate pair, and an emoji where a text is cut, are written as what they are', async () => {
  const sink = memoryLog();
  const log = new ActivityLog(sink, () => 1, fail);
  const words = 'of words '.repeat(500).slice(0, 3_999);
  const texts = ['\ud83d', 'a\ude00b', `${words}😀 and more`, { '\ud83d': 1 }];
  for (const text of texts) await log.record('asked', { args: { text } });
  assert.equal(sink.lines.length, texts.length);
  const read = sink.lines.map((line) => (JSON.parse(line) as { args: { text: unknown } }).args.text);
  assert.deepEqual(read, ['\ud83d', 'a\ude00b', `${words}… (11 characters more)`, { '\ud83d': 1 }]);
  assert.ok((await verifyLog(sink.lines, sink.head)).ok);
});

/** Values that an application may pass as arguments, including some that JSON cannot represent. */
function drawnValue(random: () => number, depth: number): unknown {
  const text = (): string => Array.from({ length: Math.floor(random() * 6) }, () => String.fromCharCode(Math.floor(random() * 0x10000))).join('');
  const makers: (() => unknown)[] = [
    text, () => `${'x'.repeat(3_998)}${text()}`, () => random() * 1e9, () => NaN, () => -Infinity, () => 10n ** 30n, () => undefined, () => null,
    () => true, () => Symbol('s'), () => () => 1, () => new Date(NaN), () => new Date(0), () => Object.create(null) as object, () => new Map([[1, 2]]),
    () => ({ toJSON: () => { throw new Error('no'); } }), () => ({ toJSON: () => 10n }),
    () => ({ get bad(): string { throw new Error('\ud83d'); } }),
    () => new Proxy({}, { ownKeys: () => { throw null; } }),
    () => { const circle: unknown[] = []; circle.push(circle, circle); return circle; },
    () => JSON.parse('{"__proto__": {"x": 1}, "constructor": 5}') as unknown,
  ];
  if (depth > 0) {
    makers.push(() => Array.from({ length: Math.floor(random() * 5) }, () => drawnValue(random, depth - 1)));
    makers.push(() => Object.fromEntries(Array.from({ length: Math.floor(random() * 5) }, () => [text(), drawnValue(random, depth - 1)])));
  }
  return makers[Math.floor(random() * makers.length)]?.();
}

test('activity log: whatever is recorded, each record is a line that verifies, and nothing is reported', async () => {
  const sink = memoryLog(100_000);
  const log = new ActivityLog(sink, () => 1, fail);
  const random = randomOf(24);
  const count = 3_000 / everyNth(5);
  for (let i = 0; i < count; i++) void log.record('asked', { call: i, args: drawnValue(random, 4), seq: -1, previous: 'x' });
  await log.flushed();
  assert.equal(sink.lines.length, count);
  sink.lines.forEach((line, i) => {
    const { seq, call, kind } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual([seq, call, kind], [i + 1, i, 'asked']);
    assert.doesNotMatch(line, /\p{Cs}/u);
  });
  assert.ok((await verifyLog(sink.lines, sink.head)).ok);
});
