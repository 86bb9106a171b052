import type { Clock } from '../bounds/clock.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import type { RequestStateSealer } from '../server/internal-exports.ts';
import type { Sessions } from '../transport/internal-exports.ts';
import type { SessionStore, StreamStore } from './engine.ts';
import type { FailureDetector } from './failure-detector.ts';
import type { CarriedMessage, FleetMessage, Told } from './messages.ts';

/** This process as a member of its fleet: the functions that its sessions and streams use. */
export interface FleetProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly sealer: RequestStateSealer;
  /** Milliseconds until a sealed session expires. */
  readonly sessionMaxMs: number;
  /** Whether there is a bus. */
  readonly connected: boolean;
  /** The id of the next question. Throws if no answer could come back. */
  questionId(): RequestId;
  /** A new unique id. It begins with the name of this process. */
  newName(): string;
  /** Sends a message to another process. Rejects as `Bus.send`. */
  send(process: string, message: FleetMessage): Promise<void>;
  /** Sends the undeliverable messages again: the process was taken for gone, but lives. */
  resend(process: string): void;
  /** Sends a message to every other process. If that fails, they learn later that they have missed a message. */
  tell(told: Told): Promise<void>;
  /** Sends this to all, and repeats that until it succeeds. */
  insistTold(kind: 'missed' | 'lapsed'): void;
}

/** A `FleetProcess` whose engine stores sessions and streams. */
export interface StoringProcess extends FleetProcess {
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly failures: Pick<FailureDetector, 'watch' | 'failed'>;
  /** Sends a message, and repeats that until it succeeds or that process has gone. */
  insist(process: string, message: FleetMessage): void;
  /** Since when this process receives changes of lists, and when it received the last one: milliseconds since the epoch. */
  lists(): { readonly started: number; readonly changed: number };
  /** Makes `close` of the fleet wait for this promise. */
  awaited(promise: Promise<unknown>): void;
}

/** The sessions of one endpoint, with the messages of other processes about them. */
export interface SharedSessions extends Sessions {
  /** Takes a message for this process, other than a client's message. */
  receive(message: Exclude<FleetMessage, CarriedMessage>): void;
  /** Takes a message that another process has sent to all. */
  hear(told: Told): void;
  /** Called when messages to all may be missing. */
  missed(): void;
  /** Called when messages between this process and `process` may be lost; undefined: between this process and any other. */
  lapsed(process?: string): void;
  /** Called when the process leaves the fleet. */
  close(): void;
}
