import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { folderStore } from '../../src/tasks/node/folder-store.ts';
import { sealLine } from '../../src/tasks/node/segment.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import { replaceDisk } from './disk.ts';

// In a separate process: it sets the umask.

async function scratch(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'barewire-tasks-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const hour = 3_600_000;
const task = (id: string, expiresAt: number | null = null): Parameters<TaskStore['create']>[0] =>
  ({ id, owner: 'ann', createdAt: Date.now(), expiresAt, head: '{}' });

/** Everything below a folder: path => type, mode and content. */
async function everything(path: string, below = ''): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await readdir(join(path, below))) {
    const at = join(below, name);
    const is = await lstat(join(path, at));
    const mode = (is.mode & 0o777).toString(8);
    if (is.isSymbolicLink()) found.set(at, `link to ${await readlink(join(path, at))}`);
    else if (is.isDirectory()) {
      found.set(at, `folder ${mode}`);
      for (const [name, what] of await everything(path, at)) found.set(name, what);
    } else found.set(at, `file ${mode} ${await readFile(join(path, at), 'utf8')}`);
  }
  return found;
}

/** Things that others may have in the folder, or add later. Each function creates some, and returns the names that must remain. */
const foreign: Readonly<Record<string, (path: string) => Promise<string[]>>> = {
  async 'a hidden file'(path) {
    await writeFile(join(path, '.env'), 'SECRET=1');
    return ['.env'];
  },
  async 'a file whose name could be an id'(path) {
    await writeFile(join(path, 'notes'), 'mine');
    return ['notes'];
  },
  async 'a file with a dot'(path) {
    await writeFile(join(path, 'photo.jpg'), 'mine');
    return ['photo.jpg'];
  },
  async 'a folder whose name could be an id'(path) {
    await mkdir(join(path, 'photos', 'summer'), { recursive: true });
    await writeFile(join(path, 'photos', 'one.jpg'), 'mine');
    return ['photos/summer', 'photos/one.jpg'];
  },
  async 'a repository'(path) {
    await mkdir(join(path, '.git', 'objects'), { recursive: true });
    await writeFile(join(path, '.git', 'HEAD'), 'ref');
    return ['.git/objects', '.git/HEAD'];
  },
  async 'names that begin like those that are deleted'(path) {
    await mkdir(join(path, '.gone-fishing'));
    await mkdir(join(path, '.new-0123456789abcdef'));
    const theirs = ['.gone-fishing/trout.txt', '.gone-fishing/ended', '.gone-0123456789abcdef', '.new-song', '.new-0123456789abcdef/song.txt'];
    for (const name of theirs) await writeFile(join(path, name), 'mine');
    // The store may add to a folder that has one of its own names; the existing content must remain.
    return theirs.slice(0, -1);
  },
  async 'a link whose name could be an id'(path) {
    await mkdir(join(path, 'Elsewhere'));
    await writeFile(join(path, 'Elsewhere', 'ended'), 'mine');
    await symlink('Elsewhere', join(path, 'link'));
    await symlink('Elsewhere', join(path, '.new-link'));
    await symlink('nowhere', join(path, 'dangling'));
    return ['Elsewhere/ended', 'link', 'dangling'];
  },
  async 'a folder that cannot be read'(path) {
    await mkdir(join(path, 'locked'));
    await writeFile(join(path, 'locked', 'x'), 'mine');
    await chmod(join(path, 'locked'), 0);
    return ['locked/x'];
  },
  async 'folders where files are expected'(path) {
    await mkdir(join(path, 'odd', '00000000.log'), { recursive: true });
    return ['odd/00000000.log'];
  },
  async 'lines that only look like those of a task'(path) {
    await mkdir(join(path, 'fake'));
    const text = `${sealLine({ k: 'task', owner: 1, createdAt: 'x' })}${sealLine(null)}`;
    await writeFile(join(path, 'fake', '00000000.log'), text);
    await mkdir(join(path, 'fake-lease'));
    await writeFile(join(path, 'fake-lease', '00000000.log'), sealLine({ k: 'task', owner: 'ann', createdAt: 1, expiresAt: null, head: '{}' }));
    await writeFile(join(path, 'fake-lease', '00000001.log'), sealLine({ k: 'add', r: 'x', w: [1] }));
    return ['fake/00000000.log'];
  },
};

/** Makes everything below a folder two hours old. */
async function age(path: string): Promise<void> {
  for (const [name, what] of await everything(path)) {
    const then = (Date.now() - 2 * hour) / 1000;
    if (!what.startsWith('link')) await utimes(join(path, name), then, then);
  }
}

