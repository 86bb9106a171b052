import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { SharedStore } from '../store.ts';
import { withFileLock } from '../../oauth/node/file-lock.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Keeps pins and grants in `folder`, one file for each key, mode 0600. A file is replaced as a whole, so that a
 * reader never sees half of it; writers take turns.
 */
export function fileStore(folder: string): SharedStore {
  const fileOf = (key: string): string => join(folder, `${encodeURIComponent(key).replaceAll('.', '%2E')}.json`);
  const get = async (key: string): Promise<unknown> => {
    try {
      return JSON.parse(await readFile(fileOf(key), 'utf8')) as unknown;
    } catch (thrown) {
      if (isObject(thrown) && thrown['code'] === 'ENOENT') return undefined;
      throw thrown;
    }
  };
  const write = async (key: string, made: () => unknown): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = fileOf(key);
    await withFileLock(`${file}.lock`, async () => replaceFile(file, JSON.stringify(await made())));
  };
  return {
    get,
    set: (key, value) => write(key, () => value),
    update: (key, change) => write(key, async () => change(await get(key))),
  };
}
