import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '../../jsonrpc/codec.ts';
import type { ResolvePath } from '../rules.ts';

/**
 * Where a path of this machine really leads: links are followed as far as the path exists, and what does not exist yet is
 * added to that. For servers that work on this machine's files. Undefined where it cannot be known.
 */
export const resolvePath: ResolvePath = async (path) => {
  let rest = '';
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), rest);
    } catch (thrown) {
      if (!isObject(thrown) && !(thrown instanceof Error)) return undefined;
      if (!('code' in thrown) || (thrown.code !== 'ENOENT' && thrown.code !== 'ENOTDIR')) return undefined;
    }
    if (dirname(at) === at) return undefined;
    rest = join(at.slice(dirname(at).length).replace(/^\/+/, ''), rest);
  }
};
