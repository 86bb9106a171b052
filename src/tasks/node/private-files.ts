import { chmod, lstat, mkdir, open, readdir, rmdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isTaskFile } from './names.ts';

// Tasks are for their user only: folders have mode 700 and files 600. A umask may remove bits that the owner needs, so
// the mode is set again after the creation.

/** Makes a folder; rejects if it exists. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, 0o700);
  await chmod(path, 0o700);
}

/**
 * Makes a file with this text, and leaves it open at its end. Rejects if it exists, or if the disk takes only a part of
 * the text: then the file is deleted.
 */
export async function makeFile(path: string, text: string): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600);
  try {
    // By path: under Node's permission model, a mode cannot be set through a file handle.
    await chmod(path, 0o600);
    await writeAll(file, text);
    return file;
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(path).catch(() => {});
    throw error;
  }
}

/** Writes a whole text after the end of the last write. A full disk first takes a part, and then rejects the rest. */
export async function writeAll(file: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    if (bytesWritten === 0) throw new Error('the disk is full');
    done += bytesWritten;
  }
}

const missing = ['ENOENT'];
/** Errors for entries that the store has not made: a file where a folder was expected, a folder that may not be read. */
const foreign = [...missing, 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP'];

async function unless<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes((error as { code?: string }).code ?? '')) return undefined;
    throw error;
  }
}

/** Undefined if the file does not exist. */
export const ifThere = <T>(work: Promise<T>): Promise<T | undefined> => unless(missing, work);

/** Undefined if the file does not exist, or the store cannot have made it. */
export const ifOurs = <T>(work: Promise<T>): Promise<T | undefined> => unless(foreign, work);

/**
 * Deletes the files of a task, and then its folder. Files that the store has not made stay, and so does the folder.
 * Links are not followed.
 */
export async function clearFolder(path: string): Promise<void> {
  if (!(await ifThere(lstat(path)))?.isDirectory()) return;
  const names = await ifOurs(readdir(path)) ?? [];
  await Promise.all(names.filter(isTaskFile).map((name) => ifOurs(unlink(join(path, name)))));
  await rmdir(path).catch(() => {});
}
