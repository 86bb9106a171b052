import { defaultFetchLimits } from '../fetch-json.ts';
import type { FetchLimits } from '../fetch-json.ts';

/** Bounds on what a server can make the client read, follow and wait for. */
export interface OAuthLimits extends FetchLimits {
  /** Times that one request to the MCP server is sent again because its token or scopes were refused. 3. */
  maxAttempts: number;
  /** Milliseconds that a person has for the login. 5 minutes. */
  authorizationMs: number;
  /** Milliseconds after which the claim of a process that is gone runs out; one that lives renews it. 15 seconds. */
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
