/**
 * The exports of this folder for other folders of this package, in addition to index.ts, which is public.
 * `test/imports.test.ts` fails on any other import from this folder. It is not an entry of the package.
 */

// Errors: the codes as separate constants, so that a bundle has no table of codes; errors for faults of a peer or of this
// side; conversion of thrown values to error objects.
export {
  headerMismatchCode, internalErrorCode, invalidParamsCode, invalidRequestCode, methodNotFoundCode,
  missingClientCapabilityCode, parseErrorCode, resourceNotFoundCode, unsupportedProtocolVersionCode,
  urlElicitationRequiredCode, errorMessage, internalError, invalidParams, methodNotFound, need, tell, toError, toErrorObject,
} from './errors.ts';

// Values and bytes from the wire.
export { fromBase64, fromBase64Url, toBase64 } from './base64.ts';
export { decodeUtf8, isBase64, isObject } from './message.ts';

// For requests without a `Connection`: abort signal, outlet, text of messages.
export { Abortable, failureText, nobody, notificationText } from './inbound-request.ts';
