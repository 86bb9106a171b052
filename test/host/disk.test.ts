import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { ActivityLog } from '../../src/host/activity-log.ts';
import { fileLog, verifyLogFile } from '../../src/host/node/file-log.ts';
import { fileStore } from '../../src/host/node/file-store.ts';

// Real failures of the kernel: a file size limit, which cuts a write in the middle as a full disk does, and a folder without write
// permission.
const writer = fileURLToPath(new URL('./disk-writer.js', import.meta.url));

interface Written {
  readonly lines: number;
  readonly failures: number;
  readonly why?: string;
  readonly sets: readonly string[];
  readonly recorded: readonly string[];
  readonly recordingFailed: boolean;
  readonly called: string;
  readonly ran: number;
}

function folder(t: { after(run: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'barewire-disk-'));
  t.after(() => {
    for (const one of [path, join(path, 'store')]) if (existsSync(one)) chmodSync(one, 0o755);
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

/** Runs the writer in a shell, without root, because root may write to read-only folders. */
function write(path: string, shell: string): Written {
  const root = process.getuid?.() === 0;
  const { stdout, stderr } = spawnSync('sh', ['-c', `${shell} exec "$0" "$@"`, process.execPath, writer, path], { encoding: 'utf8', ...root && { uid: 65_534, gid: 65_534 } });
  assert.ok(stdout.startsWith('{'), stderr);
  return JSON.parse(stdout) as Written;
}

const windows = process.platform === 'win32' && 'Windows has no such limit';

test('a disk that is full: what is kept is whole, what is not kept is told, and nothing is left beside it', { skip: windows }, async (t) => {
  const path = folder(t);
  chmodSync(path, 0o777);
  // 512-byte blocks: no file may grow beyond 8 KiB.
  const { lines, failures, why, sets, recorded, recordingFailed, called, ran } = write(path, 'ulimit -f 16;');
  assert.ok(lines > 10 && lines < 100, `${lines} lines`);
  assert.equal(lines + failures, 100);
  assert.match(why ?? '', /the activity log could not be written: EFBIG/);
  const file = join(path, 'activity.jsonl');
  const verdict = await verifyLogFile(file);
  assert.ok(verdict.ok && verdict.lines === lines, JSON.stringify(verdict));
  // With space again, the log continues after the last complete line.
  await new ActivityLog(fileLog(file), () => 1, (error) => assert.fail(error)).record('asked', { i: 'after' });
  const after = await verifyLogFile(file);
  assert.ok(after.ok && after.lines === lines + 1, JSON.stringify(after));

  assert.equal(sets[0], 'kept');
  assert.match(sets[1] ?? '', /^EFBIG/);
  assert.equal(await fileStore(join(path, 'store')).get('key'), 'yyyyyyyyyy');

  assert.equal(recordingFailed, true);
  assert.equal(recorded.length, 1);
  const recording = readFileSync(join(path, 'session.wire'), 'utf8').trimEnd().split('\n');
  assert.ok(recording.length > 5);
  recording.forEach((line, i) => assert.equal((JSON.parse(line.slice(4)) as { entry: number }).entry, i));

  // The server's tools cannot be pinned, so no call runs.
  assert.match(called, /^store-failed: the lists of s could not be stored: EFBIG/);
  assert.equal(ran, 0);
  const left = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => /\.new|\.lock/.test(name));
  assert.deepEqual(left, []);
});

test('a disk that is read-only: each writer is told, and nothing runs', { skip: windows }, (t) => {
  const path = folder(t);
  mkdirSync(join(path, 'store'));
  chmodSync(join(path, 'store'), 0o555);
  chmodSync(path, 0o555);
  const { lines, failures, sets, recorded, called, ran } = write(path, '');
  assert.deepEqual([lines, failures, ran], [0, 100, 0]);
  for (const set of sets) assert.match(set, /^EACCES/);
  assert.match(recorded[0] ?? '', /EACCES/);
  assert.match(called, /^store-failed: .*EACCES/);
});

test('a log whose file was put aside as its writer died goes on', async (t) => {
  const path = folder(t);
  const file = join(path, 'activity.jsonl');
  const fail = (error: Error): void => assert.fail(error);
  const log = new ActivityLog(fileLog(file, { maxBytes: 500 }), () => 1, fail);
  for (let i = 0; i < 2; i++) await log.record('asked', { i, text: 'words '.repeat(67) });
  const { size } = statSync(file);
  assert.ok(size >= 500);
  // The next append renamed the file, and died before it wrote the head.
  spawnSync('mv', [file, `${file}.1`]);
  await log.record('asked', { i: 3 });
  const verdict = await verifyLogFile(file);
  assert.ok(verdict.ok && verdict.lines === 3, JSON.stringify(verdict));
  truncateSync(`${file}.1`, size - 10);
  assert.equal((await verifyLogFile(file)).ok, false);
});

test('grants that the store does not take do not run the call', async () => {
  const { Host } = await import('../../src/host/host.ts');
  const { McpServer } = await import('../../src/server/index.ts');
  const { memoryTransport } = await import('../../src/transport/memory.ts');
  const { memoryStore } = await import('../../src/host/store.ts');
  const inner = memoryStore();
  let ran = 0;
  const server = new McpServer({ name: 's', version: '1.0.0' });
  server.tool('pay', {}, () => `${++ran}`);
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { s: { command: 's' } }, transport: () => memoryTransport(server),
    store: { get: (key) => inner.get(key), set: (key, value) => (key === 'grants' ? Promise.reject(new Error('ENOSPC')) : inner.set(key, value)) },
    person: { approve: async () => ({ allow: 'always' }) },
  });
  await assert.rejects(host.call('s/pay'), { code: 'store-failed', message: /permanent grants could not be stored: ENOSPC/ });
  assert.deepEqual([ran, await host.grants()], [0, []]);
  await host.close();
});
