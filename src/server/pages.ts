import { checkOptions } from '../bounds/options.ts';
import { page } from '../protocol/pagination.ts';
import type { Listed, Page } from '../protocol/pagination.ts';

/** Returns the page of a list at a cursor; without a cursor the first. Undefined: this list did not issue the cursor. */
export type Pages = <T extends Listed>(items: Iterable<T>, cursor: unknown) => Page<T> | undefined;

/**
 * Cuts lists into pages of `size` entries (default: 1000). Pass it as `pages`; without it each list is one page. Throws a RangeError for a
 * size below 1. 2025-11-25 server/utilities/pagination.
 */
export function pages(size: number = 1000): Pages {
  checkOptions('pages: size', size, 'number');
  if (!(size >= 1)) throw new RangeError(`the size of a page must be at least 1, not ${size}`);
  return (items, cursor) => page(items, cursor, size);
}