for (const [what, make] of Object.entries(foreign)) {
  test(`${what} stays as it is, and stops nothing`, async (t) => {
    const path = await scratch(t);
    const store = await folderStore(path);
    t.after(() => store.close());
    await store.create(task('one'));
    await store.create(task('over', Date.now() - 1));
    const theirs = await make(path);
    await age(path);
    const before = await everything(path);
    const other = await folderStore(path);
    t.after(() => other.close());
    for (const one of [store, other]) {
      assert.deepEqual((await one.due(100)).filter((id) => !id.startsWith('fake')).sort(), one === store ? ['one', 'over'] : ['one'], 'due');
      assert.deepEqual([...await one.expire(Date.now())], one === store ? ['over'] : []);
      assert.deepEqual((await one.list('ann', undefined, 10)).map(({ id }) => id).filter((id) => id !== 'fake-lease'), ['one']);
      assert.equal(await one.count('ann') >= 1, true);
    }
    const after = await everything(path);
    for (const name of theirs) assert.equal(after.get(name), before.get(name), name);
    // The store still works.
    assert.ok(await other.lease('one', 60_000));
  });

  test(`a folder without a mark that has ${what} is refused, and nothing in it is touched`, async (t) => {
    const path = await scratch(t);
    await make(path);
    // The store accepts files that it could have made itself.
    if (what === 'lines that only look like those of a task') return;
    await age(path);
    const before = await everything(path);
    await assert.rejects(folderStore(path), (error: { code?: string; message: string }) =>
      error.code === 'foreign_folder' && error.message.includes(path));
    assert.deepEqual(await everything(path), before);
  });
}

test('what is put into the folder of a task stays, and the task goes', async (t) => {
  const path = await scratch(t);
  const store = await folderStore(path);
  t.after(() => store.close());
  await store.create(task('one', Date.now() - 1));
  await writeFile(join(path, 'one', 'notes.txt'), 'mine');
  assert.deepEqual([...await store.expire(Date.now())], ['one']);
  assert.equal(await store.load('one'), undefined);
  assert.equal(await store.count(), 0);
  const left = await everything(path);
  assert.deepEqual([...left].filter(([name]) => name.endsWith('notes.txt')).map(([, is]) => is), ['file 644 mine']);
  assert.deepEqual([...left.keys()].filter((name) => name.endsWith('.log')), []);
});

test('what was begun and not finished goes after an hour', async (t) => {
  const path = await scratch(t);
  const store = await folderStore(path);
  t.after(() => store.close());
  await mkdir(join(path, '.new-0123456789abcdef'));
  await writeFile(join(path, '.new-0123456789abcdef', '00000000.log'), 'half');
  await writeFile(join(path, '.new-fedcba9876543210'), 'half a mark');
  await store.expire(Date.now());
  assert.equal((await readdir(path)).length, 3);
  await store.expire(Date.now() + hour + 1000);
  assert.deepEqual(await readdir(path), ['.barewire-tasks']);
});

test('a task whose maker slept for hours in the middle is made whole, or refused', async (t) => {
  const disk = await replaceDisk();
  t.after(() => disk.restore());
  const path = await scratch(t);
  const [maker, other] = [await folderStore(path), await folderStore(path)];
  t.after(() => Promise.all([maker.close(), other.close()]));
  let clearing: Promise<unknown> = Promise.resolve();
  let [made, refused, writes] = [0, 0, 0];
  disk.onWrite = async () => {
    // To the other store this creation began two hours ago: it clears it before the maker continues, or at the same time.
    clearing = other.expire(Date.now() + 2 * hour);
    if (writes++ % 2 === 0) await clearing;
  };
  for (let n = 0; n < 100; n++) {
    const id = `task-${n}`;
    const done = await maker.create(task(id)).then(() => true, () => false);
    await clearing;
    if (done) made++;
    else refused++;
    assert.equal(await other.load(id) !== undefined, done, id);
  }
  assert.equal(made + refused, 100);
  assert.ok(refused > 0);
});

test('a folder that earlier versions have made is taken, and marked', async (t) => {
  const path = await scratch(t);
  await mkdir(join(path, 'one'));
  await mkdir(join(path, `.gone-${'2'.repeat(40)}`));
  await mkdir(join(path, 'lost+found'));
  await writeFile(join(path, 'one', '00000000.log'), sealLine({ k: 'task', owner: 'ann', createdAt: 1, expiresAt: null, head: '{}' }));
  const stores = await Promise.all([folderStore(path), folderStore(path)]);
  for (const store of stores) {
    assert.deepEqual(await store.due(10), ['one']);
    await store.close();
  }
  // From here on, added foreign files do not make the store refuse the folder.
  await writeFile(join(path, '.env'), 'SECRET=1');
  await (await folderStore(path)).close();
  await writeFile(join(path, '.barewire-tasks'), 'of another version');
  await assert.rejects(folderStore(path), { code: 'foreign_folder' });
});

for (const mask of [0o000, 0o022, 0o027, 0o077, 0o277, 0o777]) {
  test(`folders are 700 and files 600, whatever is masked: ${mask.toString(8)}`, async (t) => {
    const path = join(await scratch(t), 'tasks');
    const before = process.umask(mask);
    try {
      const store = await folderStore(path);
      await store.create(task('one'));
      const held = await store.lease('one', 60_000);
      assert.ok(held);
      await store.release(held.lease, 0, ['"x"'], ['a']);
      await store.answer('one', new Map([['a', '"b"']]));
      await store.end('one', '"end"');
      await store.close();
    } finally {
      process.umask(before);
    }
    const found = await everything(path);
    assert.equal(found.size, 7, [...found.keys()].join());
    for (const [name, what] of found) assert.match(what, /^(folder 700|file 600 )/, name);
    assert.equal((await lstat(path)).mode & 0o777, 0o700);
  });
}

test('a folder of the user that is there is closed to others when tasks come into it', async (t) => {
  const path = await scratch(t);
  await chmod(path, 0o755);
  await (await folderStore(path)).close();
  assert.equal((await lstat(path)).mode & 0o777, 0o700);
});
