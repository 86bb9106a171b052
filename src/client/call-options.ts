import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import type { LoggingLevel } from '../protocol/logging.ts';

/** What every request of a client may be given. */
export interface CallOptions extends RequestOptions {
  /** The least severe log message wanted for this call. Since 2026-07-28; before, see `setLogLevel`. */
  logLevel?: LoggingLevel | undefined;
  /** Go with the request over HTTP, such as the `Mcp-Name` that an extension asks for. Since 2026-07-28. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Asks the server even where a kept result is still fresh. */
  fresh?: boolean | undefined;
}
