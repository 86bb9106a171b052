import { revisions } from './phrases.ts';
import type { Where } from './phrases.ts';

/** The section for a revision, or for the newest revision that has one; `absent` if the requested revision has none. */
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
