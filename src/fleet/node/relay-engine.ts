import { systemClock } from '../../bounds/clock.ts';
import { every } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { Undeliverable } from '../engine.ts';
import type { Bus, BusHandler, SessionStore, SpentStore, StoringEngine, StreamStore } from '../engine.ts';

/** A message to the relay, without its number. */
type Ask = ToRelay extends infer M ? M extends { n: number } ? Omit<M, 'n'> : never : never;

/** An engine over a relay, which also provides the keys. */
export interface RelayedEngine extends StoringEngine {
  /** The keys of the fleet, which the primary process has made. Rejects if it has no relay. */
  keys(): Promise<Uint8Array[]>;
}

/** The messages of the bus before `receive`, and after that the handler. */
interface EarlyInbox {
  handler: BusHandler | undefined;
  readonly early: ((handler: BusHandler) => void)[];
}

/**
 * Makes the engine at a process's end of the channel. `answerMs`: how long the relay may take to answer. Long function:
 * its short functions share the channel and the calls that wait for an answer.
 */
export function relayEngine(port: Port<FromRelay, ToRelay>, answerMs: number, clock: Clock = systemClock): RelayedEngine {
  const inboxes = new Map<string, EarlyInbox>();
  const asked = new Map<number, (answer: Done) => void>();
  let count = 0;

  port.listen((message) => {
    if (message.kind === 'done') {
      asked.get(message.n)?.(message);
      return;
    }
    const inbox = inboxes.get(message.name);
    const hand = (handler: BusHandler): void => {
      if (message.kind === 'message') handler.message(message.text);
      else if (message.kind === 'lost') handler.lost();
      else if (message.kind === 'left') handler.left?.(message.process);
      else handler.told(message.topic, message.text);
    };
    if (inbox?.handler) hand(inbox.handler);
    else inbox?.early.push(hand);
  });

  function ask(question: Ask): Promise<Done> {
    return new Promise((resolve, reject) => {
      const n = ++count;
      const timer = clock.after(answerMs, () => {
        asked.delete(n);
        reject(new Error(
          `the relay did not answer within ${answerMs} ms: does the primary process call clusterRelay()?`,
        ));
      });
      asked.set(n, (answer) => {
        asked.delete(n);
        timer?.stop();
        if (answer.fault === undefined) resolve(answer);
        else reject(answer.fault === 'undeliverable' && 'to' in question
          ? new Undeliverable(question.to) : new Error(answer.fault));
      });
      try {
        port.send({ ...question, n });
      } catch (thrown) {
        asked.delete(n);
        timer?.stop();
        reject(thrown);
      }
    });
  }

  /** Calls a store in the process of the relay. */
  const keep = <M extends keyof StoreCalls>(method: M) =>
    async (...args: Parameters<StoreCalls[M]>): Promise<Awaited<ReturnType<StoreCalls[M]>>> => {
      const { value } = await ask({ kind: 'keep', call: { method, args } as StoreCall });
      return value as Awaited<ReturnType<StoreCalls[M]>>;
    };

  return {
    sessions: {
      create: keep('create'), load: keep('load'), touch: keep('touch'), replace: keep('replace'),
      delete: keep('delete'), of: keep('of'),
    },
    streams: { append: keep('append'), after: keep('after'), drop: keep('drop') },
    spent: { spend: keep('spend') },
    async keys() {
      const { keys = [] } = await ask({ kind: 'keys' });
      return keys.map((key) => new Uint8Array(Buffer.from(key, 'base64')));
    },
    async join(name): Promise<Bus> {
      const inbox: EarlyInbox = { handler: undefined, early: [] };
      if (inboxes.has(name)) throw new Error(`the name ${name} is taken`);
      inboxes.set(name, inbox);
      let leaseMs: number;
      try {
        ({ leaseMs = 0 } = await ask({ kind: 'join', name }));
      } catch (thrown) {
        inboxes.delete(name);
        throw thrown;
      }
      const renewal = every(clock, leaseMs / 3, () => {
        try {
          port.send({ kind: 'renew', name });
        } catch {
          // The channel has closed, and with it the fleet: each send rejects.
          renewal?.stop();
        }
      }, true);
      return {
        leaseMs,
        send: async (to, text) => void await ask({ kind: 'send', to, text }),
        tell: async (topic, text) => void await ask({ kind: 'tell', topic, text }),
        gone: async (names) => (await ask({ kind: 'gone', names })).names ?? [],
        receive(handler) {
          inbox.handler = handler;
          for (const hand of inbox.early.splice(0)) hand(handler);
        },
        async leave() {
          renewal?.stop();
          inboxes.delete(name);
          await ask({ kind: 'leave', name });
        },
      };
    },
  };
}

/** A key of a fleet in base64. */
export type KeyText = string;

/** The store methods that the relay offers to a process. */
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

/** One call of a store. Undefined arguments arrive as null. */
export type StoreCall = {
  [M in keyof StoreCalls]: { readonly method: M; readonly args: Parameters<StoreCalls[M]> };
}[keyof StoreCalls];

/** A message from a process to the relay. Each except `renew` is answered by a `Done` with the same number. */
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
  /** Why it failed; `undeliverable`: the receiving process has gone. */
  readonly fault?: string | undefined;
  /** For `keys`. */
  readonly keys?: readonly KeyText[] | undefined;
  /** For `join`: the length of a lease. */
  readonly leaseMs?: number | undefined;
  /** For `keep`: the result of the call. */
  readonly value?: unknown;
  /** For `gone`. */
  readonly names?: readonly string[] | undefined;
}

/** A message from the relay to a process. */
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
