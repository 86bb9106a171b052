import { classify, isObject, isRequestId } from '../jsonrpc/message.ts';
import type { Decoded, RequestId } from '../jsonrpc/message.ts';
import type { Outgoing } from './client-port.ts';

const prefix = 'page-';

/** Separates answers to the client's requests from answers to injected ones. Both share a connection, so their ids must differ. */
export interface TapIds {
  /** The client has sent a request. */
  asked(id: RequestId): void;
  /** The request was answered or given up. */
  settled(id: RequestId): void;
  /** The connection is gone, and with it all pending requests. */
  clear(): void;
  /** The part of an incoming message that is for the client; undefined: none. */
  forClient(decoded: Decoded): Decoded | undefined;
  /**
   * The text to inject, with ids of ours for requests and progress tokens. Throws for a text that is not JSON and
   * contains the id of a pending request.
   */
  own(text: string): string;
  /** The parts of an injected text that a transport reads. `pipe`: the server answers an unreadable text without an id. */
  outgoing(text: string, decoded: Decoded, pipe: boolean): Outgoing;
}

/** Makes the ids of one connection. Long function: its short functions share the ids of pending requests. */
export function tapIds(): TapIds {
  let count = 0;
  /** Ids of the client's requests that are not answered yet. */
  const waiting = new Set<RequestId>();
  /** How many injected texts the server may still answer without an id. */
  let unread = 0;

  const next = (): string => `${prefix}${++count}`;

  /** The message with ids of ours in place of those that an answer would repeat. */
  function renamed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(renamed);
    if (!isObject(value) || value['result'] !== undefined || value['error'] !== undefined) return value;
    const own = { ...value };
    if (isRequestId(value['id']) && !isOurs(value['id'])) own['id'] = next();
    const { params } = value;
    const meta = isObject(params) ? params['_meta'] : undefined;
    if (isObject(params) && isObject(meta) && isRequestId(meta['progressToken']) && !isOurs(meta['progressToken'])) {
      own['params'] = { ...params, _meta: { ...meta, progressToken: next() } };
    }
    return own;
  }

  return {
    asked: (id) => void waiting.add(id),
    settled: (id) => void waiting.delete(id),
    clear() {
      waiting.clear();
      unread = 0;
    },
    forClient(decoded) {
      if (decoded.kind === 'success' || decoded.kind === 'failure') {
        const { id } = decoded.message;
        if (isOurs(id)) return undefined;
        if (id !== undefined && id !== null) waiting.delete(id);
        else if (unread > 0) {
          unread--;
          return undefined;
        }
      } else if (decoded.kind === 'refusal' && isOurs(decoded.id)) return undefined;
      else if (decoded.kind === 'batch') {
        const values = decoded.values.filter((value) => !(isObject(value) && value['method'] === undefined && isOurs(value['id'])));
        if (values.length === 0) return undefined;
        if (values.length < decoded.values.length) return { ...decoded, values };
      }
      return decoded;
    },
    own(text) {
      const value = parsed(text);
      if (value !== undefined) {
        const own = renamed(value);
        return JSON.stringify(own) === JSON.stringify(value) ? text : JSON.stringify(own);
      }
      for (const [, id = ''] of text.matchAll(/"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/g)) {
        const found = parsed(id);
        if (isRequestId(found) && waiting.has(found)) {
          throw new Error(`the text is not JSON, and the request with the id ${id} waits for an answer: take an id that begins with ${prefix}`);
        }
      }
      return text;
    },
    outgoing(text, decoded, pipe) {
      if (pipe) unread += unreadable(decoded);
      // Over HTTP, the transport reads an answer only for a request with an id.
      const message = outgoing(text);
      const id = isOurs(message.id) ? message.id : decoded.kind === 'refusal' || decoded.kind === 'batch' ? next() : undefined;
      return id === undefined ? message : { ...message, id, method: message.method ?? '' };
    },
  };
}

/** Whether an id belongs to an injected message. */
export const isOurs = (id: unknown): id is string => typeof id === 'string' && id.startsWith(prefix);

/** The value of a JSON text; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The parts of a request or notification that a transport reads; of other texts, none. */
export function outgoing(text: string): Outgoing {
  const value = parsed(text);
  if (!isObject(value) || typeof value['method'] !== 'string') return {};
  const { id, method, params } = value;
  return { method, ...isRequestId(id) && { id }, ...isObject(params) && { params } };
}

/** Whether a text of the client answers a request with one of our ids. Its members may be in any order. */
export function answersOurs(text: string): boolean {
  if (!text.includes(`"${prefix}`)) return false;
  const value = parsed(text);
  return isObject(value) && isOurs(value['id']);
}

/** How many errors without an id the server may send for a text. */
function unreadable(decoded: Decoded): number {
  if (decoded.kind === 'refusal') return decoded.id === null ? 1 : 0;
  if (decoded.kind !== 'batch') return 0;
  return decoded.values.map((value) => classify(value)).filter(({ kind }) => kind === 'refusal').length;
}
