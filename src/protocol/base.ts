/**
 * The members that the message types of every feature share. One type serves all five revisions: a member that a
 * revision added or removed is optional, and its comment says so. The revision table decides which members a given
 * peer may be sent.
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

/** How to read a result. An open set: an extension may add its own types. */
export type ResultType = 'complete' | 'input_required' | (string & {});

/** The members that every result may carry. */
export interface Result {
  _meta?: MetaObject | undefined;
  /** Since 2026-07-28 (required there). A result of an older server has no `resultType` and counts as `complete`. */
  resultType?: ResultType | undefined;
}

/** The result of a request that returns no data. */
export type EmptyResult = Result;

/** A name for programs and a title for people. */
export interface BaseMetadata {
  /** The identifier; also shown to people if `title` is missing. */
  name: string;
  /** Since 2025-06-18. The text to show to people. */
  title?: string | undefined;
}

/** Since 2025-11-25. An icon that a client may show. */
export interface Icon {
  /** An `https:` or a `data:` URI. */
  src: string;
  mimeType?: string | undefined;
  /** `WIDTHxHEIGHT` each, or `any`. */
  sizes?: string[] | undefined;
  /** The background that the icon is made for; without it the icon suits both. */
  theme?: 'light' | 'dark' | undefined;
}

/** The icons of an object. */
export interface Icons {
  /** Since 2025-11-25. */
  icons?: Icon[] | undefined;
}

/** The author of a message in a conversation. */
export type Role = 'user' | 'assistant';

/** Since 2026-07-28. The error of a request whose revision the server does not support. */
export interface UnsupportedProtocolVersionError {
  code: -32022;
  message: string;
  data: { supported: string[]; requested: string };
}

/** Since 2026-07-28. The error of a request whose HTTP headers and body disagree. */
export interface HeaderMismatchError {
  code: -32020;
  message: string;
}
