import assert from 'node:assert/strict';
import fs, { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { memoryStore } from '../../src/oauth/index.ts';
import type { AuthorizationStore } from '../../src/oauth/index.ts';
import { fileStore } from '../../src/oauth/node/index.ts';
import { everyNth } from '../every-nth.ts';
import { pair } from './authorization-server.ts';
import { call, follow, selfLogin } from './login.ts';

const windows = process.platform === 'win32' ? { skip: 'file handles are replaced by those of POSIX' } : {};

async function folder(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'barewire-disk-'));
  t.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

const failure = (code: string): Error => Object.assign(new Error(`${code}: no room`), { code });

/** A disk whose n-th operation fails: half of the data is then written. The fault lasts until it is healed. */
class Disk {
  operations = 0;
  #failAt = Infinity;
  #lasts = false;
  #code = '';

  constructor(t: TestContext) {
    const { open, writeFile, mkdir, link, rename } = fs;
    t.after(() => {
      Object.assign(fs, { open, writeFile, mkdir, link, rename });
      syncBuiltinESMExports();
    });
    const guarded = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => async (...args: A): Promise<R> => {
      this.#count();
      return work(...args);
    };
    const half = (data: unknown): string => String(data).slice(0, Math.floor(String(data).length / 2));
    const faulty = (file: FileHandle): FileHandle => new Proxy(file, {
      get: (target, name) => {
        if (name === 'writeFile') return async (data: string) => {
          try {
            this.#count();
          } catch (thrown) {
            await target.writeFile(half(data));
            throw thrown;
          }
          return target.writeFile(data);
        };
        if (name === 'sync') return guarded(() => target.sync());
        if (name === 'close') return async () => {
          await target.close();
          this.#count();
        };
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) as unknown : value;
      },
    });
    Object.assign(fs, {
      mkdir: guarded(mkdir as (...args: unknown[]) => Promise<unknown>), link: guarded(link), rename: guarded(rename),
      open: async (...args: Parameters<typeof open>) => {
        this.#count();
        return faulty(await open(...args));
      },
      writeFile: async (path: string, data: string, options: object) => {
        try {
          this.#count();
        } catch (thrown) {
          await writeFile(path, half(data), options);
          throw thrown;
        }
        return writeFile(path, data, options);
      },
    });
    syncBuiltinESMExports();
  }

  fail(at: number, lasts: boolean, code: string): void {
    this.operations = 0;
    [this.#failAt, this.#lasts, this.#code] = [at, lasts, code];
  }

  heal(): void {
    this.#failAt = Infinity;
  }

  #count(): void {
    const at = this.operations++;
    if (at === this.#failAt || (this.#lasts && at > this.#failAt)) throw failure(this.#code);
  }
}

test('disk: whichever operation fails, what was acknowledged is there, and of what was not nothing is torn or left over', windows, async (t) => {
  const disk = new Disk(t);
  let faults = 0;
  for (const code of ['ENOSPC', 'EROFS', 'EIO', 'EDQUOT']) {
    for (const lasts of [false, true]) {
      for (let at = 0; ; at += everyNth(9)) {
        const path = join(await folder(t), 'oauth.json');
        const store = fileStore({ path });
        const kept = new Map<string, string>();
        await store.update('first', undefined, 'kept');
        kept.set('first', 'kept');
        disk.fail(at, lasts, code);
        let failed: { key: string; before: string | undefined; after: string | undefined } | undefined;
        for (const [key, next] of [['a', 'one'], ['b', 'two'], ['a', 'three'], ['b', undefined], ['c', 'x'.repeat(5000)]] as const) {
          const before = kept.get(key);
          try {
            assert.equal(await store.update(key, before, next), true);
            if (next === undefined) kept.delete(key);
            else kept.set(key, next);
          } catch (thrown) {
            assert.equal((thrown as { code?: unknown }).code, 'store_unwritable', String(thrown));
            assert.match(String(thrown), new RegExp(`oauth\\.json: ${code}`));
            failed = { key, before, after: next };
            faults++;
            break;
          }
        }
        disk.heal();
        const found = new Map(Object.entries(JSON.parse(await readFile(path, 'utf8')) as Record<string, string>));
        if (failed) {
          assert.ok([failed.before, failed.after].includes(found.get(failed.key)), `operation ${at}: the text is neither the old nor the new one`);
          if (failed.before === undefined) kept.delete(failed.key);
          for (const map of [kept, found]) map.delete(failed.key);
        }
        assert.deepEqual(found, kept, `operation ${at} failed with ${code}`);
        assert.deepEqual(await readdir(join(path, '..')), ['oauth.json'], `operation ${at} failed with ${code}`);
        // With free space again, the store continues.
        assert.equal(await fileStore({ path }).update('later', undefined, 'kept'), true);
        if (!failed) break;
      }
    }
  }
  assert.ok(faults > 200 / everyNth(9), `${faults} faults`);
});

