import type { SessionStore, SpentStore, StreamStore } from '../engine.ts';

/** The keys of a fleet as they are handed over: base64. */
export type KeyText = string;

/** What the stores of the relay do for a process. */
export interface StoreCalls {
  readonly create: SessionStore['create'];
  readonly load: SessionStore['load'];
  readonly touch: SessionStore['touch'];
  readonly replace: SessionStore['replace'];
  readonly delete: SessionStore['delete'];
  readonly of: SessionStore['of'];
  readonly append: StreamStore['append'];
  readonly after: StreamStore['after'];
  readonly drop: StreamStore['drop'];
  readonly spend: SpentStore['spend'];
}

/** One call of a store. What is undefined in `args` comes as null. */
export type StoreCall = {
  [M in keyof StoreCalls]: { readonly method: M; readonly args: Parameters<StoreCalls[M]> };
}[keyof StoreCalls];

/** What a process says to the relay. Each is answered by `Done` with the same number, but for `renew`. */
export type ToRelay =
  | { readonly kind: 'keys'; readonly n: number }
  | { readonly kind: 'join'; readonly n: number; readonly name: string }
  | { readonly kind: 'send'; readonly n: number; readonly to: string; readonly text: string }
  | { readonly kind: 'tell'; readonly n: number; readonly topic: string; readonly text: string }
  | { readonly kind: 'gone'; readonly n: number; readonly names: readonly string[] }
  | { readonly kind: 'keep'; readonly n: number; readonly call: StoreCall }
  | { readonly kind: 'leave'; readonly n: number; readonly name: string }
  | { readonly kind: 'renew'; readonly name: string };

/** The answer to one message of a process. */
export interface Done {
  readonly kind: 'done';
  readonly n: number;
  /** Why it was not done; `undeliverable`: the process that it was for is gone. */
  readonly fault?: string | undefined;
  /** Of `keys`. */
  readonly keys?: readonly KeyText[] | undefined;
  /** Of `join`: how long a lease lasts. */
  readonly leaseMs?: number | undefined;
  /** Of `keep`: what the call gave. */
  readonly value?: unknown;
  /** Of `gone`. */
  readonly names?: readonly string[] | undefined;
}

/** What the relay says to a process. */
export type FromRelay =
  | Done
  | { readonly kind: 'message'; readonly name: string; readonly text: string }
  | { readonly kind: 'told'; readonly name: string; readonly topic: string; readonly text: string }
  | { readonly kind: 'lost'; readonly name: string }
  /** `process` has ended. */
  | { readonly kind: 'left'; readonly name: string; readonly process: string };

/** One end of a channel between a process and the relay, which keeps order and loses nothing while both live. */
export interface Port<In, Out> {
  send(message: Out): void;
  /** Called once. */
  listen(listener: (message: In) => void): void;
}
