import { pause, systemClock } from '../../bounds/clock.ts';
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { OAuthError } from '../errors.ts';

/** The owner of a lock, as recorded in its file. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly id: string;
}

/** Limits on waiting for the lock of a file store. */
export interface FileLockLimits {
  /**
   * Milliseconds after which a lock is broken even if its owner may be alive, since the guarded work takes milliseconds.
   * 10 seconds.
   */
  readonly staleMs: number;
  /** Milliseconds to wait for the lock. 30 seconds. */
  readonly waitMs: number;
}

/** The defaults of `FileLockLimits`. */
export const defaultFileLockLimits: FileLockLimits = { staleMs: 10_000, waitMs: 30_000 };

/**
 * Runs `work` while only this process holds the lock `path`, a file that names its owner. A lock is broken if its owner
 * is dead or it is too old. Rejects with `OAuthError` (`store_locked`) if the lock is not free in time.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, options: FileLockLimits = defaultFileLockLimits): Promise<T> {
  const owner: Owner = { pid: process.pid, host: hostname(), id: randomUUID() };
  const mine = `${path}.${owner.id}`;
  try {
    // Write the complete file before it gets the lock's name, so that nobody reads an incomplete owner.
    await writeFile(mine, JSON.stringify(owner), { mode: 0o600, flag: 'wx' });
    await take(path, mine, options);
    try {
      return await work();
    } finally {
      // If our lock was broken, another process may hold the lock now: do not remove its file. If the removal fails,
      // the lock becomes stale.
      if (await ownerOf(path) === owner.id) await rm(path).catch(() => {});
    }
  } finally {
    await rm(mine).catch(() => {});
  }
}

async function take(path: string, mine: string, { staleMs, waitMs }: FileLockLimits): Promise<void> {
  const begun = systemClock.monotonic();
  const watched: Watched = new Map();
  for (;;) {
    try {
      // A hard link fails if the name is taken, on every file system that has links.
      return await link(mine, path);
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw thrown;
    }
    const stale = await staleOwner(path, staleMs, watched);
    if (stale !== undefined && await breakLock(path, mine, stale, staleMs, watched)) continue;
    if (systemClock.monotonic() - begun > waitMs) {
      throw new OAuthError('store_locked', `${path} is held by another process, and was not free within ${waitMs} ms`);
    }
    await pause(systemClock, 2 + Math.random() * 8);
  }
}

/** The locks that a waiter has seen, by path: the text, and the steady clock's time when it was first seen. */
type Watched = Map<string, { readonly text: string; readonly since: number }>;

/**
 * Returns the text of a lock that may be broken; undefined if it may not, or is gone. The file's time is not enough:
 * after the system clock was set back, the lock would never look old.
 */
async function staleOwner(path: string, staleMs: number, watched: Watched): Promise<string | undefined> {
  try {
    // ctime is set by the link that took the lock; mtime is the time when the owner began to wait.
    const [{ ctimeMs }, text] = await Promise.all([stat(path), readFile(path, 'utf8')]);
    const before = watched.get(path);
    const since = before?.text === text ? before.since : systemClock.monotonic();
    watched.set(path, { text, since });
    return systemClock.now() - ctimeMs > staleMs || systemClock.monotonic() - since > staleMs || isAbandoned(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function isAbandoned(text: string): boolean {
  try {
    const { pid, host } = JSON.parse(text) as Owner;
    return host === hostname() && isDead(pid);
  } catch {
    // This code writes complete owners, so another program wrote this. Only its age counts.
    return false;
  }
}

/**
 * Removes a stale lock while no other process does so: of two processes that find it, the second must not remove the
 * first one's new lock. Resolves with false if another process is breaking it.
 */
async function breakLock(path: string, mine: string, stale: string, staleMs: number, watched: Watched): Promise<boolean> {
  const breaking = `${path}.break`;
  try {
    await link(mine, breaking);
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown;
    // Another process is still breaking it, or died while doing so.
    if (await staleOwner(breaking, staleMs, watched) !== undefined) await rm(breaking, { force: true });
    return false;
  }
  try {
    if (await readFile(path, 'utf8').catch(() => undefined) === stale) await rm(path, { force: true });
    return true;
  } finally {
    await rm(breaking, { force: true });
  }
}

async function ownerOf(path: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(path, 'utf8')) as Owner).id;
  } catch {
    return undefined;
  }
}

/** Whether no process has this id. Another user's process counts as alive. */
function isDead(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH';
  }
}

/** The code of a file system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): string | undefined {
  return (thrown as { code?: string }).code;
}
