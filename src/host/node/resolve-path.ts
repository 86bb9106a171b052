import { readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { codeOf } from '../../oauth/node/file-lock.ts';
import type { ResolvePath } from '../rules.ts';

/** The largest number of links to missing targets that are followed. */
const maxLinks = 40;

/**
 * The real place of a path on this machine: links are followed as far as the path exists, `..` in the way of the
 * system, and the missing rest is appended. A relative path starts in this process's folder, where programs without a
 * `cwd` are started. For servers that work on this machine's files. Undefined if the place cannot be found out.
 */
export const resolvePath: ResolvePath = async (path) => {
  if (path.includes('\0')) return undefined;
  // Do not use `join`, which would take `link/..` for the folder that the link is in.
  let at = isAbsolute(path) ? path : `${process.cwd()}${sep}${path}`;
  let rest = '';
  for (let links = 0; links < maxLinks;) {
    try {
      return join(await realpath(at), rest).split(sep).join('/');
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return undefined;
    }
    const target = await readlink(at).catch(() => undefined);
    const above = dirname(at);
    if (target !== undefined) {
      // The target does not exist yet: writing to the link creates it.
      at = isAbsolute(target) ? target : `${above}${sep}${target}`;
      links++;
    } else if (above === at) return undefined;
    else {
      rest = join(at.slice(above.length).replace(/^[/\\]+/, ''), rest);
      at = above;
    }
  }
  return undefined;
};
