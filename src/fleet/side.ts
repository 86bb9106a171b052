import type { RequestId } from '../jsonrpc/message.ts';
import type { RequestStateSealer } from '../server/modern/request-state.ts';
import type { SessionStore, StreamStore } from './engine.ts';
import type { GoneWatch } from './gone-watch.ts';
import type { FleetMessage, Told } from './messages.ts';

/** What the parts of a fleet need of their process's place in it. */
export interface FleetSide {
  readonly sealer: RequestStateSealer;
  /** Milliseconds for which a sealed session holds. */
  readonly sessionMaxMs: number;
  /** The name of this process. */
  readonly process: string;
  readonly connected: boolean;
  /** The id of the next question. Throws where no answer could come back. */
  questionId(): RequestId;
  /** A text that this process has made up for nothing else: it carries its name. */
  newName(): string;
  send(process: string, message: FleetMessage): Promise<void>;
  /** For every other process. */
  tell(told: Told): Promise<void>;
}

/** The same where the engine keeps sessions and streams. */
export interface StoredSide extends FleetSide {
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly watch: GoneWatch;
  /** Sends it as soon as it can be sent, unless that process goes. */
  insist(process: string, message: FleetMessage): void;
  /** Since when this process hears of changes of lists, and when it has last heard of one: milliseconds since the epoch. */
  lists(): { readonly started: number; readonly changed: number };
  /** `close` of the fleet waits for this. */
  awaited(promise: Promise<unknown>): void;
}

/** The process that an id names: of a question, a progress token, a stream or a pair. */
export const nameIn = (id: unknown): string | undefined =>
  typeof id === 'string' ? /^([a-z\d]{1,40})-[a-z\d]+$/.exec(id)?.[1] : undefined;
