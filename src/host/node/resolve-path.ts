import { readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { codeOf } from '../../oauth/node/file-lock.ts';
import type { ResolvePath } from '../rules.ts';

/** The most links to what does not exist that are followed. */
const maxLinks = 40;

/**
 * Where a path of this machine really leads: links are followed as far as the path exists, `..` as the system follows it,
 * and what does not exist yet is added to that. A relative path begins in this process's folder, where programs are started
 * that have no `cwd` of their own. For servers that work on this machine's files. Undefined where it cannot be known.
 */
export const resolvePath: ResolvePath = async (path) => {
  if (path.includes('\0')) return undefined;
  // Not joined, which would take `link/..` for the folder that the link is in.
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
      // To what does not exist yet: who writes to the link makes it.
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
