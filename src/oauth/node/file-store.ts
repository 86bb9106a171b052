import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkOptions } from '../../bounds/options.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { OAuthError } from '../errors.ts';
import type { AuthorizationStore } from '../client/store.ts';
import { codeOf, defaultFileLockLimits, withFileLock } from './file-lock.ts';
import type { FileLockLimits } from './file-lock.ts';

/** The path of the file, and the limits of its lock. */
export interface FileStoreOptions {
  /** Default: `barewire/oauth.json` in the user's folder for settings. */
  readonly path?: string | undefined;
  readonly limits?: Partial<FileLockLimits> | undefined;
}

/**
 * Stores tokens in one file of the user that others cannot read (mode 0600 in a folder of mode 0700; on Windows the
 * folder's permissions). Each change replaces the whole file, under a lock that names its owner, so that several
 * processes can share it and none reads an incomplete file. DPoP keys are in the same file.
 *
 * Rejects with `OAuthError`: `store_unreadable`, `store_locked`, `store_unwritable` (the disk is full or read-only; the
 * file keeps its old content).
 */
export function fileStore(given: FileStoreOptions = {}): AuthorizationStore {
  checkOptions('fileStore: options', given, { path: 'string', limits: defaultFileLockLimits });
  const { path = defaultPath() } = given;
  const options = { ...defaultFileLockLimits, ...given.limits };
  return {
    async get(key) {
      return (await read(path)).get(key);
    },
    async update(key, expected, next) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        return await withFileLock(`${path}.lock`, async () => {
          const texts = await read(path);
          if (texts.get(key) !== expected) return false;
          if (next === undefined) texts.delete(key);
          else texts.set(key, next);
          await replace(path, JSON.stringify(Object.fromEntries(texts), undefined, 2));
          return true;
        }, options);
      } catch (thrown) {
        if (thrown instanceof OAuthError) throw thrown;
        throw new OAuthError('store_unwritable', `${path}: ${errorMessage(thrown)}`, { cause: thrown });
      }
    },
  };
}

/** The user's folder for settings, from XDG_CONFIG_HOME or the system's default. */
function defaultPath(): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: roaming } = process.env;
  const folder = xdg || (process.platform === 'win32' && roaming)
    || join(homedir(), process.platform === 'darwin' ? 'Library/Application Support' : '.config');
  return join(folder, 'barewire', 'oauth.json');
}

async function read(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    // Another program may have made this file readable by others, or copied it: restrict it from now on.
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) await closeToOthers(path);
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return new Map();
    throw new OAuthError('store_unreadable', `${path}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Do not quote the file in an error, since it holds tokens.
  }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
  if (!entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string')) {
    throw new OAuthError('store_unreadable', `${path}: expected a JSON object of texts; move the file away to begin a new one`);
  }
  return new Map(entries);
}

async function closeToOthers(path: string): Promise<void> {
  try {
    await chmod(path, 0o600);
  } catch (thrown) {
    // On a read-only file system, the mount options decide about read access.
    if (codeOf(thrown) !== 'EROFS') throw thrown;
  }
}

/** Writes a new file, and renames it to `path` when it is completely on the disk. If that fails, removes the new file. */
async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(next, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (thrown) {
    await rm(next, { force: true }).catch(() => {});
    throw thrown;
  }
  if (process.platform !== 'win32') await syncFolder(dirname(path));
}

/** Without this, a power failure may bring back the old file. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (thrown) {
    // Some file systems cannot sync folders.
    if (codeOf(thrown) !== 'EINVAL') throw thrown;
  } finally {
    await folder.close();
  }
}
