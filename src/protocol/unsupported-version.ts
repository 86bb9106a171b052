import { quote } from '../bounds/quote.ts';
import { RpcError, unsupportedProtocolVersionCode } from '../jsonrpc/errors.ts';
import { versionsOf } from './revisions.ts';
import type { Revision } from './revisions.ts';

/** The largest number of characters of a version that is sent back: real versions are shorter. */
const maxVersion = 64;

/** The refusal of a version that is not served. 2026-07-28 schema#UnsupportedProtocolVersionError. */
export function unsupportedVersion(
  served: readonly Revision[], requested: unknown, message: string = `Unsupported protocol version ${quote(requested)}`,
): RpcError {
  return new RpcError(unsupportedProtocolVersionCode, message, {
    supported: versionsOf(served),
    // The schema requires a string, also where something else came.
    requested: typeof requested === 'string' ? requested.slice(0, maxVersion) : '',
  });
}
