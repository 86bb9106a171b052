// Pages of a list, and the cursors between them. Source: server/utilities/pagination (all revisions).

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

/** One page. `nextCursor` is present when more items follow. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

// A checksum, so that a cursor that was typed, cut or invented is refused. It need not be secret: a cursor only says
// where to go on, and everyone who may list may begin anywhere.
const cursorOf = (sequence: number): string =>
  `${sequence.toString(36)}-${((sequence * 7919 + 271) % 46649).toString(36)}`;

/**
 * The page that begins after `cursor`, or the first page without one; undefined for a cursor that no page contained
 * (answer it with -32602). A cursor names the last item of its page, not a position: items that are added or removed
 * between two pages neither repeat nor hide another item, even when the named item itself was removed. Servers that
 * register the same items in the same order understand each other's cursors.
 *
 * `items` come in the order of their sequence, as a Map keeps them. `size` is the largest number of items on a page,
 * at least 1; Infinity puts all on one page.
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
