/**
 * `barewire/tap`: a transport around another one that observes, holds and injects raw text.
 *
 * @module
 */

import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { decode } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Decoded } from '../jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from './client-port.ts';
import type { EventTraceEntry, HttpTrace, HttpTraceEntry, TraceEntry } from './trace.ts';
import { answersOurs, isOurs, outgoing, parsed, tapIds } from './tap-ids.ts';

/** The origin of a message: client or server (`peer`), or the person who wrote it (`injected`) or changed it (`edited`). */
export type Origin = 'peer' | 'injected' | 'edited';

/** One message that passed. */
export interface TappedMessage extends TraceEntry {
  readonly origin: Origin;
}

/** One trace entry: a message or, over HTTP, a head or an event. */
export type TappedEntry = TappedMessage | HttpTraceEntry | EventTraceEntry;

/** The direction as the client sees it: `sent` is from the client. */
export type Direction = 'sent' | 'received';

/** The options of `tap`. */
export interface TapOptions {
  /** Called with each entry as it passes. A received message is reported when it arrives, also if held, and again if edited. */
  readonly onPassed?: ((entry: TappedEntry) => void) | undefined;
  /** Called when the list of held messages has changed. */
  readonly onHeld?: (() => void) | undefined;
  /** Time for the entries. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

/** A held message. It waits for `next` or `drop`. */
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
  /** The transport to give to `client.connect`. */
  readonly transport: ClientTransport;
  /** The held messages of both directions, the oldest first. */
  readonly held: readonly Held[];
  /**
   * Sets the directions whose messages are held from now on. Held messages of the other directions are released at once.
   * While any message is held, the timeouts of the client's requests do not run.
   */
  hold(directions: { readonly sent: boolean; readonly received: boolean }): void;
  /**
   * Releases the oldest held message of this direction; default: of both. `text` replaces it, unchecked.
   * Returns the message as it was held; undefined: none is held.
   */
  next(direction?: Direction, text?: string): Held | undefined;
  /** Drops the oldest held message of this direction, as a lossy network would. */
  drop(direction: Direction): Held | undefined;
  /**
   * Passes a text of your own, malformed or not, ahead of all held messages. Its request ids and progress tokens are replaced
   * by ids that begin with `page-`, so that no answer to it reaches the client. Default direction: `sent`.
   *
   * Throws a `ConnectionError` if the transport is not open, and an `Error` for a text that is not JSON and contains the
   * id of a pending request, because the server may answer that id.
   *
   * @returns the text as sent
   */
  inject(text: string, direction?: Direction): string;
}

interface HeldMessage extends Held {
  readonly message: Outgoing | undefined;
  readonly decoded: Decoded | undefined;
}

/**
 * Puts a tap between a client and a transport. `open` makes the transport with the given trace: only a trace sees raw
 * text, malformed messages and HTTP heads. Long function: its short functions share the held messages, the ids, and
 * the two sides of the connection.
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
  /** The last text received. It belongs to the message that is delivered next. */
  let arrived = '';
  const ids = tapIds();
  /** The origins of injected or edited texts that the trace has not reported yet. */
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
      // Delivery may make the client send; that message is held last.
      const one = taken(held.findIndex(({ direction }) => !directions[direction]));
      if (!one) return;
      release(one);
    }
  }

  /** The channel is gone, and with it all held messages. */
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
    // A pipe has called the trace by now, if it calls it at all; HTTP calls it later.
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
      // The client answers an injected request, which the server has not sent.
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

/** The raw text of a received message: the last one traced if it is the same message, else serialized anew. */
function textOf(decoded: Decoded, arrived: string): string {
  if (decoded.kind === 'refusal') return arrived;
  const value = decoded.kind === 'batch' ? decoded.values : decoded.message;
  const made = JSON.stringify(value);
  return JSON.stringify(parsed(arrived)) === made ? arrived : made;
}
