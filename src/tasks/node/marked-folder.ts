import { chmod, link, mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isGone, isId, isNew, isTaskFile, markName, newName } from './names.ts';
import { ifThere, makeFile } from './private-files.ts';

const mark = 'barewire tasks 1\nThe tasks of barewire/tasks/node: nothing else belongs in this folder.\n';

/** Thrown for a folder that holds anything but tasks. */
export class ForeignFolder extends Error {
  /** Stable. */
  readonly code = 'foreign_folder';

  constructor(path: string, why: string) {
    super(`folderStore: ${path} ${why}; give tasks a folder that nothing else uses`);
    this.name = 'ForeignFolder';
  }
}

/**
 * Makes the folder of a store if it does not exist, and marks it. An existing folder without a mark is accepted if the
 * store may have made every name in it. Otherwise rejects with `ForeignFolder`.
 */
export async function markFolder(path: string): Promise<void> {
  // Only a folder that was made here is changed before the check. A umask may have removed bits that the owner needs.
  if (await mkdir(path, { recursive: true, mode: 0o700 }) !== undefined) await chmod(path, 0o700);
  const file = join(path, markName);
  const found = await ifThere(stat(file));
  if (found === undefined) {
    await checkNames(path);
    await putMark(path);
  } else if (!found.isFile() || found.size !== mark.length || await readFile(file, 'latin1') !== mark) {
    throw new ForeignFolder(path, `has a ${markName} of another version`);
  }
  // Without authentication, the ids of tasks are secrets. A process that does not own the folder cannot change its mode.
  const { mode } = await stat(path);
  if ((mode & 0o777) !== 0o700) await chmod(path, 0o700).catch(() => {});
}

async function putMark(path: string): Promise<void> {
  const name = join(path, newName());
  const file = await makeFile(name, mark);
  try {
    await file.datasync();
    await link(name, join(path, markName));
  } catch (error) {
    // Another process was first.
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  } finally {
    await file.close();
    await ifThere(unlink(name));
  }
}

/** Returns an entry of a task's folder that the store has not made. */
async function strayIn(path: string, id: string): Promise<string | undefined> {
  const entries = await ifThere(readdir(join(path, id), { withFileTypes: true })) ?? [];
  const stray = entries.find((entry) => !isTaskFile(entry.name) || !entry.isFile());
  return stray && `${id}/${stray.name}`;
}

async function checkNames(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const { name } = entry;
    // Many file systems have `lost+found` at their root.
    if (name === markName || name === 'lost+found') continue;
    if (isNew(name) && entry.isFile()) continue;
    const isTask = entry.isDirectory() && (isId(name) || isNew(name) || isGone(name));
    const stray = isTask ? await strayIn(path, name) : name;
    if (stray !== undefined) throw new ForeignFolder(path, `has no ${markName}, and holds ${JSON.stringify(stray)}`);
  }
}
