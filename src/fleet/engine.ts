/**
 * What the processes of a fleet share. One engine stands for one place that all of them reach: Redis, a relay in the
 * primary process, or, in tests, this process's memory.
 */
export interface FleetEngine {
  /**
   * Joins the bus under a name that is in use nowhere (lower-case letters and digits). The lease of the name begins.
   * Rejects where the engine cannot be reached.
   */
  join(process: string): Promise<Bus>;
}

/** A process's place on the bus. Messages are text of any length and any characters. */
export interface Bus {
  /**
   * Resolves when the inbox of that process holds the message: a durable inbox, which is read in its order. Rejects with
   * `Undeliverable` where the lease of that process is out or its name was never there, and with another error where
   * nobody can say.
   */
  send(process: string, message: string): Promise<void>;
  /** Reaches every process that has joined, this one too, at most once. */
  tell(topic: string, message: string): Promise<void>;
  /** Hands over what comes, from now on and what the inbox holds already. Called once. */
  receive(handler: BusHandler): void;
  /** Gives the name back. What the inbox still holds is dropped. */
  leave(): Promise<void>;
}

/** Takes what the bus brings. Neither function throws or rejects. */
export interface BusHandler {
  /** A message of the inbox, each once and in order. */
  message(message: string): void;
  /** Something that was told to all. */
  told(topic: string, message: string): void;
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
