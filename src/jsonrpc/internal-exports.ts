/**
 * The internal exports of this folder (its door): what the kit may take from inside, beside what index.ts gives to everybody.
 * `test/imports.test.ts` fails on any other way in. It is not an entry of the package.
 */

// Errors: each code by a name of its own, so that a program carries no table of codes; a fault of a peer or of this side;
// anything thrown as an error object.
export {
  headerMismatchCode, internalErrorCode, invalidParamsCode, invalidRequestCode, methodNotFoundCode,
  missingClientCapabilityCode, parseErrorCode, resourceNotFoundCode, unsupportedProtocolVersionCode,
  urlElicitationRequiredCode, errorMessage, internalError, invalidParams, methodNotFound, need, toError, toErrorObject,
} from './errors.ts';

// Values and bytes from the wire.
export { fromBase64Url, toBase64 } from './base64.ts';
export { decodeUtf8, isObject } from './codec.ts';

// Requests that are served without a connection: their abort signal, their outlet, the text of what is sent.
export { Abortable, failureText, nobody, notificationText } from './inbound-request.ts';
