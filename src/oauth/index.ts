/**
 * `barewire/oauth`: `oauth` and its grants log a client in; `bearer` makes an HTTP server a protected resource.
 *
 * @module
 */

export * from './client/index.ts';
export * from './resource/index.ts';
export type { OAuthErrorCode } from './error-codes.ts';
export { OAuthError, TokenError } from './errors.ts';
export { defaultFetchLimits } from './fetch-json.ts';
export type { FetchLimits, FetchOptions } from './fetch-json.ts';
export type { Jwk } from './jwk.ts';
