import type { Clock } from '../../../bounds/clock.ts';
import { toError } from '../../../jsonrpc/errors.ts';
import type { ServerPort } from '../../server-port.ts';
import type { Trace } from '../../trace.ts';
import { Budgets } from './budgets.ts';
import { memoryEventStore } from './event-store.ts';
import type { EventStore } from './event-store.ts';
import { defaultHttpLimits } from './options.ts';
import type { HttpLimits } from './options.ts';
import type { HttpServerTrace, Tracing } from './tracing.ts';
import { Turns } from './turns.ts';
import { Unread } from './unread.ts';

/** The options that all the parts of an endpoint obey. */
export interface ServiceOptions {
  /** Bounds, each with its default in `defaultHttpLimits`. */
  limits?: Partial<HttpLimits> | undefined;
  /** Keeps messages for clients that reconnect; false for none. Default: in memory, bounded. */
  eventStore?: EventStore | false | undefined;
  /** Sees each message; `trace: httpServerTrace(see)` shows heads and events too. */
  trace?: Trace | HttpServerTrace | undefined;
  /**
   * Told what went wrong that no client can be told: a slow reader that was cut off, an `auth` that threw.
   */
  onError?: ((error: Error) => void) | undefined;
}

/** What all the parts of one endpoint share. */
export interface EndpointServices {
  readonly server: ServerPort;
  /** That of the server. */
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly store: EventStore | undefined;
  readonly budgets: Budgets;
  readonly unread: Unread;
  readonly turns: Turns;
  /** `draining`: serves what comes over open connections, and opens no stream. `closed`: refuses all. */
  phase: 'open' | 'draining' | 'closed';
  /** Where somebody traces. */
  readonly tracing: Tracing | undefined;
  /** What is awaited for requests that no session has yet. Never rejects. */
  readonly underWay: ReadonlySet<Promise<void>>;
  /** A request is under way until this is settled, and a closing endpoint waits for it. */
  track(promise: Promise<unknown>): void;
  /** Tells `onError` what no client can be told. */
  report(thrown: unknown): void;
}

/** Makes what the parts share; limits that are left out have their defaults. */
export function createServices(server: ServerPort, options: ServiceOptions): EndpointServices {
  const { trace, onError, eventStore } = options;
  const { clock } = server;
  const limits = { ...defaultHttpLimits, ...options.limits };
  const report = (thrown: unknown): void => onError?.(toError(thrown));
  const underWay = new Set<Promise<void>>();
  return {
    server, clock, limits, report, underWay,
    track(promise) {
      const done = (): void => void underWay.delete(settled);
      const settled = promise.then(done, done);
      underWay.add(settled);
    },
    budgets: new Budgets(),
    unread: new Unread(limits.maxUnreadBytes, (bytes) =>
      report(new Error(`a response was cut off: its reader is too slow, ${bytes} bytes were waiting`))),
    turns: new Turns(clock),
    store: eventStore === false ? undefined
      : eventStore ?? memoryEventStore(limits.maxReplayPerStream, limits.maxReplay),
    phase: 'open',
    tracing: typeof trace === 'function' ? messageTracing(trace, clock) : trace?.begin(clock),
  };
}

/** Makes what tells a function of messages only. */
const messageTracing = (trace: Trace, clock: Clock): Tracing => ({
  begin() {},
  message: (direction, text, _request, event) => trace({ kind: 'message', direction, text, at: clock.now(), ...event && { event } }),
  event() {},
});
