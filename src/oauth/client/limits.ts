import { defaultFetchLimits } from '../fetch-json.ts';
import type { FetchLimits } from '../fetch-json.ts';

/** Limits for the client: what it reads and follows, and how long it waits. */
export interface OAuthLimits extends FetchLimits {
  /** How often one request to the MCP server is sent again because its token or scopes were refused. 3. */
  maxAttempts: number;
  /** Milliseconds that a person has for the login. 5 minutes. */
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
