import { page } from '../protocol/cursor.ts';
import type { Listed, Page } from '../protocol/cursor.ts';

/** Cuts lists into pages: gives the one that a cursor leads to, the first without one; undefined: no cursor of this list. */
export type Pages = <T extends Listed>(items: Iterable<T>, cursor: unknown) => Page<T> | undefined;

/**
 * What a `ServerCore` needs to list in pages of `size` entries, at least 1; without it each list is one page.
 * 2025-11-25 server/utilities/pagination.
 */
export const pages = (size: number = 1000): Pages => (items, cursor) => page(items, cursor, size);
