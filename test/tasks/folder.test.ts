import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/mcp-server.ts';
import { folderStore } from '../../src/tasks/node/folder-store.ts';
import { sealLine } from '../../src/tasks/node/segment.ts';
import { runTasks, tasks } from '../../src/tasks/server.ts';
import { LeaseLost } from '../../src/tasks/store.ts';
import type { StoredTask } from '../../src/tasks/store.ts';
import { accept } from '../server/peer.ts';
import type { Bag } from '../server/peer.ts';
import { ModernTasks } from './harness.ts';
import { everyNth } from '../every-nth.ts';

async function scratch(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'barewire-tasks-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const limits = { leaseMs: 10_000, scanMs: 5 };

function order(): McpServer {
  const server = new McpServer({ name: 'orders', version: '1' });
  server.tool('order', { task: 'required' }, async (_args, ctx) => {
    const a = await ctx.once('charge', () => 'charged');
    const form = await ctx.elicit('Where to?', { city: { type: 'string' } }, { key: 'city' });
    const b = await ctx.once('pack', () => 'packed');
    return [a, b, await ctx.once('ship', () => `shipped to ${form.content?.city}`)].join();
  });
  return server;
}

/** A folder with one order that has run to its end. */
async function ended(path: string): Promise<{ id: string; whole: StoredTask }> {
  const server = order();
  const work = tasks(server, { store: await folderStore(path), limits });
  const client = await ModernTasks.to(server);
  const id = await client.begin('order');
  await client.is(id, 'input_required');
  await client.update(id, { city: accept({ city: 'Rome' }) });
  await client.ended(id);
  await work.close();
  const whole = await (await folderStore(path)).load(id);
  assert.ok(whole?.end);
  return { id, whole };
}

const startsWith = (whole: readonly string[], part: readonly string[]): boolean =>
  part.every((text, i) => text === whole[i]);

test('cut at every byte of its journal, a task is what it was at some moment, and can go on from there', async (t) => {
  const path = await scratch(t);
  const { id, whole } = await ended(path);
  const names = (await readdir(join(path, id))).sort();
  const segments = names.filter((name) => name.endsWith('.log'));
  const answers = names.filter((name) => name.startsWith('answer-'));
  // Created, first run, second run, end; and one answer.
  assert.equal(segments.length, 4);
  assert.equal(answers.length, 1);
  const cutAt = join(path, 'cut-0');
  let cuts = 0;
  let resumed = 0;
  const store = await folderStore(path);
  // As after a power cut while this segment was written: later segments are missing, and an answer exists only after its question.
  for (const [n, name] of segments.entries()) {
    const bytes = await readFile(join(path, id, name));
    let last = '';
    let fresh = false;
    for (let length = 0; length <= bytes.length; length++) {
      if (length % everyNth(5) > 0 && length < bytes.length) continue;
      cuts++;
      if (!fresh) {
        await rm(cutAt, { recursive: true, force: true });
        await cp(join(path, id), cutAt, { recursive: true });
        await rm(join(cutAt, 'ended'), { force: true });
        for (const later of segments.slice(n + 1)) await rm(join(cutAt, later));
        if (n < 2) for (const answer of answers) await rm(join(cutAt, answer));
        fresh = true;
      }
      await writeFile(join(cutAt, name), bytes.subarray(0, length));
      const found = await store.load('cut-0');
      if (n === 0 && length < bytes.length) {
        assert.equal(found, undefined, `${name} at ${length}`);
        continue;
      }
      assert.ok(found, `${name} at ${length}`);
      assert.equal(found.head, whole.head);
      assert.ok(startsWith(whole.records, found.records), `${name} at ${length}: ${found.records.join()}`);
      assert.equal(found.end === undefined || found.end === whole.end, true);
      // More bytes never give less complete content.
      const state = JSON.stringify([found.records.length, found.waiting, found.end]);
      if (state === last || found.end !== undefined) continue;
      last = state;
      fresh = false;
      resumed++;
      // The lease of the dead process expires as time passes.
      await utimes(join(cutAt, name), 0, 0);
      const server = order();
      const work = tasks(server, { store: await folderStore(path), limits });
      const client = await ModernTasks.to(server);
      const now = await client.when('cut-0', ({ status }) => status !== 'working');
      if (now['status'] === 'input_required') await client.update('cut-0', { city: accept({ city: 'Rome' }) });
      const task = await client.ended('cut-0');
      assert.equal(JSON.stringify((task['result'] as Bag)['content']), '[{"type":"text","text":"charged,packed,shipped to Rome"}]');
      await work.close();
    }
  }
  assert.ok(cuts > 1000 / everyNth(5), `${cuts} cuts`);
  assert.ok(resumed >= 6, `${resumed} resumed`);
});

test('a damaged byte hides what follows it, and nothing else', async (t) => {
  const path = await scratch(t);
  const { id, whole } = await ended(path);
  const name = join(path, id, '00000002.log');
  const bytes = await readFile(name);
  for (let at = 0; at < bytes.length; at += 7) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 1;
    await writeFile(name, damaged);
    const found = await (await folderStore(path)).load(id);
    assert.ok(found && startsWith(whole.records, found.records), `at ${at}`);
  }
});

