import { weighValue } from '../bounds/weight.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Bag } from '../jsonrpc/message.ts';
import type { RequestParams, Result } from './base.ts';

// Paginated lists: their messages, the pages of a server, and the reader of a client. Source:
// server/utilities/pagination (all revisions).

/** An opaque position in a list: only its server can interpret it. */
export type Cursor = string;

/** The parameters of every list request. Before 2026-07-28 a request for the first page may have none. */
export interface PaginatedRequestParams extends RequestParams {
  /** The `nextCursor` of the page before; absent for the first page. */
  cursor?: Cursor | undefined;
}

/** The common members of all pages of a list. */
export interface PaginatedResult extends Result {
  /** Where the next page begins; absent on the last page. */
  nextCursor?: Cursor | undefined;
}

/** The lists that can change. */
export type ListName = 'tools' | 'prompts' | 'resources';

/** An item of a list. */
export interface Listed {
  /**
   * Its place in the order of registration: a whole number, higher than all before it, that is never used again. An
   * update keeps it.
   */
  readonly sequence: number;
}

/** One page. `nextCursor` is present if more items follow. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

// A checksum, so that typed, truncated and invented cursors are refused. It need not be secret: a cursor is only a
// position, and a client that may list the items may begin anywhere.
const cursorOf = (sequence: number): string =>
  `${sequence.toString(36)}-${((sequence * 7919 + 271) % 46649).toString(36)}`;

/**
 * The page after `cursor`, or the first page without a cursor; undefined for an invalid cursor (respond with -32602). A
 * cursor names the last item of its page and not a position: if items are added or removed between two pages, no other
 * item is repeated or missed, even if the named item was removed. Servers that register the same items in the same order
 * understand each other's cursors.
 *
 * `items` must be in the order of `sequence`, as in a Map. `size` is the largest number of items on a page, at least 1;
 * Infinity puts all on one page.
 */
export function page<T extends Listed>(
  items: Iterable<T>,
  cursor: unknown,
  size: number,
): Page<T> | undefined {
  let after = -1;
  if (cursor !== undefined) {
    after = typeof cursor === 'string' ? Number.parseInt(cursor, 36) : NaN;
    if (!Number.isSafeInteger(after) || cursorOf(after) !== cursor) return undefined;
  }
  const listed: T[] = [];
  for (const item of items) {
    if (item.sequence <= after) continue;
    if (listed.length >= size)
      return { items: listed, nextCursor: cursorOf(listed.at(-1)?.sequence ?? after) };
    listed.push(item);
  }
  return { items: listed };
}

/**
 * Yields the pages of a list. `request` requests one page, with the cursor of the page before. Rejects if there are more
 * than `maxPages`, or if they take more than `maxListBytes` bytes of memory together; the errors name `method`.
 */
export async function* readPages(
  method: string, { maxPages, maxListBytes }: { maxPages: number; maxListBytes: number }, request: (params: { cursor: unknown } | undefined) => Promise<Bag>,
): AsyncGenerator<Bag, void, undefined> {
  let pages = 0;
  let bytes = 0;
  let cursor: unknown;
  do {
    const page = await request(cursor === undefined ? undefined : { cursor });
    // 2026-07-28 server/utilities/pagination: only a missing or null cursor ends the list. '' is valid, and so is a repeated cursor.
    cursor = page['nextCursor'] ?? undefined;
    if (cursor !== undefined || bytes) {
      // A page with too many values or levels gives NaN, which is refused too.
      bytes += Number(weighValue(page));
      if (!(bytes <= maxListBytes)) throw new Error(`${method}: the pages take more than ${maxListBytes} bytes`);
    }
    yield page;
    if (++pages > maxPages) throw new Error(`${method}: more than ${maxPages} pages`);
  } while (cursor !== undefined);
}

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
