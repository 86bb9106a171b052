import type { RequestId } from '../jsonrpc/index.ts';
import type { Revision } from '../protocol/index.ts';
import type { WireEntry } from './verdict.ts';

/** The response to one HTTP request, as far as it has come. */
export interface CarrierReply {
  /** The number of the exchange, from 1, as in the entries. */
  readonly exchange: number;
  readonly method: string;
  readonly status: number;
  /** As they came, by lower-case name. Entries hold them without what may be a credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the body is an event stream, which goes on. */
  readonly stream: boolean;
  /** A whole body that is no stream. */
  readonly body: string;
  /** Whether the body was UTF-8. */
  readonly utf8: boolean;
  /** Resolves once the stream has ended, with whether the peer ended it. */
  readonly ended: Promise<boolean>;
  /** Closes the stream from this side. */
  cancel(): void;
}

/** What an HTTP request carries beside its message. */
export interface HttpAbout {
  /** By any case; undefined leaves out one that would be sent. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** `POST` where none is given. */
  readonly method?: string | undefined;
  /** Bytes of the body, where they are no text. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** Another address of the same origin. */
  readonly url?: string | undefined;
}

/** A message that is sent, read. */
export interface PostedMessage {
  readonly id?: RequestId | undefined;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Where the messages of one conversation go. */
export interface ByteCarrier {
  readonly kind: 'pipe' | 'http';
  /** Rejects where the target cannot be reached. */
  open(): Promise<void>;
  /**
   * Sends text unchanged. Over HTTP it resolves with the response once its head (and a body that is no stream) is here;
   * rejects where the request fails. Over a pipe it resolves with undefined. `message`: what the text says, for a transport that
   * looks inside.
   */
  send(text: string | undefined, about?: HttpAbout, message?: PostedMessage): Promise<CarrierReply | undefined>;
  /** Nobody waits for the answer to this request any more. */
  abandon?(id: RequestId): void;
  /** The revision that was agreed on, which some transports send in headers. */
  agreed?(revision: Revision): void;
  /** Ends everything; resolves with the milliseconds that this took. Never rejects. */
  close(): Promise<number>;
}

/** What a carrier tells its conversation. */
export interface CarrierEvents {
  /** Something has passed. */
  entry(entry: WireEntry): void;
  /** Bytes came that no entry holds: not UTF-8, or too large. */
  unreadable(why: string): void;
  /** The request could not be delivered, or its answer can no longer come. */
  failed(id: RequestId, why: string): void;
  /** The peer is gone, for good. */
  gone(why: string): void;
}
