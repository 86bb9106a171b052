import * as errorCodes from './error-codes.ts';
import type { Decoded, Failure, Message, Refusal, RequestId } from './message.ts';

let utf8: InstanceType<typeof TextDecoder> | undefined;

/** Bytes to text; throws a TypeError where they are not UTF-8: repairing would change what was said. */
export function decodeUtf8(bytes: Uint8Array): string {
  // Made at the first use, so that a runtime without TextDecoder can still exchange text.
  utf8 ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return utf8.decode(bytes);
}

/**
 * One message (or one batch) to what it is. Never throws.
 * Refusals: not UTF-8 or not JSON `-32700`; JSON but not JSON-RPC `-32600`, naming the member that is wrong.
 * Source: JSON-RPC 2.0 sections 4 to 6.
 */
export function decode(data: string | Uint8Array): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(typeof data === 'string' ? data : decodeUtf8(data));
  } catch (thrown) {
    // The parser's own words: they name the place where it stopped.
    return refusal(null, errorCodes.parseError, `Parse error: ${(thrown as Error).message}`);
  }
  return Array.isArray(value) ? decodeBatch(value) : classify(value);
}

function decodeBatch(values: unknown[]): Decoded {
  // JSON-RPC 2.0 section 6: an empty array is one invalid request, not an empty batch.
  if (values.length === 0) return invalid('a batch must not be empty');
  return { kind: 'batch', items: values.map(classify) };
}

/** Judges a value that is already parsed: for transports that receive objects, and a body that was parsed. */
export function classify(value: unknown): Decoded {
  if (!isObject(value)) return invalid('a message must be an object');
  const { id, method, params } = value;
  if (value['jsonrpc'] !== '2.0') return invalid('"jsonrpc" must be "2.0"', value);
  if (method !== undefined) {
    if (typeof method !== 'string') return invalid('"method" must be a string', value);
    // MCP passes parameters by name: an array is JSON-RPC, but no method of any revision takes one.
    if (params !== undefined && !isObject(params)) return invalid('"params" must be an object', value);
    if (id === undefined) {
      return Object.hasOwn(value, 'id')
        ? invalid(idRule(id), value)
        : { kind: 'notification', message: value as unknown as Message & { method: string; id: never } };
    }
    if (!isRequestId(id)) return invalid(idRule(id), value);
    return { kind: 'request', message: value as unknown as Message & { method: string; id: RequestId } };
  }
  const error = value['error'];
  if (error !== undefined) return classifyFailure(value, id, error);
  if (value['result'] === undefined) return invalid('neither "method" nor "result" nor "error"', value);
  if (!isRequestId(id)) return invalid(idRule(id), value);
  if (!isObject(value['result'])) return invalid('"result" must be an object', value);
  return { kind: 'success', message: value as unknown as Extract<Decoded, { kind: 'success' }>['message'] };
}

function classifyFailure(value: Record<string, unknown>, id: unknown, error: unknown): Decoded {
  if (value['result'] !== undefined) return invalid('both "result" and "error"', value);
  if (!isObject(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
    return invalid('"error" must have an integer "code" and a string "message"', value);
  }
  // 2026-07-28 basic/index#error-responses: the id may be missing where the request could not be read.
  if (id != null && !isRequestId(id)) return invalid(idRule(id), value);
  return { kind: 'failure', message: value as unknown as Failure };
}

/** One message to its line of text, without the newline. JSON escapes every newline inside. */
export function encode(message: Message | Message[]): string {
  return JSON.stringify(message);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Integers past 2^53 are refused: JSON.parse has rounded them, and an answer would go to another request. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function idRule(id: unknown): string {
  return typeof id === 'number' && Number.isInteger(id)
    ? '"id" is an integer beyond 2^53, which JSON readers round; send it as a string'
    : '"id" must be a string or an integer';
}

/** The refusal says the message's own id back where it can be one. */
const invalid = (what: string, { id, method }: Record<string, unknown> = {}): Refusal => ({
  ...refusal(isRequestId(id) ? id : null, errorCodes.invalidRequest, `Invalid request: ${what}`),
  ...method === undefined && { answer: `Invalid answer: ${what}` },
});

export function refusal(id: RequestId | null, code: number, message: string): Refusal {
  return { kind: 'refusal', id, error: { code, message } };
}
