/**
 * `barewire/tap`: a transport around another one that observes, holds and injects raw text.
 *
 * @module
 */

import { classify, decode, isObject, isRequestId } from '../jsonrpc/codec.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Decoded, RequestId } from '../jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport, EventTraceEntry, HttpTrace, HttpTraceEntry, Outgoing, TraceEntry } from './port.ts';

/** Who made a message: the client or the server (`peer`), or the person, whole (`injected`) or by a change (`edited`). */
export type Origin = 'peer' | 'injected' | 'edited';

/** One message as it passed. */
export interface TappedMessage extends TraceEntry {
  readonly origin: Origin;
}

/** What passes: messages, and over HTTP the heads and events that carry them. */
export type TappedEntry = TappedMessage | HttpTraceEntry | EventTraceEntry;

/** Seen from the client: `sent` is what it says. */
export type Direction = 'sent' | 'received';

export interface TapOptions {
  /** Sees what passes, when it passes; what is received and held, when it arrives, and again where it is edited. */
  readonly onPassed?: ((entry: TappedEntry) => void) | undefined;
  /** What is held has changed. */
  readonly onHeld?: (() => void) | undefined;
}

/** A message on its way that waits to be let go. */
export interface Held {
  /** Counts from 1. */
  readonly number: number;
  readonly direction: Direction;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The controls of a tapped transport. */
export interface Tap {
  /** For the client to connect with. */
  readonly transport: ClientTransport;
  /** What is held, in both directions, the oldest first. */
  readonly held: readonly Held[];
  /**
   * Which directions are held from now on; what waits in one that is not held any more goes its way at once. While
   * anything is held, the clocks of the client's requests stand still.
   */
  hold(directions: { readonly sent: boolean; readonly received: boolean }): void;
  /**
   * Lets the message go that was held first, in this direction or of all. `text` goes in its place, as it stands.
   * Returns what went; undefined: nothing is held.
   */
  next(direction?: Direction, text?: string): Held | undefined;
  /** Throws the message away that was held first in this direction, as a network would that loses it. */
  drop(direction: Direction): Held | undefined;
  /**
   * Passes a text that neither side has made, malformed too, before all that is held. Ids that an answer would carry, and
   * progress tokens, are made to begin with `page-`, so that an answer never reaches a caller. Default: it is sent.
   *
   * Throws a `ConnectionError` where nothing is open, and an `Error` for a text that is not JSON and has an id that
   * waits for an answer, because the server may find that id.
   *
   * @returns the text as it went
   */
  inject(text: string, direction?: Direction): string;
}

interface HeldMessage extends Held {
  readonly message: Outgoing | undefined;
  readonly decoded: Decoded | undefined;
}

const prefix = 'page-';

/**
 * Stands between a client and a transport. `open` makes the transport and gives it this trace: raw text, what is no
 * message, and the heads of HTTP are seen by a transport's trace alone.
 *
 * ```ts
 * const tapped = tap((trace) => stdioTransport('node', ['server.js'], { trace }), { onPassed: show });
 * await client.connect(tapped.transport);
 * ```
 */
export function tap(open: (trace: HttpTrace) => ClientTransport, { onPassed, onHeld }: TapOptions = {}): Tap {
  let receiver: ClientReceiver | undefined;
  let holds = { sent: false, received: false };
  let held: HeldMessage[] = [];
  let numbers = 0;
  let ids = 0;
  /** The last text that came, which belongs to the message that is delivered next. */
  let arrived = '';
  /** Ids of the client's requests that have no answer yet. */
  const waiting = new Set<RequestId>();
  /** Injected texts that the server may answer without an id. */
  let unread = 0;
  /** Texts on their way that the client did not make. */
  const typed = new Map<string, Origin>();

  const inner = open((entry) => {
    if (entry.kind === 'http' || entry.kind === 'event') return onPassed?.(entry);
    if (entry.direction === 'received') arrived = entry.text;
    let origin: Origin = 'peer';
    if (entry.direction === 'sent') {
      origin = typed.get(entry.text) ?? origin;
      typed.delete(entry.text);
    }
    onPassed?.({ ...entry, origin });
  });

  function passed(direction: Direction, text: string, origin: Origin): void {
    onPassed?.({ direction, text, at: Date.now(), origin });
  }

  // ---- holding

  function keep(direction: Direction, text: string, message?: Outgoing, decoded?: Decoded): void {
    held.push({ number: ++numbers, direction, text, at: Date.now(), message, decoded });
    if (held.length === 1) receiver?.held?.(true);
    onHeld?.();
  }

  function taken(at: number): HeldMessage | undefined {
    const [one] = at < 0 ? [] : held.splice(at, 1);
    if (one && held.length === 0) receiver?.held?.(false);
    return one;
  }

  const first = (direction: Direction | undefined): number =>
    held.findIndex((one) => direction === undefined || one.direction === direction);

  function release(one: HeldMessage, text: string = one.text): void {
    const { direction, message, decoded } = one;
    const edited = text !== one.text;
    if (direction === 'sent') pass(text, edited ? { ...message, ...outgoing(text), ...message?.id !== undefined && { id: message.id } } : message, edited ? 'edited' : 'peer');
    else if (!edited && decoded) deliver(decoded);
    else {
      passed('received', text, 'edited');
      deliver(decode(text));
    }
  }

  function letAllGo(directions: { readonly sent: boolean; readonly received: boolean }): void {
    for (;;) {
      // Delivering may make the client send, which goes to the end.
      const one = taken(held.findIndex(({ direction }) => !directions[direction]));
      if (!one) return;
      release(one);
    }
  }

  /** What was on its way is lost with the channel. */
  function forget(): void {
    waiting.clear();
    typed.clear();
    unread = 0;
    if (held.length === 0) return;
    held = [];
    receiver?.held?.(false);
    onHeld?.();
  }

  // ---- both ways

  function pass(text: string, message: Outgoing | undefined, origin: Origin): void {
    if (origin !== 'peer') typed.set(text, origin);
    if (message?.id !== undefined && message.method !== undefined && origin !== 'injected') waiting.add(message.id);
    inner.send(text, message);
    // A pipe has traced it by now, if it traces at all; HTTP does so later.
    if (inner.kind === 'pipe') typed.delete(text);
  }

  function deliver(decoded: Decoded): void {
    if (decoded.kind === 'success' || decoded.kind === 'failure') {
      const { id } = decoded.message;
      if (isOurs(id)) return;
      if (id === undefined || id === null) {
        if (unread > 0) return void unread--;
      } else waiting.delete(id);
    } else if (decoded.kind === 'refusal' && isOurs(decoded.id)) return;
    else if (decoded.kind === 'batch') {
      const values = decoded.values.filter((value) => !(isObject(value) && value['method'] === undefined && isOurs(value['id'])));
      if (values.length === 0) return;
      if (values.length < decoded.values.length) return receiver?.message({ ...decoded, values });
    }
    receiver?.message(decoded);
  }

  const toClient: ClientReceiver = {
    message(decoded) {
      if (holds.received) keep('received', textOf(decoded, arrived), undefined, decoded);
      else deliver(decoded);
    },
    failed(id, error) {
      if (isOurs(id)) return;
      waiting.delete(id);
      receiver?.failed(id, error);
    },
    closed(why, cause) {
      forget();
      receiver?.closed(why, cause);
    },
    error: (error) => receiver?.error(error),
    held: (on) => receiver?.held?.(on || held.length > 0),
  };

  const transport: ClientTransport = {
    kind: inner.kind,
    open(to) {
      receiver = to;
      return inner.open(toClient);
    },
    send(text, message) {
      // The answer to a question that the server has not asked.
      if (message?.method === undefined && answersOurs(text)) return passed('sent', text, 'peer');
      if (holds.sent) keep('sent', text, message);
      else pass(text, message, 'peer');
    },
    abandon(id) {
      waiting.delete(id);
      const at = held.findIndex(({ direction, message }) => direction === 'sent' && message?.method !== undefined && message.id === id);
      if (at < 0) return inner.abandon?.(id);
      taken(at);
      onHeld?.();
    },
    async close() {
      forget();
      await inner.close();
    },
    ...inner.agreed && { agreed: (revision) => inner.agreed?.(revision) },
    ...inner.reopen && {
      reopen: async () => {
        forget();
        await inner.reopen?.();
      },
    },
    ...inner.context && { context: inner.context },
  };

  // ---- injecting

  /** The message with ids of our own where an answer would carry one. */
  function renamed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(renamed);
    if (!isObject(value) || value['result'] !== undefined || value['error'] !== undefined) return value;
    const own = { ...value };
    if (isRequestId(value['id']) && !isOurs(value['id'])) own['id'] = `${prefix}${++ids}`;
    const { params } = value;
    const meta = isObject(params) ? params['_meta'] : undefined;
    if (isObject(params) && isObject(meta) && isRequestId(meta['progressToken']) && !isOurs(meta['progressToken'])) {
      own['params'] = { ...params, _meta: { ...meta, progressToken: `${prefix}${++ids}` } };
    }
    return own;
  }

