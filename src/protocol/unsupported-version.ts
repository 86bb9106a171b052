import { quote } from '../bounds/quote.ts';
import { RpcError, unsupportedProtocolVersionCode } from '../jsonrpc/errors.ts';
import { versionsOf } from './revisions.ts';
import type { Revision } from './revisions.ts';

/** The number of characters of a version that are sent back: real versions are shorter. */
const maxVersion = 64;

/** The error for a version that the server does not support. 2026-07-28 schema#UnsupportedProtocolVersionError. */
export function unsupportedVersion(
  served: readonly Revision[], requested: unknown, message: string = `Unsupported protocol version ${quote(requested)}`,
): RpcError {
  return new RpcError(unsupportedProtocolVersionCode, message, {
    supported: versionsOf(served),
    // The schema requires a string, even if the request had another type.
    requested: typeof requested === 'string' ? requested.slice(0, maxVersion) : '',
  });
}
