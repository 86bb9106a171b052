import { lstatSync, realpathSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** An executable file of the folder that may be run. */
export interface ExecutableFile {
  /** The file's name in the folder. */
  readonly name: string;
  /** The real path, with links followed. */
  readonly path: string;
  /** Changes when the file is changed or replaced. */
  readonly version: string;
}

/** The file, or the reason why it must not be run; undefined for files to ignore, such as a README. */
export type FileVerdict = ExecutableFile | { readonly fault: string } | undefined;

/** Returns the folder's real path. Throws if it is not a folder, or if other users could put files into it. */
export function checkFolder(folder: string): string {
  const real = realpathSync(folder);
  const stats = statSync(real);
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  const owner = foreign(stats);
  if (owner !== undefined) throw new Error(`${folder} ${owner}`);
  return real;
}

/**
 * Checks whether a file of the folder may be run. It must be a regular, executable file directly in the folder that
 * nobody else can write, or a link to such a file.
 *
 * @param folder its real path
 */
export function checkFile(folder: string, name: string): FileVerdict {
  // Hidden files belong to editors and version control.
  if (name.startsWith('.') || name === 'pipeline.json') return undefined;
  let stats: Stats;
  let path = join(folder, name);
  try {
    if (lstatSync(path).isSymbolicLink()) {
      path = realpathSync(path);
      if (dirname(path) !== folder) return { fault: 'it is a link that leads out of the folder' };
    }
    stats = statSync(path);
  } catch {
    return { fault: 'it cannot be read: it is gone, or is a broken link' };
  }
  if (stats.isDirectory()) return undefined;
  if (!stats.isFile()) return { fault: 'it is not a regular file' };
  if (!isExecutable(path, stats)) return undefined;
  const owner = foreign(stats);
  if (owner !== undefined) return { fault: `it ${owner}` };
  return { name, path, version: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}` };
}

/** The most bytes of a file that is read whole. */
const maxReadBytes = 1024 * 1024;

/** Throws if a file is a link, if another user could change it, or if it has more than 1 MiB. For files that are not programs. */
export function checkRead(path: string): void {
  const stats = lstatSync(path);
  const why = !stats.isFile() ? 'is not a regular file' : stats.size > maxReadBytes ? `has more than ${maxReadBytes} bytes` : foreign(stats);
  if (why !== undefined) throw new Error(`it ${why}`);
}

function isExecutable(path: string, { mode }: Stats): boolean {
  // Windows has no executable bit. Scripts (.cmd, .bat) would need a shell there, and are not served.
  if (process.platform === 'win32') return /^\.(exe|com)$/i.test(extname(path));
  return (mode & 0o111) !== 0;
}

/** Why another user could change the file; undefined if none can. Group members are unknown, so the group must not write. */
function foreign({ mode, uid }: Stats): string | undefined {
  if (process.platform === 'win32') return undefined;
  if ((mode & 0o002) !== 0) return 'is writable by others';
  if ((mode & 0o020) !== 0) return 'is writable by its group (chmod g-w)';
  const own = process.getuid?.();
  return uid === 0 || uid === own ? undefined : `belongs to another user (${uid})`;
}
