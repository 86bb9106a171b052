/** The messages of JSON-RPC 2.0, as MCP restricts them. Source: 2026-07-28 basic/index#messages. */

import { checkOptions } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import { smallText, weighText, weightShape, weighValue } from '../bounds/weight.ts';
import type { WeightLimits } from '../bounds/weight.ts';
import { invalidRequestCode, parseErrorCode } from './errors.ts';

/** A string or an integer, never null. 2025-06-18 basic/index#requests. */
export type RequestId = string | number;

/** A JSON object with unchecked members. */
export type Bag = Record<string, unknown>;

/** Parameters by name: MCP has no parameters by position. */
export type Params = Bag;

/** A message that gets a response (JSON-RPC 2.0 section 4). */
export interface Request {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: Params;
}

/** A message that gets no response (JSON-RPC 2.0 section 4.1). */
export interface Notification {
  jsonrpc: '2.0';
  method: string;
  params?: Params;
}

/** The response to a request that succeeded. */
export interface Success {
  jsonrpc: '2.0';
  id: RequestId;
  result: Record<string, unknown>;
}

/** The code and message of an error response (JSON-RPC 2.0 section 5.1). */
export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** The response to a request that failed. `id` is absent or null if the id of the request could not be read. */
export interface Failure {
  jsonrpc: '2.0';
  id?: RequestId | null;
  error: ErrorObject;
}

/** The response to a request (JSON-RPC 2.0 section 5). */
export type Response = Success | Failure;
/** Any message that is not a batch. */
export type Message = Request | Notification | Response;

/**
 * The result of `decode`: a classified message, or a refusal. `weight` is the memory of the message in bytes, which the
 * connection charges to the peer's budget.
 */
export type Decoded =
  | { kind: 'request'; message: Request; weight: number }
  | { kind: 'notification'; message: Notification }
  | { kind: 'success'; message: Success }
  | { kind: 'failure'; message: Failure }
  /** The values are unchecked: call `classify` for each. */
  | { kind: 'batch'; values: readonly unknown[]; weight: number }
  | Refusal;

/** A message with a result or an error. Its members are unchecked until `checkResponse`. */
export interface UncheckedResponse {
  kind: 'response';
  message: Bag;
}

/** The result of `decodeUnchecked`. */
export type Unchecked = Exclude<Decoded, { kind: 'success' | 'failure' }> | UncheckedResponse;

/** The error for a message that is not valid JSON-RPC. `id` is the id of the message, or null if it could not be read. */
export interface Refusal {
  kind: 'refusal';
  id: RequestId | null;
  /** The error message for our pending request with this id. Set if the message may be a response: it has no `method`. */
  responseFault?: string;
  /** The message was too large to read. If its id is unknown and only one request of ours is pending, it was the response to that. */
  unread?: true;
  error: ErrorObject;
}

let utf8: InstanceType<typeof TextDecoder> | undefined;

/** Decodes UTF-8. Throws a TypeError for invalid bytes, since replacement characters would change the message. */
export function decodeUtf8(bytes: Uint8Array): string {
  // Created at the first call, so that a runtime without TextDecoder can still exchange text.
  utf8 ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return utf8.decode(bytes);
}

/**
 * Decodes and classifies one message or one batch. Throws only for malformed `limits`, never for `data`.
 * Refusals: `-32700` if it is not UTF-8 or not JSON; `-32600` if it is JSON but not JSON-RPC, or over the limits. The
 * error names the fault. Source: JSON-RPC 2.0 sections 4 to 6.
 */
export function decode(data: string | Uint8Array, limits?: WeightLimits): Decoded {
  if (limits) checkOptions('decode: options', limits, weightShape);
  const decoded = decodeUnchecked(data, limits);
  return decoded.kind === 'response' ? checkResponse(decoded) : decoded;
}

