/**
 * The backend that the processes of a fleet share: Redis, a relay in the primary process or, in tests, this process's
 * memory. With `sessions` and `streams` it also stores the legacy sessions of the fleet; without them it is only a bus.
 *
 * Each promise of an engine settles within a bounded time, and rejects if the engine cannot be reached. Texts are
 * opaque to it: of any length and any characters.
 */
export interface FleetEngine {
  /**
   * Joins the bus under an unused name (lower-case letters and digits), and begins the lease of the name. Rejects if
   * the engine cannot be reached.
   */
  join(process: string): Promise<Bus>;
  readonly sessions?: SessionStore | undefined;
  readonly streams?: StreamStore | undefined;
  readonly spent?: SpentStore | undefined;
}

/** An engine with all stores. */
export type StoringEngine = FleetEngine & Required<{
  [K in 'sessions' | 'streams' | 'spent']: NonNullable<FleetEngine[K]>;
}>;

/** The bus, as one process has joined it. Messages are text of any length and any characters. */
export interface Bus {
  /** Milliseconds after which a process that does not renew its lease counts as gone. */
  readonly leaseMs: number;
  /**
   * Sends a message to a process. Resolves when the durable, ordered inbox of that process holds it. Rejects with
   * `Undeliverable` if the lease of that process has expired or its name never existed, and with another error if the
   * outcome is unknown.
   */
  send(process: string, message: string): Promise<void>;
  /** Sends a message to every process that has joined, including this one. Each gets it at most once. */
  tell(topic: string, message: string): Promise<void>;
  /** Returns the processes that have gone: their leases have expired, or their names never existed. */
  gone(processes: readonly string[]): Promise<readonly string[]>;
  /** Passes messages to `handler`, including messages that the inbox holds already. Called once. */
  receive(handler: BusHandler): void;
  /** Gives the name back. Messages that are still in the inbox are dropped. */
  leave(): Promise<void>;
}

/** Receives messages and events of the bus. None of these functions throws or rejects. */
export interface BusHandler {
  /** Gets each message of the inbox, once and in order. */
  message(message: string): void;
  /** Gets each message that was sent with `tell`. */
  told(topic: string, message: string): void;
  /** Messages of `tell` may be missing: the receiving connection was lost, and is back. */
  gap(): void;
  /**
   * The lease of this process has expired while it lived, or may have: it was suspended, or cut off from the engine.
   * Other processes take it for dead, and may have ended its streams. The engine has joined again under the same name.
   * Called whenever more than `leaseMs` have passed from the request of the last confirmed renewal to the response of
   * the next.
   */
  lost(): void;
  /** The engine knows that this process has ended, before its lease expires. */
  left?(process: string): void;
}

/** Thrown by `send` if the receiving process has gone. */
export class Undeliverable extends Error {
  /** `undeliverable`. */
  readonly code = 'undeliverable';
  readonly process: string;

  constructor(process: string) {
    super(`the process ${process.slice(0, 40)} has left the fleet, or was never in it`);
    this.name = 'Undeliverable';
    this.process = process;
  }
}

/** Whether a send failed because the process has gone. Other errors do not show whether it lives. */
export const isUndeliverable = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'undeliverable';

/** The stored record of a session. */
export interface KeptSession {
  readonly text: string;
  /** Grows with each `replace`. */
  readonly version: number;
}

/** Stores one record per session. An expired record counts as unknown. */
export interface SessionStore {
  /**
   * Stores a new record for `ttlMs` milliseconds. `owner`: the principal of the session; undefined: it has none.
   * Rejects if a record with this id exists.
   */
  create(id: string, owner: string | undefined, text: string, ttlMs: number): Promise<void>;
  /** Returns a record; undefined if it does not exist. */
  load(id: string): Promise<KeptSession | undefined>;
  /** Stores the record for `ttlMs` from now on. False if it does not exist. */
  touch(id: string, ttlMs: number): Promise<boolean>;
  /**
   * Replaces the text if the record still has this version; its expiry does not change. False if the record has another
   * version by now, or does not exist.
   */
  replace(id: string, version: number, text: string): Promise<boolean>;
  /** Deletes a record. False if there was none. */
  delete(id: string): Promise<boolean>;
  /** The ids of an owner's sessions, the one that was created or touched longest ago first. */
  of(owner: string): Promise<readonly string[]>;
}

/** Some events of one stream. */
export interface StreamPart {
  readonly session: string;
  /** The name of the stream, unique in its session. */
  readonly stream: string;
  /** Describes the stream and the process that owns it. All parts of a stream have the same text. */
  readonly head: string;
  /** The number of the first of `texts`. The events of a stream are counted from 1. */
  readonly first: number;
  /** May be empty if the stream is over. */
  readonly texts: readonly string[];
  /** No events follow. */
  readonly over: boolean;
  /** Milliseconds for which the stream must be stored from now on. */
  readonly ttlMs: number;
}

/** The stored part of a stream. */
export interface KeptStream {
  readonly head: string;
  /** The events after the requested number, in order. */
  readonly texts: readonly string[];
  readonly over: boolean;
}

/** Stores the events of streams, so that a client that comes back to any process gets the events that it has missed. */
export interface StreamStore {
  /**
   * Stores events, all or none; without a promise, they are stored when it returns. Events whose numbers are stored
   * already do not change, so that a part may be sent again. Events after the end of the stream are dropped. `first`
   * never leaves a number out. A store may forget the oldest events of a stream.
   */
  append(part: StreamPart): void | Promise<void>;
  /**
   * Returns the events after this number; 0: all. Undefined if there is no such stream, or an event after `number` is
   * forgotten. The list is empty if the stream has no event after `number`, even if it has no event `number`.
   */
  after(session: string, stream: string, number: number): Promise<KeptStream | undefined>;
  /** Forgets the streams of a session that has ended. */
  drop(session: string): Promise<void>;
}

/** Remembers values that may be used only once: states of questions, and DPoP proofs. */
export interface SpentStore {
  /**
   * Marks a name as used. False if it was used before. Forgets it after `expiresAt`, in milliseconds since the epoch;
   * `kind` separates names of different kinds.
   */
  spend(kind: 'state' | 'proof', name: string, expiresAt: number): Promise<boolean>;
}