  function readyToInject(text: string): string {
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
  }

  return {
    transport,
    get held() {
      return held;
    },
    hold(directions) {
      holds = { sent: directions.sent, received: directions.received };
      letAllGo(holds);
      onHeld?.();
    },
    next(direction, text) {
      const one = taken(first(direction));
      if (!one) return undefined;
      release(one, text);
      onHeld?.();
      return one;
    },
    drop(direction) {
      const one = taken(first(direction));
      if (one) onHeld?.();
      return one;
    },
    inject(text, direction = 'sent') {
      if (!receiver) throw new ConnectionError('closed', 'the connection is not open');
      const ready = readyToInject(text);
      const decoded = decode(ready);
      if (direction === 'received') {
        passed('received', ready, 'injected');
        receiver.message(decoded);
        return ready;
      }
      if (inner.kind === 'pipe') unread += unreadable(decoded);
      // Over HTTP an answer is read for a request with an id only.
      const message = outgoing(ready);
      const id = isOurs(message.id) ? message.id : decoded.kind === 'refusal' || decoded.kind === 'batch' ? `${prefix}${++ids}` : undefined;
      pass(ready, id === undefined ? message : { ...message, id, method: message.method ?? '' }, 'injected');
      return ready;
    },
  };
}

const isOurs = (id: unknown): id is string => typeof id === 'string' && id.startsWith(prefix);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What a transport that looks inside has to know of a text: of a request or a notification its parts, of others nothing. */
function outgoing(text: string): Outgoing {
  const value = parsed(text);
  if (!isObject(value) || typeof value['method'] !== 'string') return {};
  const { id, method, params } = value;
  return { method, ...isRequestId(id) && { id }, ...isObject(params) && { params } };
}

/** Whether an answer of ours has one of our ids. Its members may stand in any order. */
function answersOurs(text: string): boolean {
  if (!text.includes(`"${prefix}`)) return false;
  const value = parsed(text);
  return isObject(value) && isOurs(value['id']);
}

/** How many errors without an id a text may be answered with. */
function unreadable(decoded: Decoded): number {
  if (decoded.kind === 'refusal') return decoded.id === null ? 1 : 0;
  if (decoded.kind !== 'batch') return 0;
  return decoded.values.map((value) => classify(value)).filter(({ kind }) => kind === 'refusal').length;
}

/** The text of what came: the last one that was traced, where it is that; else it is written anew. */
function textOf(decoded: Decoded, arrived: string): string {
  if (decoded.kind === 'refusal') return arrived;
  const value = decoded.kind === 'batch' ? decoded.values : decoded.message;
  const made = JSON.stringify(value);
  return JSON.stringify(parsed(arrived)) === made ? arrived : made;
}
