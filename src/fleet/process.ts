import type { Clock } from '../bounds/clock.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import type { RequestStateSealer } from '../server/internal-exports.ts';
import type { Sessions } from '../transport/internal-exports.ts';
import type { SessionStore, StreamStore } from './engine.ts';
import type { FailureDetector } from './failure-detector.ts';
import type { CarriedMessage, FleetMessage, Told } from './messages.ts';

/** This process as a member of its fleet: what its sessions and streams need of it. */
export interface FleetProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly sealer: RequestStateSealer;
  /** Milliseconds for which a sealed session holds. */
  readonly sessionMaxMs: number;
  /** Whether there is a bus. */
  readonly connected: boolean;
  /** The id of the next question. Throws where no answer could come back. */
  questionId(): RequestId;
  /** A new unique id. It begins with the name of this process. */
  newName(): string;
  /** Sends a message to another process. Rejects as `Bus.send`. */
  send(process: string, message: FleetMessage): Promise<void>;
  /** Sends the messages again that were undeliverable: the process was taken for gone, and lives. */
  resend(process: string): void;
  /** Tells every other process. Where that fails, they are told later that they missed something. */
  tell(told: Told): Promise<void>;
  /** Tells them, and repeats that until it succeeds. */
  insistTold(kind: 'missed' | 'lapsed'): void;
}

/** The same where the engine keeps sessions and streams. */
export interface StoringProcess extends FleetProcess {
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly failures: Pick<FailureDetector, 'watch' | 'failed'>;
  /** Sends a message, and repeats that until it succeeds or that process has gone. */
  insist(process: string, message: FleetMessage): void;
  /** Since when this process hears of changes of lists, and when it last heard of one: milliseconds since the epoch. */
  lists(): { readonly started: number; readonly changed: number };
  /** Has `close` of the fleet wait for this promise. */
  awaited(promise: Promise<unknown>): void;
}

/** The sessions of one endpoint, and what other processes say of them. */
export interface SharedSessions extends Sessions {
  /** Takes a message for this process, other than a client's message. */
  receive(message: Exclude<FleetMessage, CarriedMessage>): void;
  /** Takes what another process has told all. */
  hear(told: Told): void;
  /** What was told to all may have been missed. */
  missed(): void;
  /** What this process and `process` have sent each other may be lost; undefined: this process and any other. */
  lapsed(process?: string): void;
  /** The fleet is left. */
  close(): void;
}