/** Like `decode`, but does not check the members of a response: a connection does that if it has sent requests. */
export function decodeUnchecked(data: string | Uint8Array, limits?: WeightLimits): Unchecked {
  try {
    const text = typeof data === 'string' ? data : decodeUtf8(data);
    // JSON.parse costs ten times as much if it throws. Most lines that are not JSON are log lines.
    if (!text.startsWith('{') && !mayBeJson.test(text)) return notJson(`${quote(text, 40)} is not JSON`);
    const weight = text.length <= smallText ? text.length : weighText(text, limits);
    if (typeof weight === 'object') return tooLarge(weight.over, text);
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? classifyBatch(value, weight) : classifyOne(value, weight);
  } catch (thrown) {
    // The parser's message names the position of the error.
    return unreadable(data, (thrown as Error).message);
  }
}

/** Matches a text that begins an array, an object or a string, or that is a number, `true`, `false` or `null`. */
const mayBeJson = /^\s*(?:[[{"]|(?:true|false|null|-?\d[\d.eE+-]*)\s*$)/;

/** The refusal of a text that is not JSON. */
export const notJson = (why: string): Refusal => refusal(null, parseErrorCode, `Parse error: ${why}`);

/** Like `decode`, for a value that is already parsed, such as a request body from a web framework. */
export function decodeValue(value: unknown, limits?: WeightLimits): Decoded {
  if (limits) checkOptions('decodeValue: options', limits, weightShape);
  const decoded = decodeValueUnchecked(value, limits);
  return decoded.kind === 'response' ? checkResponse(decoded) : decoded;
}

/** Like `decodeUnchecked`, for a parsed value. */
export function decodeValueUnchecked(value: unknown, limits?: WeightLimits): Unchecked {
  const weight = weighValue(value, limits);
  if (typeof weight === 'object') return { ...invalid(overLimit(weight.over), isObject(value) ? value : {}), unread: true };
  return Array.isArray(value) ? classifyBatch(value, weight) : classifyOne(value, weight);
}

const overLimit = (what: string): string => `the message is over ${what}`;

/** The refusal of a message that is too large to be read. Its id is taken from the beginning or the end of `text`, if it is there. */
export function tooLarge(what: string, text: string): Refusal {
  const { members, next } = outerMembers(text);
  return { ...invalid(overLimit(what), next === 'params' ? { method: '', ...members } : members), unread: true };
}

/** The refusal of bytes that are not UTF-8, or of text that is not JSON. If it begins like a response, our pending request fails. */
export function unreadable(data: string | Uint8Array, why: string): Refusal {
  // Here invalid bytes may be replaced, because only the id is read.
  const { members: { id }, next } = outerMembers(typeof data === 'string' ? data : new TextDecoder().decode(data));
  return { ...notJson(why), .../^(?:result|error)$/.test(next) && isRequestId(id) && { id, responseFault: why } };
}

function classifyBatch(value: readonly unknown[], weight: number): Unchecked {
  // JSON-RPC 2.0 section 6: an empty array is one invalid request, not an empty batch.
  if (value.length === 0) return invalid('a batch must not be empty');
  // The items are classified one by one later, and only if the revision has batches.
  return { kind: 'batch', values: value, weight };
}

/** Classifies one parsed value. `weight`: the memory that it takes, in bytes. */
export function classify(value: unknown, weight: number = 0): Exclude<Decoded, { kind: 'batch' }> {
  const decoded = classifyOne(value, weight);
  return decoded.kind === 'response' ? checkResponse(decoded) : decoded;
}

function classifyOne(value: unknown, weight: number): Exclude<Unchecked, { kind: 'batch' }> {
  if (!isObject(value)) return invalid('a message must be an object');
  const { id, method, params } = value;
  if (value['jsonrpc'] !== '2.0') return invalid('"jsonrpc" must be "2.0"', value);
  if (method !== undefined) {
    if (typeof method !== 'string') return invalid('"method" must be a string', value);
    // MCP passes parameters by name: an array is JSON-RPC, but no method of any revision takes one.
    if (params !== undefined && !isObject(params)) return invalid('"params" must be an object', value);
    if (!('id' in value)) return { kind: 'notification', message: value as unknown as Notification };
    if (!isRequestId(id)) return invalid(idRule, value);
    return { kind: 'request', message: value as unknown as Request, weight };
  }
  if (value['result'] === undefined && value['error'] === undefined) return invalid('neither "method" nor "result" nor "error"', value);
  return { kind: 'response', message: value };
}

/** Checks the members of a response. Returns a success, a failure, or a refusal if it is malformed. */
export function checkResponse({ message }: UncheckedResponse): Extract<Decoded, { kind: 'success' | 'failure' | 'refusal' }> {
  const { id, result, error } = message;
  if (error !== undefined) return classifyFailure(message, error);
  if (!isRequestId(id)) return invalid(idRule, message);
  if (!isObject(result)) return invalid('"result" must be an object', message);
  return { kind: 'success', message: message as unknown as Success };
}

function classifyFailure(message: Bag, error: unknown): Refusal | { kind: 'failure'; message: Failure } {
  const { id } = message;
  if (message['result'] !== undefined) return invalid('both "result" and "error"', message);
  if (!isObject(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
    return invalid('"error" must have an integer "code" and a string "message"', message);
  }
  // 2026-07-28 basic/index#error-responses: the id may be missing if the request could not be read.
  if (id != null && !isRequestId(id)) return invalid(idRule, message);
  return { kind: 'failure', message: message as unknown as Failure };
}

/** Serializes one message as one line of text, without the newline at its end. JSON escapes newlines inside. */
export function encode(message: Message | Message[]): string {
  return JSON.stringify(message);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a value is Base64, whole and with nothing else: RFC 4648, 3.2 and 3.3 (`@format byte` of the schema). The expression needs
 * neither a copy nor a stack, so a text may be long.
 */
export const isBase64 = (value: unknown): value is string =>
  typeof value === 'string' && !(value.length % 4) && /^[a-z\d+/]*=?=?$/i.test(value);

/** UTF-16 units of an id or a progress token: we send it back, and keep it as long as its request. */
const maxIdLength = 1024;

/** Integers from 2^53 on are refused: JSON.parse rounds them, so a response would go to another request. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id);
}

// A plain literal without `maxIdLength`, so that a bundler can drop it.
const idRule = '"id" must be a string of at most 1024 characters or an integer within 2^53';

/** Creates a refusal `-32600`, with the id of the message if that is valid. Without `method` the message may be a response. */
export const invalid = (what: string, { id, method }: { readonly id?: unknown; readonly method?: unknown } = {}): Refusal => ({
  ...refusal(isRequestId(id) ? id : null, invalidRequestCode, `Invalid request: ${what}`),
  ...method === undefined && { responseFault: `Invalid response: ${what}` },
});

export function refusal(id: RequestId | null, code: number, message: string): Refusal {
  return { kind: 'refusal', id, error: { code, message } };
}

/** Bytes, or characters, that are searched for the id at each end of an unreadable message. */
export const endLength = 256;

// A function, since a bundler cannot drop a tagged template.
const member = (): string => String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*`;

/**
 * Reads `jsonrpc`, `id` and `method` at both ends of a message that cannot be parsed, so that a caller that waits for
 * this response fails at once and not by timeout. `next`: the name of the first other member. A match before the last
 * brace is a member and not part of a string: in a string its quotation marks would be escaped.
 */
function outerMembers(text: string): { members: Record<string, unknown>; next: string } {
  const head = text.slice(0, endLength);
  const opening = new RegExp(String.raw`^\s*\{\s*(?:${member()},\s*)*`).exec(head)?.[0] ?? '';
  const closing = new RegExp(String.raw`(?:,\s*${member()})+\}\s*$`).exec(text.slice(-endLength))?.[0] ?? '}';
  const next = /^"(\w+)"/.exec(head.slice(opening.length))?.[1] ?? '';
  try {
    // An empty name replaces the members between both ends.
    return { members: JSON.parse(`${opening}"":0${closing}`) as Record<string, unknown>, next };
  } catch {
    // The text is not an object, or an escape is malformed.
    return { members: {}, next: '' };
  }
}
