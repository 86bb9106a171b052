import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { ActivityLog, memoryLog, verifyLog } from '../../src/host/activity-log.ts';
import { fileLog, verifyLogFile } from '../../src/host/node/file-log.ts';

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
  await new ActivityLog(sink, () => 1, fail).record('asked', { args: { text: 'x'.repeat(1_000_000), deep: JSON.parse('['.repeat(50) + ']'.repeat(50)) as unknown } });
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
  // A line of an older file.
  const text = readFileSync(`${file}.1`, 'utf8');
  writeFileSync(`${file}.1`, text.replace('"i":0', '"i":9'));
  const broken = await verifyLogFile(file);
  assert.ok(!broken.ok && broken.file === `${file}.1`);
  writeFileSync(`${file}.1`, text);
  // The end of the newest.
  truncateSync(file, readFileSync(file, 'utf8').trimEnd().lastIndexOf('\n') + 1);
  const cut = await verifyLogFile(file);
  assert.ok(!cut.ok && /missing at the end/.test(cut.why));
});

test('activity log in files: a writer that died leaves whole lines or half of one, and the log goes on', async (t) => {
  const file = join(folder(t), 'activity.jsonl');
  const log = new ActivityLog(fileLog(file), () => 1, fail);
  await log.record('asked', { i: 0 });
  const head = readFileSync(`${file}.head`, 'utf8');
  await log.record('asked', { i: 1 });
  // Died after its line and before its head; and another in the middle of its line.
  writeFileSync(`${file}.head`, head);
  appendFileSync(file, '{"at":1,"ki');
  await log.record('asked', { i: 2 });
  const verdict = await verifyLogFile(file);
  assert.ok(verdict.ok && verdict.lines === 3, JSON.stringify(verdict));
});
