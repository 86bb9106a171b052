import type { RequestId } from '../jsonrpc/index.ts';
import type { Revision } from '../protocol/index.ts';
import type { WireEntry } from './verdict.ts';

/** The response to one HTTP request, as received so far. */
export interface CarrierReply {
  /** The number of the exchange, from 1, as in the entries. */
  readonly exchange: number;
  readonly method: string;
  readonly status: number;
  /** Unchanged values by lower-case name. In entries, possible credentials are removed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the body is an event stream, which may still be open. */
  readonly stream: boolean;
  /** The whole body; empty for a stream. */
  readonly body: string;
  /** Whether the body was UTF-8; true for a stream. */
  readonly utf8: boolean;
  /** Resolves at the end of the stream: true if the peer ended it. */
  readonly ended: Promise<boolean>;
  /** Closes the stream from this side. */
  cancel(): void;
}

/** The parts of an HTTP request other than its message. */
export interface HttpAbout {
  /** Names in any case; undefined removes a default header. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: `POST`. */
  readonly method?: string | undefined;
  /** Bytes to send as the body instead of the text. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** Another address on the same origin. */
  readonly url?: string | undefined;
}

/** A parsed message to send. */
export interface PostedMessage {
  readonly id?: RequestId | undefined;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Carries the messages of one conversation. */
export interface ByteCarrier {
  readonly kind: 'pipe' | 'http';
  /** Rejects if the target cannot be reached. */
  open(): Promise<void>;
  /**
   * Sends text unchanged. Over HTTP it resolves with the response once the head (and a body that is not a stream) has arrived, and rejects
   * if the request fails. Over a pipe it resolves with undefined. `message`: the parsed text, for a transport that needs it.
   */
  send(text: string | undefined, about?: HttpAbout, message?: PostedMessage): Promise<CarrierReply | undefined>;
  /** The caller no longer waits for the answer to this request. */
  abandon?(id: RequestId): void;
  /** Sets the negotiated revision, which some transports send in headers. */
  agreed?(revision: Revision): void;
  /** Closes everything; resolves with the milliseconds that it took. Never rejects. */
  close(): Promise<number>;
}

/** Events from a carrier to its conversation. */
export interface CarrierEvents {
  /** A message, an HTTP head or a stream event was sent or received. */
  entry(entry: WireEntry): void;
  /** Bytes came that have no entry: not UTF-8, or too large. */
  unreadable(why: string): void;
  /** The request could not be delivered, or its answer can no longer come. */
  failed(id: RequestId, why: string): void;
  /** The peer is gone for good. */
  gone(why: string): void;
}
