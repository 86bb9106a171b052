import { isObject } from '../../jsonrpc/internal-exports.ts';
import { isMetaKey, modernErrors, serverInfoKey } from '../../protocol/internal-exports.ts';
import { hasMethod, methodRow, methods } from '../../protocol/internal-exports.ts';
import { mediaType } from '../../transport/internal-exports.ts';
import type { Arrival, JudgedConversation } from '../conversation.ts';

// Checks of every message of a peer, whatever its subject.

/** The result types of the core protocol. The judge does not declare the tasks extension, which adds one. */
const resultTypes: readonly unknown[] = ['complete', 'input_required'];

export function judgeMessage(conversation: JudgedConversation, arrival: Arrival): void {
  const { json, text, batch } = arrival;
  // Authorization documents, and the texts of HTTP refusals, are not messages.
  if (conversation.kind === 'http' && refusedOrDocument(conversation, arrival)) return;
  if (!isObject(json)) return strayed(conversation, arrival);
  conversation.check('base-59', json['jsonrpc'] === '2.0', 'a message with "jsonrpc": "2.0"', arrival);
  if (conversation.stdio) {
    conversation.check('stdio-1', !text.includes('\r') || text.indexOf('\r') === text.length - 1, 'a message on one line', arrival);
    conversation.check('stdio-4', true, '', arrival);
    judgePieces(conversation, arrival);
  }
  if (batch && conversation.revision.place !== 1) conversation.check('base-59', false, 'a single message: this revision has no batches', arrival);
  if (typeof json['method'] === 'string') judgeCall(conversation, arrival, json, json['method']);
  else checkResponse(conversation, arrival, json);
  metaKeysOf(conversation, arrival, json);
}

function refusedOrDocument({ entries }: JudgedConversation, { exchange, json }: Arrival): boolean {
  const head = entries.findLast((entry) => entry.kind === 'http' && entry.exchange === exchange && entry.direction === 'received');
  if (head?.kind !== 'http') return false;
  if (head.method === 'GET') return mediaType(head.headers['content-type']) !== 'text/event-stream';
  return (head.status ?? 0) >= 400 && !(isObject(json) && 'jsonrpc' in json);
}

/** Most lines that may be pieces of one message. */
const mostPieces = 200;

