import { lstatSync, realpathSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** An executable file of the folder that may be run. */
export interface ExecutableFile {
  /** The file's name in the folder. */
  readonly name: string;
  /** Where it really is: links within the folder are followed. */
  readonly path: string;
  /** Differs as soon as the file is another one or was changed. */
  readonly version: string;
}

/** What is in the way of running a file; undefined for what is no executable at all, such as a README. */
export type FileVerdict = ExecutableFile | { readonly fault: string } | undefined;

/** Throws where the folder is none, or where others could put files into it. Returns its real path. */
export function checkFolder(folder: string): string {
  const real = realpathSync(folder);
  const stats = statSync(real);
  if (!stats.isDirectory()) throw new Error(`${folder} is no folder`);
  const owner = foreign(stats);
  if (owner !== undefined) throw new Error(`${folder} ${owner}`);
  return real;
}

/**
 * Whether a file of the folder may be run: a regular file, executable, directly in the folder, writable by nobody else,
 * and not a link that leads out of it.
 * @param folder its real path
 */
export function checkFile(folder: string, name: string): FileVerdict {
  // Hidden files are those of editors and version control.
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
    return { fault: 'it cannot be looked at: it has gone, or is a link to nothing' };
  }
  if (stats.isDirectory()) return undefined;
  if (!stats.isFile()) return { fault: 'it is no regular file' };
  if (!isExecutable(path, stats)) return undefined;
  const owner = foreign(stats);
  if (owner !== undefined) return { fault: `it ${owner}` };
  return { name, path, version: `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}` };
}

/** Throws where a file that is no program could be changed by another user, or is a link. */
export function checkOwner(path: string): void {
  const stats = lstatSync(path);
  const owner = stats.isFile() ? foreign(stats) : 'is no regular file';
  if (owner !== undefined) throw new Error(`it ${owner}`);
}

function isExecutable(path: string, { mode }: Stats): boolean {
  // Windows has no such bit. Scripts (.cmd, .bat) would need a shell there, and are not served.
  if (process.platform === 'win32') return /^\.(exe|com)$/i.test(extname(path));
  return (mode & 0o111) !== 0;
}

/** How another user could change it. Who is in a group cannot be seen from here. */
function foreign({ mode, uid }: Stats): string | undefined {
  if (process.platform === 'win32') return undefined;
  if ((mode & 0o002) !== 0) return 'is writable by others';
  if ((mode & 0o020) !== 0) return 'is writable by its group (chmod g-w)';
  const own = process.getuid?.();
  return uid === 0 || uid === own ? undefined : `belongs to another user (${uid})`;
}