test('what a worker adds that was stopped between its check and its write is never read', async (t) => {
  const path = await scratch(t);
  const [stale, fresh] = [await folderStore(path), await folderStore(path)];
  await stale.create({ id: 'one', owner: '', createdAt: Date.now(), expiresAt: null, head: '{}' });
  const old = await stale.lease('one', 60_000);
  assert.ok(old);
  await stale.append(old.lease, 0, ['"kept"']);
  // Its lease expires without its knowledge; to the others, the file time shows it.
  await utimes(join(path, 'one', '00000001.log'), 0, 0);
  const taken = await fresh.lease('one', 60_000);
  assert.ok(taken);
  await assert.rejects(stale.append(old.lease, 1, ['"stale"']), LeaseLost);
  assert.match(await readFile(join(path, 'one', '00000001.log'), 'utf8'), /stale/);
  await fresh.append(taken.lease, 1, ['"fresh"']);
  for (const store of [stale, fresh]) {
    assert.deepEqual((await store.load('one'))?.records, ['"kept"', '"fresh"']);
  }
  await assert.rejects(stale.end('one', '"stale"', old.lease), LeaseLost);
  assert.equal((await fresh.load('one'))?.end, undefined);
  await Promise.all([stale.close(), fresh.close()]);
});

test('a worker that died before it said what counts had the task for its time, and no longer', async (t) => {
  const path = await scratch(t);
  const store = await folderStore(path);
  t.after(() => store.close());
  await store.create({ id: 'one', owner: '', createdAt: Date.now(), expiresAt: null, head: '{}' });
  await writeFile(join(path, 'one', '00000001.log'), sealLine({ k: 'lease', ms: 60_000 }));
  assert.equal(await store.lease('one', 1000), undefined, 'it may be about to say it');
  await utimes(join(path, 'one', '00000001.log'), 0, 0);
  const later = await folderStore(path);
  t.after(() => later.close());
  assert.equal((await later.lease('one', 60_000))?.lease.fence, 2);
  // After a power cut a file may have a name but no content.
  await store.create({ id: 'two', owner: '', createdAt: Date.now(), expiresAt: null, head: '{}' });
  await writeFile(join(path, 'two', '00000001.log'), '');
  assert.equal((await store.lease('two', 60_000))?.lease.fence, 2);
});

test('what earlier versions have written is read: their leases say at once what counts', async (t) => {
  const path = await scratch(t);
  const [task, kept, stale] = [
    sealLine({ k: 'task', owner: 'ann', createdAt: 1, expiresAt: null, head: '{}' }), sealLine({ k: 'add', r: ['"kept"'] }), sealLine({ k: 'add', r: ['"stale"'] }),
  ] as const;
  const lease = sealLine({ k: 'lease', ms: 60_000, cut: [task.length] });
  await mkdir(join(path, 'one'));
  await mkdir(join(path, `.gone-${'2'.repeat(40)}`));
  await writeFile(join(path, 'one', '00000000.log'), task);
  await writeFile(join(path, 'one', '00000001.log'), lease + kept + stale);
  await writeFile(join(path, 'one', '00000002.log'), sealLine({ k: 'lease', ms: 60_000, cut: [task.length, lease.length + kept.length] }));
  await utimes(join(path, 'one', '00000002.log'), 0, 0);
  const store = await folderStore(path);
  t.after(() => store.close());
  assert.deepEqual(await store.due(10), ['one']);
  const found = await store.lease('one', 60_000);
  assert.deepEqual(found?.task.records, ['"kept"']);
  assert.equal(found.lease.fence, 3);
});

test('ids are no paths', async (t) => {
  const path = await scratch(t);
  const store = await folderStore(join(path, 'tasks'));
  await writeFile(join(path, '00000000.log'), await readFile(new URL(import.meta.url)));
  for (const id of ['..', '../x', '.', '', 'a/b', 'A', 'x'.repeat(101), '\0']) {
    assert.equal(await store.load(id), undefined);
    assert.equal(await store.lease(id, 10), undefined);
    assert.equal(await store.end(id, '{}'), false);
    await assert.rejects(store.create({ id, owner: '', createdAt: 0, expiresAt: null, head: '{}' }), RangeError);
  }
});

test('several servers on one folder: one creates, another works, a third is asked', async (t) => {
  const path = await scratch(t);
  const [front, desk] = [order(), order()];
  const [one, two] = [
    tasks(front, { store: await folderStore(path), work: false, limits }),
    tasks(desk, { store: await folderStore(path), work: false, limits }),
  ];
  const worker = runTasks(order(), await folderStore(path), { limits });
  t.after(() => Promise.all([one.close(), two.close(), worker.close()]));
  const [here, there] = [await ModernTasks.to(front), await ModernTasks.to(desk)];
  const id = await here.begin('order');
  await there.is(id, 'input_required');
  await there.update(id, { city: accept({ city: 'Oslo' }) });
  assert.match(JSON.stringify((await here.ended(id))['result']), /shipped to Oslo/);
});
