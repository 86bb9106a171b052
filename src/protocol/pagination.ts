import type { RequestParams, Result } from './base.ts';

/** An opaque place in a list: only its server can read it. */
export type Cursor = string;

/** The parameters of every list request. Absent altogether (before 2026-07-28) for the first page. */
export interface PaginatedRequestParams extends RequestParams {
  /** The `nextCursor` of the page before; absent for the first page. */
  cursor?: Cursor | undefined;
}

/** What every page of a list carries. */
export interface PaginatedResult extends Result {
  /** Where the next page begins; absent on the last page. */
  nextCursor?: Cursor | undefined;
}
