/**
 * What the processes of a fleet share. One engine stands for one place that all of them reach: Redis, a relay in the
 * primary process, or, in tests, this process's memory. With `sessions` and `streams` the fleet keeps all that a legacy
 * session has; without them it has only the bus.
 *
 * Each promise of an engine settles within a bounded time, and rejects where the engine cannot be reached. Texts are
 * opaque to it: of any length and any characters.
 */
export interface FleetEngine {
  /**
   * Joins the bus under a name that is in use nowhere (lower-case letters and digits). The lease of the name begins.
   * Rejects where the engine cannot be reached.
   */
  join(process: string): Promise<Bus>;
  readonly sessions?: SessionStore | undefined;
  readonly streams?: StreamStore | undefined;
  readonly spent?: SpentStore | undefined;
}

/** An engine of the stored level. */
export type StoringEngine = FleetEngine & Required<{
  [K in 'sessions' | 'streams' | 'spent']: NonNullable<FleetEngine[K]>;
}>;

/** A process's place on the bus. Messages are text of any length and any characters. */
export interface Bus {
  /** Milliseconds after which a process that gives no sign is taken for gone. */
  readonly leaseMs: number;
  /**
   * Resolves when the inbox of that process holds the message: a durable inbox, which is read in its order. Rejects with
   * `Undeliverable` where the lease of that process is out or its name was never there, and with another error where
   * nobody can say.
   */
  send(process: string, message: string): Promise<void>;
  /** Reaches every process that has joined, this one too, at most once. */
  tell(topic: string, message: string): Promise<void>;
  /** Which of these processes have gone: their leases are out, or the names were never there. */
  gone(processes: readonly string[]): Promise<readonly string[]>;
  /** Hands over what comes, from now on and what the inbox holds already. Called once. */
  receive(handler: BusHandler): void;
  /** Gives the name back. What the inbox still holds is dropped. */
  leave(): Promise<void>;
}

/** Takes what the bus brings. None of these functions throws or rejects. */
export interface BusHandler {
  /** A message of the inbox, each once and in order. */
  message(message: string): void;
  /** Something that was told to all. */
  told(topic: string, message: string): void;
  /** Something that was told to all may have been missed: the connection that listens was cut, and is back. */
  gap(): void;
  /**
   * The lease of this process ran out while it lived, or may have: it was stopped, or cut off from the engine. Others take it
   * for dead, and may have ended what it had open. The engine has joined again under the same name. To be said whenever
   * more than `leaseMs` have passed from asking for the last renewal that was confirmed to the answer of the next.
   */
  lost(): void;
  /** The engine knows that the process of this name has ended, before its lease is out. */
  left?(process: string): void;
}

/** The process that a message is for has gone. */
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

/** Whether a send was refused because the process has gone. Any other refusal says nothing of the process. */
export const isUndeliverable = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'undeliverable';

/** A record of a session, as the store has it. */
export interface KeptSession {
  readonly text: string;
  /** Grows with each `replace`. */
  readonly version: number;
}

/** Keeps one record a session. A record whose time is up is as unknown as none. */
export interface SessionStore {
  /**
   * Keeps a new record for `ttlMs` milliseconds. `owner`: whose session it is; undefined: nobody's in particular.
   * Rejects where there is one with this id.
   */
  create(id: string, owner: string | undefined, text: string, ttlMs: number): Promise<void>;
  /** Undefined: there is none. */
  load(id: string): Promise<KeptSession | undefined>;
  /** Keeps it for `ttlMs` from now on. False: there is no such record. */
  touch(id: string, ttlMs: number): Promise<boolean>;
  /**
   * Puts another text in its place, where it still has this version; how long it is kept stays as it was. False: it
   * has another version by now, or does not exist.
   */
  replace(id: string, version: number, text: string): Promise<boolean>;
  /** False: there was none. */
  delete(id: string): Promise<boolean>;
  /** The ids of an owner's sessions, the one that was created or touched longest ago first. */
  of(owner: string): Promise<readonly string[]>;
}

/** Some events of one stream. */
export interface StreamPart {
  readonly session: string;
  /** Names the stream within its session. */
  readonly stream: string;
  /** What the stream is, and which process owns it: the same text with each of its parts. */
  readonly head: string;
  /** The number of the first of `texts`. The events of a stream are counted from 1. */
  readonly first: number;
  /** May be empty where the stream is over. */
  readonly texts: readonly string[];
  /** Nothing follows. */
  readonly over: boolean;
  /** Milliseconds for which the stream has to be kept from now on. */
  readonly ttlMs: number;
}

/** What is kept of a stream. */
export interface KeptStream {
  readonly head: string;
  /** The events after the one that was asked about, in order. */
  readonly texts: readonly string[];
  readonly over: boolean;
}

/** Keeps the events of streams, so that a client that comes back gets what it missed, from whatever process. */
export interface StreamStore {
  /**
   * Keeps events, all of them or none; only a promise is waited for. An event whose number is kept already stays as it
   * is, so that a part may be sent again. What comes after the stream was over is dropped. `first` never leaves a
   * number out. A store may forget the oldest events of a stream.
   */
  append(part: StreamPart): void | Promise<void>;
  /**
   * What follows the event with this number; 0: all. Undefined: there is no such stream, or an event after `number`
   * is forgotten. An empty list where the stream has no event after `number`, nor `number` itself.
   */
  after(session: string, stream: string, number: number): Promise<KeptStream | undefined>;
  /** The session has ended: forgets its streams. */
  drop(session: string): Promise<void>;
}

/** Remembers what may be used once: states of questions, and DPoP proofs. */
export interface SpentStore {
  /**
   * Notes that this was used. False: it was used before. Forgets it after `expiresAt`, in milliseconds since the
   * epoch; `kind` keeps names of one sort from those of another.
   */
  spend(kind: 'state' | 'proof', name: string, expiresAt: number): Promise<boolean>;
}
