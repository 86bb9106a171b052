import type { Clock } from '../../../bounds/clock.ts';
import { tell } from '../../../jsonrpc/errors.ts';
import type { Era } from '../../../protocol/revisions.ts';
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

/** The options that all parts of an endpoint share. */
export interface ServiceOptions {
  /** Limits. Defaults: `defaultHttpLimits`. */
  limits?: Partial<HttpLimits> | undefined;
  /** Keeps messages for clients that reconnect; false: none. Default: in memory, bounded. */
  eventStore?: EventStore | false | undefined;
  /** Called with each message; `trace: httpServerTrace(see)` shows heads and events too. */
  trace?: Trace | HttpServerTrace | undefined;
  /** Called with errors that no client is told: a slow reader was cut off, `auth` threw. */
  onError?: ((error: Error) => void) | undefined;
}

/** The objects that all parts of one endpoint share. */
export interface EndpointServices {
  readonly server: ServerPort;
  /** Whether the server has a revision of the era. */
  readonly legacy: boolean;
  readonly modern: boolean;
  /** The clock of the server. */
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly store: EventStore | undefined;
  readonly budgets: Budgets;
  readonly unread: Unread;
  readonly turns: Turns;
  /** `draining`: serves requests on open connections, and opens no stream. `closed`: refuses all requests. */
  phase: 'open' | 'draining' | 'closed';
  /** Set if the endpoint has a `trace`. */
  readonly tracing: Tracing | undefined;
  /** Requests that belong to no session yet, such as those being authenticated. Never reject. */
  readonly underWay: ReadonlySet<Promise<void>>;
  /** Counts a request as under way until `promise` settles: a closing endpoint waits for it. */
  track(promise: Promise<unknown>): void;
  /** Calls `onError` with an error that no client is told. */
  report(thrown: unknown): void;
}

/** Makes the services. Limits that are left out get their defaults. */
export function createServices(server: ServerPort, options: ServiceOptions): EndpointServices {
  const { trace, onError, eventStore } = options;
  const { clock } = server;
  const limits = { ...defaultHttpLimits, ...options.limits };
  const report = (thrown: unknown): void => tell(onError, thrown);
  const underWay = new Set<Promise<void>>();
  const serves = (which: Era): boolean => server.revisions.some(({ era }) => era === which);
  return {
    server, legacy: serves('legacy'), modern: serves('modern'), clock, limits, report, underWay,
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
    tracing: typeof trace === 'function' ? messageTracing(trace, clock, report) : trace?.begin(clock),
  };
}

/** Makes the tracing for a function that sees only messages. If it throws, `report` gets the error, and the request is served. */
const messageTracing = (trace: Trace, clock: Clock, report: (thrown: unknown) => void): Tracing => ({
  begin() {},
  message(direction, text, _request, event) {
    try {
      trace({ kind: 'message', direction, text, at: clock.now(), ...event && { event } });
    } catch (thrown) {
      report(thrown);
    }
  },
  event() {},
});
