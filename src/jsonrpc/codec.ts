import { checkOptions } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import { smallText, weighText, weightShape, weighValue } from '../bounds/weight.ts';
import type { WeightLimits } from '../bounds/weight.ts';
import { invalidRequestCode, parseErrorCode } from './errors.ts';
import type {
  Bag, Decoded, Failure, Message, Notification, Refusal, Request, RequestId, Success, Unchecked, UncheckedResponse,
} from './message.ts';

let utf8: InstanceType<typeof TextDecoder> | undefined;

/** Bytes to text; throws a TypeError where they are not UTF-8: repairing would change what was said. */
export function decodeUtf8(bytes: Uint8Array): string {
  // Made at the first use, so that a runtime without TextDecoder can still exchange text.
  utf8 ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return utf8.decode(bytes);
}

/**
 * One message (or one batch) to what it is. Throws for malformed limits, and never for what came.
 * Refusals: not UTF-8 or not JSON `-32700`; JSON but not JSON-RPC, or over the limits, `-32600`, naming what is
 * wrong. Source: JSON-RPC 2.0 sections 4 to 6.
 */
export function decode(data: string | Uint8Array, limits?: WeightLimits): Decoded {
  if (limits) checkOptions('decode: options', limits, weightShape);
  const decoded = decodeUnchecked(data, limits);
  return decoded.kind === 'response' ? checkResponse(decoded) : decoded;
}

/** The same, but an answer's members are not judged: the connection judges those that it has asked for. */
export function decodeUnchecked(data: string | Uint8Array, limits?: WeightLimits): Unchecked {
  try {
    const text = typeof data === 'string' ? data : decodeUtf8(data);
    // A parser that throws costs ten times what it costs to look: most lines that are not JSON are a log.
    if (!text.startsWith('{') && !mayBeJson.test(text)) return notJson(`${quote(text, 40)} is no JSON`);
    const weight = text.length <= smallText ? text.length : weighText(text, limits);
    if (typeof weight === 'object') return tooLarge(weight.over, text);
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? classifyBatch(value, weight) : classifyOne(value, weight);
  } catch (thrown) {
    // The parser's own words: they name the place where it stopped.
    return unreadable(data, (thrown as Error).message);
  }
}

/** The beginning of an array, an object or a string; or a whole number, `true`, `false`, `null`. */
const mayBeJson = /^\s*(?:[[{"]|(?:true|false|null|-?\d[\d.eE+-]*)\s*$)/;

/** The refusal of a text that is not JSON. */
export const notJson = (why: string): Refusal => refusal(null, parseErrorCode, `Parse error: ${why}`);

/** The same for a value that came parsed, such as a body from a framework. */
export function decodeValue(value: unknown, limits?: WeightLimits): Decoded {
  if (limits) checkOptions('decodeValue: options', limits, weightShape);
  const decoded = decodeValueUnchecked(value, limits);
  return decoded.kind === 'response' ? checkResponse(decoded) : decoded;
}

/** `decodeUnchecked` for a value. */
export function decodeValueUnchecked(value: unknown, limits?: WeightLimits): Unchecked {
  const weight = weighValue(value, limits);
  if (typeof weight === 'object') return { ...invalid(overLimit(weight.over), isObject(value) ? value : {}), unread: true };
  return Array.isArray(value) ? classifyBatch(value, weight) : classifyOne(value, weight);
}

const overLimit = (what: string): string => `the message is over ${what}`;

/** The refusal of a message that is too large to be read. The ends of `text` may tell which request it answers. */
export function tooLarge(what: string, text: string): Refusal {
  const { members, next } = outerMembers(text);
  return { ...invalid(overLimit(what), next === 'params' ? { method: '', ...members } : members), unread: true };
}

/** The refusal of bytes that are not UTF-8, or of text that is not JSON. Where it begins as an answer does, its caller is told. */
export function unreadable(data: string | Uint8Array, why: string): Refusal {
  // What is not UTF-8 is replaced: of the text no more is read than its ends.
  const { members: { id }, next } = outerMembers(typeof data === 'string' ? data : new TextDecoder().decode(data));
  return { ...notJson(why), .../^(?:result|error)$/.test(next) && isRequestId(id) && { id, responseFault: why } };
}

function classifyBatch(value: readonly unknown[], weight: number): Unchecked {
  // JSON-RPC 2.0 section 6: an empty array is one invalid request, not an empty batch.
  if (value.length === 0) return invalid('a batch must not be empty');
  // Its items are judged one by one, and only where the revision has batches.
  return { kind: 'batch', values: value, weight };
}

/** Judges one value that is already parsed. `weight`: the memory that it takes, in bytes. */
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
    if (id === undefined) {
      return 'id' in value
        ? invalid(idRule, value)
        : { kind: 'notification', message: value as unknown as Notification };
    }
    if (!isRequestId(id)) return invalid(idRule, value);
    return { kind: 'request', message: value as unknown as Request, weight };
  }
  if (value['result'] === undefined && value['error'] === undefined) return invalid('neither "method" nor "result" nor "error"', value);
  return { kind: 'response', message: value };
}

/** What an answer is: a success, a failure, or the refusal of what is neither. */
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
  // 2026-07-28 basic/index#error-responses: the id may be missing where the request could not be read.
  if (id != null && !isRequestId(id)) return invalid(idRule, message);
  return { kind: 'failure', message: message as unknown as Failure };
}

/** One message to its line of text, without the newline. JSON escapes every newline inside. */
export function encode(message: Message | Message[]): string {
  return JSON.stringify(message);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** UTF-16 units of an id or a progress token: it is said back, and kept as long as its request. */
const maxIdLength = 1024;

/** Integers past 2^53 are refused: JSON.parse has rounded them, and an answer would go to another request. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= maxIdLength : Number.isSafeInteger(id);
}

// A literal without `maxIdLength`, so that a bundler can leave it out.
const idRule = '"id" must be a string of at most 1024 characters or an integer within 2^53';

/** The refusal says the message's own id back where it can be one. */
export const invalid = (what: string, { id, method }: { readonly id?: unknown; readonly method?: unknown } = {}): Refusal => ({
  ...refusal(isRequestId(id) ? id : null, invalidRequestCode, `Invalid request: ${what}`),
  ...method === undefined && { responseFault: `Invalid answer: ${what}` },
});

export function refusal(id: RequestId | null, code: number, message: string): Refusal {
  return { kind: 'refusal', id, error: { code, message } };
}

/** How much of either end of a message is looked at: bytes, or characters. */
export const endLength = 256;

// A function, since a bundler cannot leave out a template with a tag.
const member = (): string => String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*`;

/**
 * What stands at both ends of a message that cannot be read whole: so the caller that waits for that answer need not
 * wait until the time is up. `members` are those before the first other member, and after the last; `next` is the name of the first other
 * one. What looks like a member before the last brace is one: in a string its quotation marks would be escaped.
 */
function outerMembers(text: string): { members: Record<string, unknown>; next: string } {
  const head = text.slice(0, endLength);
  const opening = new RegExp(String.raw`^\s*\{\s*(?:${member()},\s*)*`).exec(head)?.[0] ?? '';
  const closing = new RegExp(String.raw`(?:,\s*${member()})+\}\s*$`).exec(text.slice(-endLength))?.[0] ?? '}';
  const next = /^"(\w+)"/.exec(head.slice(opening.length))?.[1] ?? '';
  try {
    // What cannot be read stands between them.
    return { members: JSON.parse(`${opening}"":0${closing}`) as Record<string, unknown>, next };
  } catch {
    // It is not an object, or an escape is malformed.
    return { members: {}, next: '' };
  }
}
