import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { folderStore } from '../../src/tasks/node/folder-store.ts';
import { storeTests } from '../../src/tasks/testing.ts';

for (const { name, run } of storeTests) {
  test(`memory: ${name}`, () => run(async () => {
    const store = memoryStore();
    return { store, again: async () => store };
  }));
}

for (const { name, run } of storeTests) {
  test(`folder: ${name}`, async (t) => {
    const path = await mkdtemp(join(tmpdir(), 'barewire-tasks-'));
    t.after(() => rm(path, { recursive: true, force: true }));
    await run(async () => ({ store: await folderStore(path), again: () => folderStore(path) }));
  });
}
