import type { Budget } from '../../bounds/budget.ts';
import type { Clock } from '../../bounds/clock.ts';
import type { LinkSide } from './frame.ts';

/** The dependencies of a byte link. */
export interface ByteLinkParts {
  readonly side: LinkSide;
  readonly clock: Clock;
  /** Charged with bytes that wait to be sent or acknowledged. */
  readonly budget: Budget;
  /** Writes bytes to the channel. If it returns a promise, the link waits until it settles before the next write. */
  write(bytes: Uint8Array): Promise<void> | void;
}

/** The callbacks of a byte link. */
export interface ByteLinkEvents {
  /** The link is open: bytes may be sent. */
  opened(): void;
  /** Called with the next bytes from the other side, in order. It must read them before it returns. */
  bytes(bytes: Uint8Array): void;
  /** The link has ended; bytes in transit are lost. Another link may open. */
  lost(why: string): void;
}

/** An ordered stream of bytes in both directions, as reliable as the wire and the framing. */
export interface ByteLink {
  /** Opens a link with the other side. */
  open(): void;
  /** Passes bytes that arrived over the channel to the link. */
  push(bytes: Uint8Array): void;
  /** Sends bytes. Without a link they are dropped. */
  send(bytes: Uint8Array): void;
  /** The number of bytes that wait to be sent. */
  readonly waiting: number;
  /** `true`: tells the other side to send nothing for now, if the framing can do that. */
  pause(on: boolean): void;
  /** Ends the link and opens another one. */
  reset(): void;
  /** Ends the link and notifies the other side, if the framing can do that. */
  close(): void;
}

/** A framing, which sends bytes over a channel: `lines`, or the result of `frames`. */
export type SerialFraming = (parts: ByteLinkParts, events: ByteLinkEvents) => ByteLink;
