import type { RequestParams, Result } from './base.ts';

/** An opaque position in a list: only its server can read it. */
export type Cursor = string;

/** The parameters of every list request. Before 2026-07-28 a request for the first page may have none. */
export interface PaginatedRequestParams extends RequestParams {
  /** The `nextCursor` of the page before; absent for the first page. */
  cursor?: Cursor | undefined;
}

/** What every page of a list carries. */
export interface PaginatedResult extends Result {
  /** Where the next page begins; absent on the last page. */
  nextCursor?: Cursor | undefined;
}
