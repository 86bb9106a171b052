import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import fs, { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { after } from 'node:test';
import type { TestContext } from 'node:test';
import { fileStore, login, loopback } from '../../src/oauth/node/index.ts';
import { withFileLock } from '../../src/oauth/node/file-lock.ts';
import { pair } from './authorization-server.ts';
import { call, follow, selfLogin } from './login.ts';
import { everyNth } from '../every-nth.ts';
import { programAt } from '../program-at.ts';

const windows = process.platform === 'win32' ? { skip: 'no file modes' } : {};

async function folder(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'barewire-oauth-'));
  t.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

test('file store: a text changes only from what was expected, and nobody else can read it', windows, async (t) => {
  const path = join(await folder(t), 'deep', 'oauth.json');
  const store = fileStore({ path });
  assert.equal(await store.get('a'), undefined);
  assert.equal(await store.update('a', 'other', 'x'), false);
  assert.equal(await store.update('a', undefined, 'one'), true);
  // Check before a read: a reader restricts a file that others can read.
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await store.update('a', undefined, 'two'), false);
  assert.equal(await store.update('__proto__', undefined, 'odd'), true);
  assert.deepEqual([await store.get('a'), await store.get('__proto__'), await store.get('toString')], ['one', 'odd', undefined]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal((await stat(join(path, '..'))).mode & 0o777, 0o700);
  await chmod(path, 0o644);
  await store.get('a');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await store.update('a', 'one', undefined), true);
  assert.equal(await store.get('a'), undefined);
  // Nothing remains: no lock, no half-written file.
  assert.deepEqual(await readdir(join(path, '..')), ['oauth.json']);
});

test('file store: of many changes at once from the same text, one wins', async (t) => {
  const store = fileStore({ path: join(await folder(t), 'oauth.json') });
  const won = await Promise.all(Array.from({ length: 20 }, (_, i) => store.update('a', undefined, String(i))));
  assert.equal(won.filter(Boolean).length, 1);
});

test('file store: a file that is none of its own is not overwritten, and its text is in no error', async (t) => {
  const path = join(await folder(t), 'oauth.json');
  for (const text of ['{"a":"secret', '[]x', '{"a":{"secret":1}}', 'null']) {
    await writeFile(path, text, { mode: 0o600 });
    const store = fileStore({ path });
    await assert.rejects(store.get('a'), (error: Error & { code?: string }) =>
      error.code === 'store_unreadable' && error.message.includes(path) && !error.message.includes('secret'));
    await assert.rejects(store.update('a', undefined, 'x'), { code: 'store_unreadable' });
    assert.equal(await readFile(path, 'utf8'), text);
  }
});

test('file lock: one of a dead process is broken, one of a living process is waited for until it is too old', async (t) => {
  const path = join(await folder(t), 'lock');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await writeFile(path, JSON.stringify({ pid, host: hostname(), id: 'dead' }));
  assert.equal(await withFileLock(path, async () => 'done'), 'done');

  const living = JSON.stringify({ pid: process.pid, host: hostname(), id: 'living' });
  await writeFile(path, living);
  await assert.rejects(withFileLock(path, async () => {}, { staleMs: 60_000, waitMs: 20 }), { code: 'store_locked' });
  assert.equal(await readFile(path, 'utf8'), living);
  assert.equal(await withFileLock(path, async () => 'broken', { staleMs: 30, waitMs: 60_000 }), 'broken');
  assert.deepEqual(await readdir(join(path, '..')), []);
});

test('file lock: one that nobody gives back is broken in its time, and one that is held is waited for in its time, after the clock was set back too', async (t) => {
  const path = join(await folder(t), 'lock');
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() - 86_400_000);
  await writeFile(path, JSON.stringify({ pid: process.pid, host: hostname(), id: 'living' }));
  await assert.rejects(withFileLock(path, async () => {}, { staleMs: 60_000, waitMs: 20 }), { code: 'store_locked' });
  assert.equal(await withFileLock(path, async () => 'broken', { staleMs: 30, waitMs: 60_000 }), 'broken');
  // A stale lock on the breaking of the lock is broken too.
  await writeFile(path, JSON.stringify({ pid: process.pid, host: hostname(), id: 'living' }));
  await writeFile(`${path}.break`, JSON.stringify({ pid: process.pid, host: hostname(), id: 'breaking' }));
  assert.equal(await withFileLock(path, async () => 'broken', { staleMs: 30, waitMs: 60_000 }), 'broken');
  assert.deepEqual(await readdir(join(path, '..')), []);
});

test('file lock: what keeps a stale lock from being broken is told at once, and is not taken for another that breaks it', async (t) => {
  const path = join(await folder(t), 'lock');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await writeFile(path, JSON.stringify({ pid, host: hostname(), id: 'dead' }));
  const { link } = fs;
  const restore = (): void => {
    Object.assign(fs, { link });
    syncBuiltinESMExports();
  };
  t.after(restore);
  let tries = 0;
  Object.assign(fs, {
    link: async (from: string, to: string) => {
      if (!to.endsWith('.break')) return link(from, to);
      throw Object.assign(new Error('no'), { code: ++tries === 1 ? 'ENOSPC' : 'EEXIST' });
    },
  });
  syncBuiltinESMExports();
  await assert.rejects(withFileLock(path, async () => {}, { staleMs: 60_000, waitMs: 50 }), { code: 'ENOSPC' });
  // Another process that breaks the lock and does not finish is waited for no longer than a lock.
  await assert.rejects(withFileLock(path, async () => {}, { staleMs: 60_000, waitMs: 20 }), { code: 'store_locked' });
  assert.ok(tries < 25, `${tries} tries`);
});

