import type { Budget } from '../../bounds/budget.ts';
import type { Clock } from '../../bounds/clock.ts';
import type { LinkSide } from './frame.ts';

/** What a byte link is made of: the channel that it writes to, and what it is charged to. */
export interface ByteLinkParts {
  readonly side: LinkSide;
  readonly clock: Clock;
  /** Charged with what waits to be sent. */
  readonly budget: Budget;
  /** Writes bytes to the channel. Where it returns a promise, no more are written until it resolves. */
  write(bytes: Uint8Array): Promise<void> | void;
}

/** What a byte link tells. */
export interface ByteLinkEvents {
  /** There is a link: bytes may be sent. */
  opened(): void;
  /** Some bytes of the other side, in order. They are read before this returns. */
  bytes(bytes: Uint8Array): void;
  /** The link is over; nothing that was on its way will come. Another one may open. */
  lost(why: string): void;
}

/** Bytes both ways, in order, as far as the wire can promise it. */
export interface ByteLink {
  /** Opens a link with the other side. */
  open(): void;
  /** Takes what came over the channel. */
  push(bytes: Uint8Array): void;
  /** Sends bytes. Without a link they are dropped. */
  send(bytes: Uint8Array): void;
  /** Bytes that wait to be sent. */
  readonly waiting: number;
  /** `true`: takes nothing for now, where the other side can be told. */
  pause(on: boolean): void;
  /** Gives the link up and opens another one, where the wire has links. */
  reset(): void;
  /** Ends the link. The other side is told where that is possible. */
  close(): void;
}

/** How bytes go over a channel: `lines`, or what `frames` returns. */
export type SerialFraming = (parts: ByteLinkParts, events: ByteLinkEvents) => ByteLink;
