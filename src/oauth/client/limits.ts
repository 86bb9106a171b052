import { defaultFetchLimits } from '../fetch-json.ts';
import type { FetchLimits } from '../fetch-json.ts';

/** Limits of the client: sizes, redirects, attempts and timeouts. */
export interface OAuthLimits extends FetchLimits {
  /** How often one request to the MCP server is repeated because its token or scopes were refused. 3. */
  maxAttempts: number;
  /** Milliseconds until a login by a person times out. 5 minutes. */
  authorizationMs: number;
  /** Milliseconds after which the claim of a dead process expires; a live process renews it. 15 seconds. */
  claimMs: number;
}

/** The defaults of `OAuthLimits`. */
export const defaultOAuthLimits: OAuthLimits = {
  maxBytes: defaultFetchLimits.maxBytes,
  timeoutMs: defaultFetchLimits.timeoutMs,
  maxRedirects: defaultFetchLimits.maxRedirects,
  maxAttempts: 3,
  authorizationMs: 5 * 60_000,
  claimMs: 15_000,
};
