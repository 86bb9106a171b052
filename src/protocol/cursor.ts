// Pages of a list, and the cursors between them. Source: server/utilities/pagination (all revisions).

/** Something in a list. */
export interface Listed {
  /**
   * Its place in the order of registration: a whole number, given once and never again, higher than all
   * before it. An update keeps it.
   */
  readonly sequence: number;
}

/** One page; `nextCursor` is there when more follows. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

// Catches what was typed, cut or invented, so that it is refused and not taken for a place. It is no secret:
// a cursor says only where to go on, and everyone who may list may begin anywhere.
const cursorOf = (sequence: number): string =>
  `${sequence.toString(36)}-${((sequence * 7919 + 271) % 46649).toString(36)}`;

/**
 * The page that begins after `cursor`, or at the start without one; undefined for a cursor that no page gave
 * (answer it with -32602). A cursor names the last item of its page, not a position: what is added or removed
 * between two pages neither repeats nor hides another item, even when the named item itself is gone. Servers
 * that register the same things in the same order understand each other's cursors.
 *
 * `items` come in the order of their sequence, as a Map keeps them. `size` is the most that a page holds, at
 * least 1; Infinity puts all on one page.
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