/** Whether a line may be a piece of JSON. */
const isPiece = ({ json, text }: Arrival): boolean => !isObject(json) && /^\s*[{}[\]",\d]/.test(text);

/** The lines directly before this one that may be pieces of a message. */
function piecesBefore({ arrivals }: JudgedConversation, arrival: Arrival): readonly Arrival[] {
  const end = arrivals.lastIndexOf(arrival);
  let from = end;
  while (from > 0 && end - from < mostPieces && isPiece(arrivals[from - 1] as Arrival)) from--;
  return arrivals.slice(from, end);
}

/** Judges a line that is not a message. Pieces of a message are broken lines; anything else is a log on stdout. */
function strayed(conversation: JudgedConversation, arrival: Arrival): void {
  if (!conversation.stdio) return conversation.check('base-59', false, 'a JSON-RPC message', arrival);
  if (!isPiece(arrival)) return conversation.check('stdio-4', false, 'nothing but messages on stdout', arrival);
  // The next lines show whether it is a piece.
  const lines = [...piecesBefore(conversation, arrival), arrival].map(({ text }) => text);
  for (let from = lines.length - 2; from >= 0; from--) {
    const whole = lines.slice(from).join('\n');
    if (isObject(parsed(whole)) || isObject(parsed(lines.slice(from).join('')))) return conversation.check('stdio-1', false, 'a message on one line', whole);
  }
}

/** Reports pieces that never became a message. */
function judgePieces(conversation: JudgedConversation, arrival: Arrival): void {
  const pieces = piecesBefore(conversation, arrival);
  const texts = pieces.map(({ text }) => text);
  const [first] = pieces;
  // If pieces form a message, `strayed` has reported it at the last piece.
  if (first && !texts.some((_, from) => isObject(parsed(texts.slice(from).join('\n'))) || isObject(parsed(texts.slice(from).join(''))))) conversation.check('stdio-4', false, 'nothing but messages on stdout', first);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id);

/** Judges a request or a notification of the peer. */
function judgeCall(conversation: JudgedConversation, arrival: Arrival, json: Readonly<Record<string, unknown>>, method: string): void {
  const { revision, modern } = conversation;
  const known = Object.hasOwn(methods, method);
  const notification = method.startsWith('notifications/');
  if (notification) conversation.check('base-61', !('id' in json), 'a notification without an id', arrival);
  else {
    conversation.check('base-68', json['id'] !== null, 'a request whose id is not null', arrival);
    conversation.check('base-65', isId(json['id']), 'a request whose id is a string or an integer', arrival);
    conversation.check('base-3', !modern, 'no request of the server: it asks in results', arrival);
    const same = conversation.arrivals.filter((one) => one !== arrival && isObject(one.json) && typeof one.json['method'] === 'string' && one.json['id'] === json['id']);
    conversation.check('base-66', same.length === 0, 'an id that was not used before', arrival);
    conversation.check('base-67', same.length === 0, 'an id that no request in flight has', arrival);
  }
  if (!known) return;
  const { from } = methodRow(method);
  conversation.check('lifecycle-14', hasMethod(revision, method) && from !== undefined, `a method that ${revision.version} has for servers`, arrival);
}

/** Judges a response. */
function checkResponse(conversation: JudgedConversation, arrival: Arrival, json: Readonly<Record<string, unknown>>): void {
  const { revision, modern } = conversation;
  const { result, error, id } = json;
  const has = 'result' in json;
  conversation.check('base-69', has !== 'error' in json, 'a response with a result or an error, and not both', arrival);
  if (has) {
    conversation.check('base-71', isObject(result), 'a response whose result is an object', arrival);
    conversation.check('base-70', arrival.answers !== undefined && !arrival.answers.done, 'the id of a request that waits for its response', arrival);
    if (modern && isObject(result)) judgeResult(conversation, arrival, result);
  } else if (isObject(error)) {
    const { code, message } = error;
    conversation.check('base-31', Number.isInteger(code), 'an error whose code is an integer', arrival);
    conversation.check('base-32', 'code' in error && typeof message === 'string', 'an error with a code and a message', arrival);
    if (id === null) {
      // JSON-RPC 2.0 section 5: null if the id could not be read. The newer schemas have no null.
      if (revision.place < 3) conversation.check('schema-7', true, '', arrival);
      else conversation.dispute('schema-7', 'an error without an id, or with that of its request', arrival);
    }
    if (id !== undefined && id !== null) {
      conversation.check('schema-7', isId(id), 'an error whose id is a string or an integer', arrival);
      conversation.check('base-33', arrival.answers !== undefined, 'the id of the request that failed', arrival);
    }
    if (code === -32042 && revision.place === 3) judgeRequired(conversation, arrival, error['data']);
    if (modern && Number.isInteger(code)) judgeCode(conversation, arrival, code as number);
  }
}

/** 2026-07-28 basic/index#resulttype, #_meta. */
function judgeResult(conversation: JudgedConversation, arrival: Arrival, result: Readonly<Record<string, unknown>>): void {
  conversation.check('base-72', typeof result['resultType'] === 'string', 'a result with resultType', arrival);
  if ('resultType' in result) conversation.check('base-75', resultTypes.includes(result['resultType']), 'resultType complete or input_required: the client declared no extension', arrival);
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  const info = meta[serverInfoKey];
  conversation.check('base-16', isObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string', `${serverInfoKey} in the _meta of the result`, arrival);
}

/** 2025-11-25 client/elicitation#url-elicitation-required-error. */
function judgeRequired(conversation: JudgedConversation, arrival: Arrival, data: unknown): void {
  const list = isObject(data) && Array.isArray(data['elicitations']) ? data['elicitations'] : [];
  conversation.check(['elicitation-52', 'elicitation-12'], list.length > 0, 'data.elicitations, with the elicitations to complete', arrival);
  if (list.length === 0) return;
  conversation.check('elicitation-51', list.every((one) => isObject(one) && typeof one['elicitationId'] === 'string' && typeof one['url'] === 'string'), 'elicitations with an elicitationId and a url', arrival);
  conversation.check('elicitation-53', list.every((one) => isObject(one) && one['mode'] === 'url'), 'elicitations of the mode url only', arrival);
}

/** 2026-07-28 basic/index#error-codes. */
function judgeCode(conversation: JudgedConversation, arrival: Arrival, code: number): void {
  conversation.check('base-27', code !== -32002, 'another code than -32002', arrival);
  conversation.check('base-28', code !== -32042, 'another code than -32042', arrival);
  const reserved = code <= -32020 && code >= -32099;
  conversation.check('base-26', !reserved || modernErrors.includes(code) || code === -32042, 'a code of the reserved range that the specification defines', arrival);
  const plain = code === -32700 || code <= -32600 && code >= -32603;
  conversation.check('base-30', reserved || plain || code < -32768 || code > -32000 || code === -32002, 'a code of the server outside the range that JSON-RPC reserves', arrival);
}

const prefix = /^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;
const name = /^([A-Za-z0-9]([\w.-]*[A-Za-z0-9])?)?$/;

/** 2025-06-18 basic/index#_meta: the keys of each `_meta` of a message. */
function metaKeysOf(conversation: JudgedConversation, arrival: Arrival, json: Readonly<Record<string, unknown>>): void {
  for (const key of keysOf(json, 0)) {
    const slash = key.lastIndexOf('/');
    if (isMetaKey(key)) {
      conversation.check('base-17', true, '', arrival);
      if (slash >= 0) conversation.check(['base-10', 'base-13'], true, '', arrival);
      continue;
    }
    const before = key.slice(0, Math.max(slash, 0));
    const labels = slash < 0 || prefix.test(before);
    if (!labels) conversation.check(/^[\w-]+(\.[\w-]+)*$/.test(before) ? 'base-13' : 'base-10', false, 'a _meta key whose prefix is labels, joined by dots', arrival);
    if (!name.test(key.slice(slash + 1))) conversation.check('base-17', false, 'a _meta key whose name begins and ends with a letter or digit', arrival);
  }
}

function keysOf(value: unknown, depth: number): string[] {
  if (depth > 12 || typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).slice(0, 500).flatMap(([key, one]) => (key === 'structuredContent' || key === 'data' || key === 'inputSchema' || key === 'outputSchema' ? [] : keysOf(one, depth + 1)));
  const { _meta: meta } = value as { readonly _meta?: unknown };
  return isObject(meta) ? [...Object.keys(meta).slice(0, 100), ...below] : below;
}
