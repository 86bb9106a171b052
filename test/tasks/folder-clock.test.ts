import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import { LeaseTime } from '../../src/tasks/store.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { folderStore } from '../../src/tasks/node/folder-store.ts';
import { Sightings } from '../../src/tasks/node/sightings.ts';
import { tasks } from '../../src/tasks/server.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import { randomOf } from '../random.ts';
import type { Bag } from '../server/peer.ts';
import { handClocks } from './clocks.ts';
import type { Clocks } from './clocks.ts';
import { replaceDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import { ModernTasks } from './harness.ts';

const [second, minute, day] = [1000, 60_000, 86_400_000];
const leaseMs = 30 * second;

async function scratch(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'barewire-tasks-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function brokenDisk(t: TestContext): Promise<Disk> {
  const disk = await replaceDisk();
  t.after(() => disk.restore());
  disk.stamps = true;
  return disk;
}

/** Events that hit the only process in the middle of a step. */
const blows: Readonly<Record<string, (clocks: Clocks, disk: Disk) => void>> = {
  'it is stopped for longer than its lease': (clocks) => clocks.pass(2 * leaseMs),
  'the machine sleeps, and the steady clock with it': (clocks) => clocks.step(8 * 60 * minute),
  'the clock is set forward by more than a lease': (clocks) => clocks.step(minute),
  'the clock is set forward by ten seconds': (clocks) => clocks.step(10 * second),
  'the clock is set back by ten seconds': (clocks) => clocks.step(-10 * second),
  'the clock is set back by a day, and it is stopped': (clocks) => {
    clocks.step(-day);
    clocks.pass(2 * leaseMs);
  },
  'the disk is full': (_clocks, disk) => (disk.room = 0),
  'the disk takes a part of a line': (_clocks, disk) => (disk.room = 20),
};

for (const kind of ['folder', 'memory'] as const) {
  for (const [what, blow] of Object.entries(blows)) {
    if (kind === 'memory' && what.startsWith('the disk')) continue;
    test(`one process, ${kind}: twice ${what}, and the task goes on and ends`, async (t) => {
      const disk = await brokenDisk(t);
      const clocks = handClocks(t);
      const store = kind === 'folder' ? await folderStore(await scratch(t)) : memoryStore();
      const server = new McpServer({ name: 'test', version: '1' }, { onError: () => {} });
      let runs = 0;
      server.tool('bake', { task: 'required' }, async (_args, ctx) => {
        const dough = await ctx.once('knead', () => 'dough');
        const bread = await ctx.once('bake', async () => {
          if (++runs <= 2) blow(clocks, disk);
          return 'bread';
        });
        return `${bread} of ${dough}`;
      });
      const work = tasks(server, { store, limits: { leaseMs, scanMs: 1 } });
      try {
        const client = await ModernTasks.to(server);
        const id = await client.begin('bake');
        // Time passes, and later the disk has free space again.
        for (let looks = 0; looks < 400 && (await client.get(id))['status'] === 'working'; looks++) {
          clocks.pass(second);
          if (looks % 20 === 19) disk.room = Infinity;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const task = await client.get(id);
        assert.equal(task['status'], 'completed');
        assert.equal(JSON.stringify((task['result'] as Bag)['content']), '[{"type":"text","text":"bread of dough"}]');
      } finally {
        await work.close();
      }
    });
  }
}

/** Two stores in the same folder. */
async function pair(t: TestContext): Promise<[TaskStore, TaskStore]> {
  const path = await scratch(t);
  const stores: [TaskStore, TaskStore] = [await folderStore(path), await folderStore(path)];
  t.after(() => Promise.all(stores.map((store) => store.close())));
  return stores;
}

for (const renewed of [false, true]) {
  test(`a lease that was ${renewed ? 'renewed' : 'given'} while the clock was a day ahead is believed for no longer than it is`, async (t) => {
    await brokenDisk(t);
    const clocks = handClocks(t);
    const [dead, heir] = await pair(t);
    await dead.create({ id: 'one', owner: '', createdAt: Date.now(), expiresAt: null, head: '{}' });
    clocks.step(day);
    const held = await dead.lease('one', leaseMs);
    assert.ok(held);
    if (renewed) {
      clocks.pass(leaseMs / 3);
      await dead.renew(held.lease, leaseMs);
    }
    clocks.step(-day);
    assert.deepEqual(await heir.due(1), [], 'it is believed at first');
    clocks.pass(leaseMs - 1);
    assert.deepEqual(await heir.due(1), [], 'to the end');
    assert.equal(await heir.lease('one', leaseMs), undefined);
    clocks.pass(1);
    assert.deepEqual(await heir.due(1), ['one']);
    assert.ok(await heir.lease('one', leaseMs));
  });
}

test('a lease that is renewed in time is never taken away, however the clock is set; a dead one ends after its time', () => {
  const random = randomOf(24);
  for (let round = 0; round < 2000; round++) {
    let [steady, system] = [1_000_000, 1_700_000_000_000];
    const ms = 3000 + Math.floor(random() * 60_000);
    const tick = [0, 1, 10, 1000][Math.floor(random() * 4)] as number;
    const stamp = (): number => (tick > 0 ? Math.floor(system / tick) * tick : system);
    const seen = new Sightings({ ...systemClock, now: () => system, monotonic: () => steady });
    let written = stamp();
    let renewedAt = steady;
    // An observer exists from the beginning: its first look is before the clock is set for the first time.
    assert.ok(seen.left('one', 1, written, ms) > 0, `round ${round}`);
    let lookedAt = steady;
    for (let step = 0; step < 60; step++) {
      const passes = Math.floor(random() * ms / 6);
      steady += passes;
      system += passes;
      if (random() < 0.1) system += Math.floor((random() - 0.5) * 2 * day);
      if (steady - renewedAt > ms / 3) {
        written = stamp();
        renewedAt = steady;
      }
      // The observer looks at least every sixth of a lease.
      const left = seen.left('one', 1, written, ms);
      assert.ok(left <= ms && left > 0, `round ${round}, step ${step}: ${left} of ${ms}, looked ${steady - lookedAt} ms ago`);
      lookedAt = steady;
    }
    // From here on the holder of the lease is dead.
    const died = steady;
    while (seen.left('one', 1, written, ms) > 0) {
      steady += ms / 10;
      system += ms / 10;
      if (random() < 0.2) system += Math.floor((random() - 0.5) * 2 * day);
      assert.ok(steady - died <= 1.2 * ms, `round ${round}: believed for ${steady - died} of ${ms}`);
    }
  }
});

test('the own lease is not believed for longer than it is, whichever clock goes wrong', (t) => {
  const clocks = handClocks(t);
  const each = (change: () => void): boolean => {
    const time = new LeaseTime(leaseMs);
    change();
    return time.isOver;
  };
  assert.equal(each(() => clocks.pass(leaseMs - 1)), false);
  assert.equal(each(() => clocks.pass(leaseMs)), true);
  assert.equal(each(() => clocks.step(leaseMs)), true, 'asleep');
  assert.equal(each(() => clocks.step(-day)), false);
  assert.equal(each(() => {
    clocks.step(-day);
    clocks.pass(leaseMs);
  }), true, 'set back');
});
