import { chmod, lstat, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isTaskFile } from './names.ts';

// Tasks are for their user only: folders have mode 700 and files 600. A umask may take bits away that the owner needs,
// so that the mode is set again once there is something to set it on.

/** Makes a folder that must not exist. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, 0o700);
  await chmod(path, 0o700);
}

/**
 * Makes a file that must not exist, with this text, and leaves it open at its end. Where the disk takes only a part of it,
 * there is no file afterwards, and the returned promise rejects.
 */
export async function makeFile(path: string, text: string): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600);
  try {
    // By its path: under Node's permission model no mode is set through a handle.
    await chmod(path, 0o600);
    await writeAll(file, text);
    return file;
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(path).catch(() => {});
    throw error;
  }
}

/** Writes all of a text at the place where the last write ended. A full disk takes a part first, and rejects what follows. */
export async function writeAll(file: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    if (bytesWritten === 0) throw new Error('the disk takes no more');
    done += bytesWritten;
  }
}

const missing = ['ENOENT'];
/** Of names that somebody else has put there: a file where a folder was expected, a folder that nobody may read. */
const foreign = [...missing, 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP'];

async function unless<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes((error as { code?: string }).code ?? '')) return undefined;
    throw error;
  }
}

/** `undefined` where there is no such file. */
export const ifThere = <T>(work: Promise<T>): Promise<T | undefined> => unless(missing, work);

/** `undefined` where there is no such file, or it cannot be one that the store has made. */
export const ifOurs = <T>(work: Promise<T>): Promise<T | undefined> => unless(foreign, work);

/**
 * Deletes the files of a task, and then its folder. What the store has not made stays, and with it the folder. Links are
 * not followed.
 */
export async function clearFolder(path: string): Promise<void> {
  if (!(await ifThere(lstat(path)))?.isDirectory()) return;
  const names = await ifOurs(readdir(path)) ?? [];
  await Promise.all(names.filter(isTaskFile).map((name) => ifOurs(unlink(join(path, name)))));
  await rmdir(path).catch(() => {});
}
