import { lstat, link, rename, stat, unlink } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';

/** True for a named pipe of Windows. The system controls its access: by default its creator and administrators may write. */
export const isPipe = (path: string): boolean => process.platform === 'win32' && /^[\\/]{2}[.?][\\/]pipe[\\/]./i.test(path);

/** The longest path in bytes, without the final zero of `sun_path`. A longer path would be truncated. */
const longestPath = process.platform === 'linux' ? 107 : 103;

/** Throws a TypeError for a path that is too long, or whose access cannot be controlled. */
export function checkPath(place: string, path: string): void {
  if (path === '') throw new TypeError(`${place}: the path is empty`);
  // Abstract names of Linux begin with a null character. They have no permissions, so any process could connect.
  if (path.includes('\0')) throw new TypeError(`${place}: the path holds a null character`);
  if (process.platform === 'win32') {
    if (!isPipe(path)) throw new TypeError(`${place}: on Windows the path names a pipe, such as \\\\.\\pipe\\trips, not ${JSON.stringify(path)}`);
  } else if (Buffer.byteLength(path) > longestPath) {
    throw new TypeError(`${place}: the path has more than ${longestPath} bytes, the limit for a socket: ${JSON.stringify(path)}`);
  }
}

/** The user id of this process. */
const ownUser = (): bigint => BigInt(process.getuid?.() ?? -1);

const refusal = (path: string, why: string): Error => new Error(`The socket ${JSON.stringify(path)} is refused: ${why}`);

/** The file at a path, without following a link; undefined if it does not exist. */
async function found(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/**
 * Throws if another user could replace the socket. The folder must belong to one of these users or to root; others may
 * write into it only if it has the sticky bit, which protects the files of each user from the others.
 */
async function checkFolder(path: string, users: readonly bigint[]): Promise<void> {
  const folder = dirname(path);
  const { uid, mode } = await stat(folder, { bigint: true });
  if (uid !== 0n && !users.includes(uid)) throw refusal(path, `its folder ${folder} belongs to user ${uid}`);
  if ((mode & 0o022n) !== 0n && (mode & 0o1000n) === 0n) throw refusal(path, `others may replace files in its folder ${folder}`);
}

/** Throws if the file is not a socket, belongs to none of these users, or is a link. */
function checkSocket(path: string, stats: BigIntStats, users: readonly bigint[]): void {
  if (stats.isSymbolicLink()) throw refusal(path, 'it is a symbolic link, which is not followed');
  if (!stats.isSocket()) throw refusal(path, 'there is a file that is not a socket');
  if (!users.includes(stats.uid)) throw refusal(path, `it belongs to user ${stats.uid}`);
}

/** Throws for a socket that a client may not connect to: it must belong to `owner`, by default the user of this process. */
export async function checkServed(path: string, owner: number | undefined): Promise<void> {
  if (isPipe(path)) return;
  const users = [owner === undefined ? ownUser() : BigInt(owner)];
  await checkFolder(path, [...users, ownUser()]);
  const stats = await found(path);
  if (stats === undefined) throw refusal(path, 'there is no such file');
  checkSocket(path, stats, users);
}

/** True if both are the same file. The inode number is not enough, since it may be reused. */
const isSame = (one: BigIntStats, other: BigIntStats): boolean =>
  one.ino === other.ino && one.dev === other.dev && one.mtimeNs === other.mtimeNs && one.birthtimeNs === other.birthtimeNs;

/** Frees the path for a new socket: removes a stale socket of this user, and throws for any other file. */
export async function makeWay(path: string): Promise<void> {
  if (isPipe(path)) return;
  const users = [ownUser()];
  await checkFolder(path, users);
  const stats = await found(path);
  if (stats === undefined) return;
  checkSocket(path, stats, users);
  if (await isServed(path)) throw refusal(path, 'another process serves it');
  // Another process may have replaced the stale socket since: move the file aside, and compare before removing it.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside);
  const moved = await lstat(aside, { bigint: true });
  if (isSame(stats, moved)) return unlink(aside);
  await link(aside, path);
  await unlink(aside);
  throw refusal(path, 'another process serves it');
}

/** True if a process accepts connections on this path. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // No process listens, or the file has gone.
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // A process listens, but its backlog is full.
      else if (error.code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}

/** Throws if other users can write to the socket that was just created. */
export async function checkMade(path: string): Promise<void> {
  if (isPipe(path)) return;
  const stats = await found(path);
  if (stats === undefined) throw refusal(path, 'it was deleted');
  checkSocket(path, stats, [ownUser()]);
  if ((stats.mode & 0o177n) !== 0n) throw refusal(path, `its mode is ${(stats.mode & 0o777n).toString(8)}, not 600`);
}
