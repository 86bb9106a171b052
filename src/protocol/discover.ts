import type { RequestParams } from './base.ts';
import type { CacheableResult } from './caching.ts';
import type { ClientCapabilities, ServerCapabilities } from './lifecycle.ts';

// server/discover: request, client to server. Since 2026-07-28.
/** Only the common parameters. */
export type DiscoverRequestParams = RequestParams;

/** The result of `server/discover`. Its `_meta['io.modelcontextprotocol/serverInfo']` identifies the server. */
export interface DiscoverResult extends CacheableResult {
  /** The revisions that the server supports. */
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  /** How to use the server; a hint for the model. */
  instructions?: string | undefined;
}

/** Since 2026-07-28. The error of a request whose revision the server does not support. */
export interface UnsupportedProtocolVersionError {
  code: -32022;
  message: string;
  data: { supported: string[]; requested: string };
}

/** Since 2026-07-28. The error of a request that needs a capability that its client did not declare. */
export interface MissingRequiredClientCapabilityError {
  code: -32021;
  message: string;
  data: { requiredCapabilities: ClientCapabilities };
}

/** Since 2026-07-28. The error of a request whose HTTP headers and body disagree. */
export interface HeaderMismatchError {
  code: -32020;
  message: string;
}
