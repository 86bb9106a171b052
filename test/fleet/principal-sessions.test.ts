import assert from 'node:assert/strict';
import test from 'node:test';
import type { SessionStore } from '../../src/fleet/engine.ts';
import { memoryEngine } from '../../src/fleet/memory-engine.ts';
import { principalSessions } from '../../src/fleet/stored-sessions.ts';
import type { StoredRecord } from '../../src/fleet/session-records.ts';
import { randomOf } from '../random.ts';

const record = (principal: string | undefined): StoredRecord => ({
  agreed: { version: '2025-11-25', client: { name: 'c', version: '1' }, capabilities: {} },
  principal, level: undefined, watched: [], opened: 0, listener: undefined,
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A store in which each operation waits until the test releases it. */
function slowStore(): { store: SessionStore; steps: (() => void)[]; kept: SessionStore } {
  const kept = memoryEngine({ maxSessions: 1000 }).sessions;
  const steps: (() => void)[] = [];
  const step = (): Promise<void> => new Promise((resolve) => steps.push(resolve));
  const store: SessionStore = {
    ...kept,
    create: (...args) => step().then(() => kept.create(...args)),
    delete: (...args) => step().then(() => kept.delete(...args)),
    of: (...args) => step().then(() => kept.of(...args)),
  };
  return { store, steps, kept };
}

test('however the steps of the store fall, no principal has more sessions than it may, and the oldest make room', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = randomOf(seed);
    const { store, steps, kept } = slowStore();
    const max = 1 + Math.floor(random() * 3);
    const ended: string[] = [];
    const principals = principalSessions({
      sessions: store, max, idleMs: 60_000, connected: () => false,
      end: async (id) => {
        ended.push(id);
        await store.delete(id);
      },
    });
    const owners = ['ada', 'bob'];
    const made = owners.flatMap((owner) =>
      [1, 2, 3, 4, 5].map((n) => principals.create(`${owner}-${n}`, record(owner))));
    let left = made.length;
    for (const one of made) one.then((kept) => assert.equal(kept, true)).finally(() => left--);
    while (left > 0) {
      const [step] = steps.splice(Math.floor(random() * steps.length), 1);
      step?.();
      await turn();
      for (const owner of owners) assert.ok((await kept.of(owner)).length <= max, `seed ${seed}`);
    }
    await Promise.all(made);
    for (const owner of owners) {
      const all = [1, 2, 3, 4, 5].map((n) => `${owner}-${n}`);
      assert.deepEqual(await kept.of(owner), all.slice(-max), `seed ${seed}`);
      assert.deepEqual(ended.filter((id) => id.startsWith(owner)), all.slice(0, -max), `seed ${seed}`);
    }
  }
});

test('a session whose client is connected does not make room, and where none can go there is none', async () => {
  const sessions = memoryEngine({ maxSessions: 1000 }).sessions;
  const connected = new Set(['one']);
  const principals = principalSessions({
    sessions, max: 2, idleMs: 60_000, connected: (id) => connected.has(id), end: async (id) => void await sessions.delete(id),
  });
  for (const id of ['one', 'two', 'three']) assert.equal(await principals.create(id, record('ada')), true);
  assert.deepEqual(await sessions.of('ada'), ['one', 'three']);
  connected.add('three');
  assert.equal(await principals.create('four', record('ada')), false);
  assert.deepEqual(await sessions.of('ada'), ['one', 'three']);
  // Sessions without a principal are not counted.
  for (let n = 0; n < 5; n++) assert.equal(await principals.create(`nobody-${n}`, record(undefined)), true);
});

test('a store that fails once refuses one session of a principal, not the next one', async () => {
  const kept = memoryEngine({ maxSessions: 1000 }).sessions;
  let fails = true;
  const sessions: SessionStore = {
    ...kept,
    async of(owner) {
      if (fails) {
        fails = false;
        throw new Error('away');
      }
      return kept.of(owner);
    },
  };
  const principals = principalSessions({ sessions, max: 2, idleMs: 60_000, connected: () => false, end: async () => {} });
  const first = principals.create('one', record('ada'));
  const second = principals.create('two', record('ada'));
  await assert.rejects(first, /away/);
  assert.equal(await second, true);
  assert.deepEqual(await kept.of('ada'), ['two']);
});
