import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/mcp-server.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { folderStore } from '../../src/tasks/node/folder-store.ts';
import { tasks } from '../../src/tasks/server.ts';
import { everyNth } from '../every-nth.ts';
import { randomOf } from '../random.ts';
import { accept } from '../server/peer.ts';
import type { Bag } from '../server/peer.ts';
import { handClocks } from './clocks.ts';
import type { Clocks } from './clocks.ts';
import { replaceDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import { ModernTasks } from './harness.ts';

async function scratch(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'barewire-tasks-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const leaseMs = 30_000;

interface Outcome {
  /** File writes that the order made. */
  readonly writes: number;
  readonly refused: number;
  readonly result: string;
}

/**
 * Runs one order on a disk where write number `at` is cut to `part` of its bytes and the next `more` writes fail. The client repeats
 * refused requests. Each step is counted by its key once its value was acknowledged.
 */
async function order(path: string, disk: Disk, clocks: Clocks, at: number, part: number, more: number): Promise<Outcome> {
  const server = new McpServer({ name: 'test', version: '1' }, { onError: () => {} });
  const made = new Map<string, number>();
  const step = (ctx: { once: <T>(key: string, make: () => T) => Promise<T> }, name: string): Promise<string> => ctx.once(name, () => {
    made.set(name, (made.get(name) ?? 0) + 1);
    return `${name} ${made.get(name)}`;
  });
  const acknowledged: string[] = [];
  server.tool('order', { task: 'required' }, async (_args, ctx) => {
    const all: string[] = [];
    for (const name of ['charge', 'pack']) {
      all.push(await step(ctx, name));
      acknowledged.push(all.at(-1) as string);
    }
    const { content } = await ctx.elicit('Where to?', { city: { type: 'string' } }, { key: 'city' });
    all.push(await step(ctx, 'ship'));
    return `${all.join(', ')} to ${content?.city}`;
  });
  let writes = 0;
  disk.onWrite = (bytes) => {
    writes++;
    if (writes === at) disk.room = Math.floor(bytes * part);
    else if (writes > at + more) disk.room = Infinity;
  };
  const store = await folderStore(path).catch(() => folderStore(path)).catch(() => {
    disk.room = Infinity;
    return folderStore(path);
  });
  const work = tasks(server, { store, limits: { leaseMs, scanMs: 1 } });
  const client = await ModernTasks.to(server);
  let refused = 0;
  const patiently = async (ask: () => Promise<{ error?: unknown; result?: Bag }>): Promise<Bag> => {
    for (let tries = 0; tries < 100; tries++) {
      const { result } = await ask();
      if (result) return result;
      refused++;
    }
    throw new Error('the disk is full for ever');
  };
  const { taskId } = await patiently(() => client.peer.modern('tools/call', { name: 'order', arguments: {} }));
  const id = taskId as string;
  let answered = false;
  for (let looks = 0; looks < 4000; looks++) {
    const task = await client.get(id);
    if (task['status'] === 'completed') {
      await work.close();
      disk.onWrite = () => {};
      disk.room = Infinity;
      const [{ text }] = (task['result'] as { content: [{ text: string }] }).content;
      for (const value of acknowledged) assert.ok(text.includes(value), `${value} was acknowledged, and the result is ${text}`);
      return { writes, refused, result: text.replaceAll(/ \d/g, '') };
    }
    if (task['status'] === 'input_required') {
      await patiently(() => client.update(id, { city: accept({ city: 'Oslo' }) }));
      // After the acknowledgement the question must not be open.
      assert.notEqual((await client.get(id))['status'], 'input_required', 'an answer was acknowledged and is lost');
      answered = true;
    }
    // Time passes only in these looks, so a lease that cannot be written expires.
    clocks.pass(200);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`the order has not ended; it was ${answered ? '' : 'not '}answered`);
}

test('the disk is full at any write, takes nothing of it, a part or nearly all, and has room again: the order ends', async (t) => {
  const disk = await replaceDisk();
  t.after(() => disk.restore());
  disk.stamps = true;
  const clocks = handClocks(t);
  const { writes } = await order(await scratch(t), disk, clocks, Infinity, 1, 0);
  assert.ok(writes >= 9, `${writes} writes`);
  let [cases, refused] = [0, 0];
  for (let at = 1; at <= writes; at++) {
    for (const part of [0, 0.5, 0.99]) {
      for (const more of [0, 1, 7]) {
        if (cases++ % everyNth(13) > 0) continue;
        const what = `write ${at}, ${part} of it, and ${more} more`;
        const outcome = await order(await scratch(t), disk, clocks, at, part, more).catch((error: unknown) => {
          throw new Error(`${what}: ${String(error)}`, { cause: error });
        });
        assert.equal(outcome.result, 'charge, pack, ship to Oslo', what);
        refused += outcome.refused;
      }
    }
  }
  assert.ok(refused > 0, 'clients hear of it');
});

test('what a full disk did not take has no name: neither a task, an answer, a lease nor an end', async (t) => {
  const disk = await replaceDisk();
  t.after(() => disk.restore());
  const path = await scratch(t);
  const store = await folderStore(path);
  t.after(() => store.close());
  const fails = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    for (const room of [0, 1, 30]) {
      disk.room = room;
      await assert.rejects(work(), { code: 'ENOSPC' }, `${what} with room for ${room} bytes`);
      disk.room = Infinity;
    }
  };
  const task = { id: 'one', owner: 'ann', createdAt: Date.now(), expiresAt: null, head: '{}' };
  await fails('a task', () => store.create(task));
  assert.equal(await store.count(), 0);
  await store.create(task);
  await fails('a lease', () => store.lease('one', 60_000));
  const held = await store.lease('one', 60_000);
  assert.equal(held?.lease.fence, 1, 'no number was used up');
  await store.release(held.lease, 0, ['"asked"'], ['a']);
  await fails('an answer', () => store.answer('one', new Map([['a', '"yes"']])));
  assert.equal((await store.load('one'))?.answers.size, 0);
  assert.deepEqual(await store.answer('one', new Map([['a', '"yes"']])), ['a']);
  await fails('an end', () => store.end('one', '"cancelled"'));
  assert.equal((await store.load('one'))?.end, undefined);
  const again = await store.lease('one', 60_000);
  assert.ok(again);
  await fails('an end with a lease', () => store.end('one', '"done"', again.lease));
  assert.equal(await store.end('one', '"done"', again.lease), true);
  assert.deepEqual(Object.values((await store.load('one')) ?? {}).includes('"done"'), true);
});

test('a lease whose write has failed can write nothing more, and the next one goes on from what was acknowledged', async (t) => {
  const disk = await replaceDisk();
  t.after(() => disk.restore());
  const clocks = handClocks(t);
  const store = await folderStore(await scratch(t));
  t.after(() => store.close());
  await store.create({ id: 'one', owner: 'ann', createdAt: Date.now(), expiresAt: null, head: '{}' });
  const held = await store.lease('one', leaseMs);
  assert.ok(held);
  await store.append(held.lease, 0, ['"kept"']);
  disk.room = 25;
  // A concurrent renewal writes too: neither may append after the other's torn line.
  const both = await Promise.allSettled([store.append(held.lease, 1, ['"lost"']), store.renew(held.lease, 2 * leaseMs)]);
  assert.deepEqual(both.map(({ status }) => status), ['rejected', 'rejected']);
  disk.room = Infinity;
  await assert.rejects(store.append(held.lease, 1, ['"late"']), { name: 'LeaseLost' });
  clocks.pass(2 * leaseMs);
  const next = await store.lease('one', leaseMs);
  assert.deepEqual(next?.task.records, ['"kept"']);
  await store.append(next.lease, 1, ['"more"']);
  assert.deepEqual((await store.load('one'))?.records, ['"kept"', '"more"']);
});

test('whatever file times say, what is due is what would be due by a store without files', async (t) => {
  const disk = await replaceDisk();
  t.after(() => disk.restore());
  for (const tickMs of [0, 10, 1000, 60_000]) {
    disk.tickMs = tickMs;
    for (let seed = 1; seed <= 40; seed++) {
      if (seed % everyNth(40) > 0) continue;
      const random = randomOf(seed);
      const path = await scratch(t);
      // One process creates and answers, another works, a third only reads.
      const [front, worker, watcher] = [await folderStore(path), await folderStore(path), await folderStore(path)];
      const model = memoryStore();
      let ids = 0;
      for (let step = 0; step < 40; step++) {
        const id = `task-${Math.floor(random() * (ids + 1))}`;
        const what = Math.floor(random() * 5);
        if (what === 0 || ids === 0) {
          const task = { id: `task-${ids++}`, owner: '', createdAt: step, expiresAt: null, head: '{}' };
          await Promise.all([front.create(task), model.create(task)]);
        } else if (what === 1) {
          const [one, other] = await Promise.all([worker.lease(id, 600_000), model.lease(id, 600_000)]);
          assert.equal(one === undefined, other === undefined, `seed ${seed}, step ${step}: lease of ${id}`);
          if (one && other && random() < 0.8) {
            const waiting = [[], ['a'], ['a', 'b']][Math.floor(random() * 3)] as string[];
            const { length } = one.task.records;
            await Promise.all([worker.release(one.lease, length, ['"x"'], waiting), model.release(other.lease, length, ['"x"'], waiting)]);
          }
        } else if (what < 4) {
          const answers = new Map([[random() < 0.5 ? 'a' : 'b', '"yes"']]);
          const [one, other] = await Promise.all([front.answer(id, answers), model.answer(id, answers)]);
          assert.deepEqual(one, other, `seed ${seed}, step ${step}: answer to ${id}`);
        } else if (random() < 0.2) await Promise.all([front.end(id, '"cancelled"'), model.end(id, '"cancelled"')]);
        const wanted = [...await model.due(1000)].sort();
        for (const store of [worker, watcher]) {
          assert.deepEqual([...await store.due(1000)].sort(), wanted, `ticks of ${tickMs} ms, seed ${seed}, step ${step}`);
        }
      }
      await Promise.all([front, worker, watcher].map((store) => store.close()));
    }
  }
});
