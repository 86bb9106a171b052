import { lstat, link, rename, stat, unlink } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/** Whether a path is a named pipe of Windows, whose access the system decides: by default its creator and administrators may write. */
export const isPipe = (path: string): boolean => process.platform === 'win32' && /^[\\/]{2}[.?][\\/]pipe[\\/]./i.test(path);

/** Bytes of a path that the system takes, without its end: `sun_path`. A longer one would be cut. */
const longestPath = process.platform === 'linux' ? 107 : 103;

/** Throws for a path that cannot be guarded. */
export function checkPath(place: string, path: string): void {
  if (path === '') throw new TypeError(`${place}: the path is empty`);
  // Also Linux's abstract names, which begin with such a character: they have no permissions, so any process could connect.
  if (path.includes('\0')) throw new TypeError(`${place}: the path holds a null character`);
  if (process.platform === 'win32') {
    if (!isPipe(path)) throw new TypeError(`${place}: on Windows the path names a pipe, such as \\\\.\\pipe\\trips, not ${JSON.stringify(path)}`);
  } else if (Buffer.byteLength(path) > longestPath) {
    throw new TypeError(`${place}: the path has more than ${longestPath} bytes, which no socket can: ${JSON.stringify(path)}`);
  }
}

/** The user of this process. */
const ownUser = (): bigint => BigInt(process.getuid?.() ?? -1);

const refusal = (path: string, why: string): Error => new Error(`The socket ${JSON.stringify(path)} is refused: ${why}`);

/** What stands at a path, without following a link; undefined: nothing. */
async function found(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/**
 * Throws where somebody else could put another socket in the place of one: the folder must belong to one of these users or to root,
 * and others may write into it only with the sticky bit, which keeps them from other people's files.
 */
async function checkFolder(path: string, users: readonly bigint[]): Promise<void> {
  const folder = dirname(path);
  const { uid, mode } = await stat(folder, { bigint: true });
  if (uid !== 0n && !users.includes(uid)) throw refusal(path, `its folder ${folder} belongs to user ${uid}`);
  if ((mode & 0o022n) !== 0n && (mode & 0o1000n) === 0n) throw refusal(path, `others may replace files in its folder ${folder}`);
}

/** Throws for what is not a socket of one of these users, or is a link. */
function checkSocket(path: string, stats: BigIntStats, users: readonly bigint[]): void {
  if (stats.isSymbolicLink()) throw refusal(path, 'it is a symbolic link, which is not followed');
  if (!stats.isSocket()) throw refusal(path, 'there is a file that is not a socket');
  if (!users.includes(stats.uid)) throw refusal(path, `it belongs to user ${stats.uid}`);
}

/** Throws for a socket that a client may not connect to: one of another user than this one, or than `owner` where that is given. */
export async function checkServed(path: string, owner: number | undefined): Promise<void> {
  if (isPipe(path)) return;
  const users = [owner === undefined ? ownUser() : BigInt(owner)];
  await checkFolder(path, [...users, ownUser()]);
  const stats = await found(path);
  if (stats === undefined) throw refusal(path, 'there is no such file');
  checkSocket(path, stats, users);
}

/** Whether two looks were at one file. A number of a file may be given again, so that it does not suffice. */
const isSame = (one: BigIntStats, other: BigIntStats): boolean =>
  one.ino === other.ino && one.dev === other.dev && one.mtimeNs === other.mtimeNs && one.birthtimeNs === other.birthtimeNs;

/** Makes the place free for a new socket: removes a stale socket of this user, and throws for anything else. */
export async function makeWay(path: string): Promise<void> {
  if (isPipe(path)) return;
  const users = [ownUser()];
  await checkFolder(path, users);
  const stats = await found(path);
  if (stats === undefined) return;
  checkSocket(path, stats, users);
  if (await isServed(path)) throw refusal(path, 'another process serves it');
  // Another process may have found it stale too, and have put its own socket there since: what is removed is looked at first.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside);
  const moved = await lstat(aside, { bigint: true });
  if (isSame(stats, moved)) return unlink(aside);
  await link(aside, path);
  await unlink(aside);
  throw refusal(path, 'another process serves it');
}

/** Whether a process accepts connections there. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // The file is there, and no process listens.
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // Its backlog is full.
      else if (error.code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}

/** Throws where a socket that was made just now can be written by others. */
export async function checkMade(path: string): Promise<void> {
  if (isPipe(path)) return;
  const stats = await found(path);
  if (stats === undefined) throw refusal(path, 'it has gone');
  checkSocket(path, stats, [ownUser()]);
  if ((stats.mode & 0o177n) !== 0n) throw refusal(path, `its mode is ${(stats.mode & 0o777n).toString(8)}, not 600`);
}
