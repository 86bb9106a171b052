import { revisions } from './phrases.ts';
import type { Where } from './phrases.ts';

/** The section for a revision, or for the newest that has one; `absent` when that is not the one asked for. */
export function locate(where: Where, revision: string | undefined): { section: string; absent: boolean } {
  let at = '';
  let found = '';
  for (const one of revisions) {
    at = where[one] ?? at;
    if (at !== '') found = `${one} ${at}`;
    if (one === revision && at !== '') return { section: found, absent: false };
  }
  return { section: found, absent: revision !== undefined };
}