test('disk: a file on a disk that cannot be written is read, also where others can read it', windows, async (t) => {
  const path = join(await folder(t), 'oauth.json');
  await fileStore({ path }).update('a', undefined, 'one');
  await chmod(path, 0o644);
  const { chmod: change } = fs;
  t.after(() => {
    Object.assign(fs, { chmod: change });
    syncBuiltinESMExports();
  });
  const refuse = (code: string): void => {
    Object.assign(fs, { chmod: async () => { throw failure(code); } });
    syncBuiltinESMExports();
  };
  refuse('EROFS');
  assert.equal(await fileStore({ path }).get('a'), 'one');
  // A file of another user that everybody can read is different.
  refuse('EPERM');
  await assert.rejects(fileStore({ path }).get('a'), { code: 'store_unreadable' });
  assert.equal((await stat(path)).mode & 0o777, 0o644);
});

/** A store that refuses tokens while it is full. Short entries, such as a claim, still fit. */
function full(inner: AuthorizationStore): AuthorizationStore & { isFull: boolean } {
  const self = {
    ...inner,
    isFull: false,
    async update(key: string, expected: string | undefined, next: string | undefined): Promise<boolean> {
      if (self.isFull && key.startsWith('tokens ')) throw failure('ENOSPC');
      return inner.update(key, expected, next);
    },
  };
  return self;
}

test('disk: tokens that cannot be kept are used, reported, and kept when there is room; no refresh token is used twice', async (t) => {
  const { as, rs } = await pair(t);
  const store = full(memoryStore());
  const errors: Error[] = [];
  const auth = selfLogin({ store, onError: (error) => errors.push(error) });
  await call(auth, rs.url);
  store.isFull = true;
  // Each refresh invalidates the previous refresh token.
  for (let i = 1; i <= 3; i++) {
    as.valid.clear();
    assert.equal(await call(auth, rs.url), 200);
    assert.ok(errors.length >= i && errors.every(({ message }) => message.includes('ENOSPC')));
  }
  store.isFull = false;
  as.valid.clear();
  assert.equal(await call(auth, rs.url), 200);
  // Another process finds the newest tokens.
  as.valid.clear();
  assert.equal(await call(selfLogin({ store }), rs.url), 200);
  assert.deepEqual([as.logins.length, as.reuses], [1, 0]);
});

test('disk: a login whose tokens cannot be kept is not lost, and who finishes it hears that they are not kept', async (t) => {
  const { as, rs } = await pair(t);
  const store = full(memoryStore());
  const waiting = selfLogin({ store, server: rs.url }, { interactive: false });
  const { url } = await call(waiting, rs.url).then(() => assert.fail(), (thrown: { url: string }) => thrown);
  store.isFull = true;
  await assert.rejects(waiting.finish(await follow(new URL(url))), { code: 'ENOSPC' });
  assert.equal(await call(waiting, rs.url), 200);
  store.isFull = false;
  as.valid.clear();
  assert.equal(await call(waiting, rs.url), 200);
  assert.equal(await call(selfLogin({ store }), rs.url), 200);
  // Signing out forgets them, stored or not.
  store.isFull = true;
  as.valid.clear();
  assert.equal(await call(waiting, rs.url), 200);
  store.isFull = false;
  await waiting.signOut();
  assert.deepEqual(await waiting.headers({ method: 'POST', url: rs.url }), {});
  assert.deepEqual([as.logins.length, as.reuses], [1, 0]);
});