test('file lock: of many that find a stale lock, one at a time works', async (t) => {
  const path = join(await folder(t), 'lock');
  await writeFile(path, JSON.stringify({ pid: spawnSync(process.execPath, ['-e', '']).pid, host: hostname(), id: 'dead' }));
  // The lock counts as new, however long its owner waited for it.
  await utimes(path, 0, 0);
  let inside = 0;
  await Promise.all(Array.from({ length: 30 }, () => withFileLock(path, async () => {
    assert.equal(++inside, 1);
    for (let i = 0; i < 3; i++) await stat('.');
    inside--;
  })));
  assert.deepEqual(await readdir(join(path, '..')), []);
});

/** Eight ready processes of `refresh-process.ts`, which both races use. */
const eight: Promise<(path: string, url: string) => Promise<string>>[] = [];
const started: ChildProcess[] = [];
after(() => started.forEach((child) => child.kill()));

function startProcess(): Promise<(path: string, url: string) => Promise<string>> {
  const file = programAt('test/oauth-client/refresh-process.js');
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve) => lines.once('line', () => resolve((path, url) => new Promise((done) => {
    lines.once('line', done);
    child.stdin.write(`${JSON.stringify({ path, url })}\n`);
  }))));
}

/** All eight in the whole run. */
const racers = 8 / everyNth(2);

/** Makes each of the processes send a request at the same time. Returns their results. */
async function race(path: string, url: string): Promise<string[]> {
  while (eight.length < racers) eight.push(startProcess());
  return Promise.all((await Promise.all(eight)).map((go) => go(path, url)));
}

test('refresh race: eight processes, one rotating refresh token, used once', async (t) => {
  const { as, rs } = await pair(t);
  const path = join(await folder(t), 'oauth.json');
  const store = fileStore({ path });
  await call(selfLogin({ store }), rs.url);
  const key = `tokens test ${rs.url} ${as.origin} ${rs.url}`;
  const text = await store.get(key) ?? '';
  await store.update(key, text, JSON.stringify({ ...JSON.parse(text) as object, expires_at: Date.now() - 1 }));
  as.valid.clear();
  assert.deepEqual(await race(path, rs.url), Array<string>(racers).fill('200'));
  assert.deepEqual(as.forms.map((form) => form.get('grant_type')), ['authorization_code', 'refresh_token']);
  assert.equal(as.reuses, 0);
  assert.equal(as.logins.length, 1);
  assert.equal(new Set(rs.accepted).size, 2);
});

test('login race: eight processes that know nobody, one login', async (t) => {
  const { as, rs } = await pair(t);
  const path = join(await folder(t), 'oauth.json');
  assert.deepEqual(await race(path, rs.url), Array<string>(racers).fill('200'));
  assert.equal(as.logins.length, 1);
  assert.equal(as.registrations.length, 1);
});

test('loopback: the person sees whether it worked, and comes back to a port that was bound before', async (t) => {
  const { as, rs } = await pair(t);
  const path = join(await folder(t), 'oauth.json');
  const pages: string[] = [];
  const browser = async (url: URL): Promise<void> => {
    const page = await fetch(url);
    pages.push(`${page.status} ${await page.text()}`);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  };
  let shown: Promise<void> | undefined;
  const auth = (): ReturnType<typeof login> => login({
    client: { name: 'test' }, store: fileStore({ path }), onAuthorize: (url) => void (shown = browser(url)),
  });
  assert.equal(await call(auth(), rs.url), 200);
  await shown;
  assert.match(pages[0] ?? '', /^200 .*You are logged in/);
  assert.match(as.logins[0]?.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);

  // The next login uses the same port, so the registration stays valid.
  as.valid.clear();
  as.refreshTokens.clear();
  as.redirect = (to) => {
    to.searchParams.delete('code');
    to.searchParams.set('error', 'access_denied');
    to.searchParams.set('error_description', '<script>alert(1)</script>');
  };
  await assert.rejects(call(auth(), rs.url), { code: 'authorization_refused' });
  await shown;
  assert.match(pages[1] ?? '', /^400 .*The login did not work.*&#60;script/);
  assert.ok(!pages[1]?.includes('<script'));
  assert.equal(as.logins[1]?.get('redirect_uri'), as.logins[0]?.get('redirect_uri'));
  assert.equal(as.registrations.length, 1);
});

test('loopback: what answers no login does not end the one that waits', async (t) => {
  const { as, rs } = await pair(t);
  const stranger: number[] = [];
  const auth = login({
    client: { name: 'test' }, store: fileStore({ path: join(await folder(t), 'oauth.json') }),
    async onAuthorize(url) {
      const redirect = url.searchParams.get('redirect_uri') ?? '';
      for (const query of ['', '?code=x', '?code=x&state=guessed', `?error=access_denied&state=${'s'.repeat(43)}`]) {
        stranger.push((await fetch(redirect + query)).status);
      }
      stranger.push((await fetch(redirect.replace('callback', 'other'))).status);
      stranger.push((await fetch(redirect, { method: 'POST' })).status);
      // A host name that an attacker made resolve to 127.0.0.1.
      stranger.push(await new Promise<number>((resolve) => request(redirect, { headers: { host: 'evil.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).end()));
      await fetch(await follow(url));
    },
  });
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual(stranger, [400, 400, 400, 400, 404, 404, 403]);
  assert.equal(as.forms.length, 1);
});

test('loopback: a port that is taken is left to whoever has it, unless it was asked for by number', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const listener = await loopback().listen(`http://127.0.0.1:${port}/callback`);
  assert.notEqual(new URL(listener.redirectUri).port, String(port));
  const waiting = assert.rejects(listener.next(), { code: 'timeout' });
  listener.close();
  await waiting;
  await assert.rejects(loopback({ port }).listen(undefined), { code: 'EADDRINUSE' });
});
