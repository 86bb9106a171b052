/**
 * What the message types of every feature share. One type serves all five revisions: a member that a
 * revision added or removed is optional and says so; which of them a given peer may be sent is the revision
 * table's matter.
 */

/** The contents of `_meta`: keys are prefixed names (`example.org/key`), values are JSON. */
export type MetaObject = Record<string, unknown>;

/** The parameters that every request may carry. From 2026-07-28 `_meta` is required (see meta.ts). */
export interface RequestParams {
  _meta?: MetaObject | undefined;
}

/** The parameters that every notification may carry. */
export interface NotificationParams {
  _meta?: MetaObject | undefined;
}

/** How a result is to be read. Open: an extension may add its own. */
export type ResultType = 'complete' | 'input_required' | (string & {});

/** What every result may carry. */
export interface Result {
  _meta?: MetaObject | undefined;
  /** Since 2026-07-28 (required there); a result without it, from an older server, counts as `complete`. */
  resultType?: ResultType | undefined;
}

/** The answer of a request that has nothing to say. */
export type EmptyResult = Result;

/** A name for programs and a title for people. */
export interface BaseMetadata {
  /** The identifier; also shown where there is no `title`. */
  name: string;
  /** Since 2025-06-18. What a person is shown. */
  title?: string | undefined;
}

/** Since 2025-11-25. An icon that a client may show. */
export interface Icon {
  /** An `https:` or a `data:` URI. */
  src: string;
  mimeType?: string | undefined;
  /** `WIDTHxHEIGHT` each, or `any`. */
  sizes?: string[] | undefined;
  /** The background that the icon is drawn for; without it the icon suits both. */
  theme?: 'light' | 'dark' | undefined;
}

/** Whatever may be shown with icons. */
export interface Icons {
  /** Since 2025-11-25. */
  icons?: Icon[] | undefined;
}

/** Who a message speaks for. */
export type Role = 'user' | 'assistant';
