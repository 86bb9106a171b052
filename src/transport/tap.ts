/**
 * `barewire/tap`: a transport around another one that observes, holds and injects raw text.
 *
 * @module
 */

import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { decode } from '../jsonrpc/codec.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Decoded } from '../jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from './client-port.ts';
import type { EventTraceEntry, HttpTrace, HttpTraceEntry, TraceEntry } from './trace.ts';
import { answersOurs, isOurs, outgoing, parsed, tapIds } from './tap-ids.ts';

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

/** The options of `tap`. */
export interface TapOptions {
  /** Sees what passes, when it passes; what is received and held, when it arrives, and again where it is edited. */
  readonly onPassed?: ((entry: TappedEntry) => void) | undefined;
  /** What is held has changed. */
  readonly onHeld?: (() => void) | undefined;
  /** What time it is. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
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

/**
 * Stands between a client and a transport. `open` makes the transport and gives it this trace: raw text, what is no
 * message, and the heads of HTTP are seen only by a transport's trace. Long function: its short functions share what is
 * held, the ids, and the two sides of the connection.
 *
 * ```ts
 * const tapped = tap((trace) => stdioTransport('node', ['server.js'], { trace }), { onPassed: show });
 * await client.connect(tapped.transport);
 * ```
 */
export function tap(open: (trace: HttpTrace) => ClientTransport, options: TapOptions = {}): Tap {
  checkOptions('tap: options', options, { onPassed: 'function', onHeld: 'function', clock: 'object' });
  const { onPassed, onHeld, clock = systemClock } = options;
  let receiver: ClientReceiver | undefined;
  let holds = { sent: false, received: false };
  let held: HeldMessage[] = [];
  let numbers = 0;
  /** The last text that came, which belongs to the message that is delivered next. */
  let arrived = '';
  const ids = tapIds();
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
    onPassed?.({ direction, text, at: clock.now(), origin });
  }

  // ---- holding

  function keep(direction: Direction, text: string, message?: Outgoing, decoded?: Decoded): void {
    held.push({ number: ++numbers, direction, text, at: clock.now(), message, decoded });
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
    ids.clear();
    typed.clear();
    if (held.length === 0) return;
    held = [];
    receiver?.held?.(false);
    onHeld?.();
  }

  // ---- both ways

  function pass(text: string, message: Outgoing | undefined, origin: Origin): void {
    if (origin !== 'peer') typed.set(text, origin);
    if (message?.id !== undefined && message.method !== undefined && origin !== 'injected') ids.asked(message.id);
    inner.send(text, message);
    // A pipe has traced it by now, if it traces at all; HTTP does so later.
    if (inner.kind === 'pipe') typed.delete(text);
  }

  function deliver(decoded: Decoded): void {
    const rest = ids.forClient(decoded);
    if (rest) receiver?.message(rest);
  }

  const toClient: ClientReceiver = {
    message(decoded) {
      if (holds.received) keep('received', textOf(decoded, arrived), undefined, decoded);
      else deliver(decoded);
    },
    failed(id, error) {
      if (isOurs(id)) return;
      ids.settled(id);
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
      ids.settled(id);
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
    ...inner.toolHeaders && { toolHeaders: inner.toolHeaders },
  };

  return {
    transport,
    get held() {
      return held;
    },
    hold(directions) {
      checkOptions('tap.hold: directions', directions, { sent: 'boolean', received: 'boolean' });
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
      const ready = ids.own(text);
      const decoded = decode(ready);
      if (direction === 'received') {
        passed('received', ready, 'injected');
        receiver.message(decoded);
        return ready;
      }
      pass(ready, ids.outgoing(ready, decoded, inner.kind === 'pipe'), 'injected');
      return ready;
    },
  };
}

/** The text of what came: the last one that was traced, where it is that; else it is written anew. */
function textOf(decoded: Decoded, arrived: string): string {
  if (decoded.kind === 'refusal') return arrived;
  const value = decoded.kind === 'batch' ? decoded.values : decoded.message;
  const made = JSON.stringify(value);
  return JSON.stringify(parsed(arrived)) === made ? arrived : made;
}
