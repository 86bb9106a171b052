import { checkOptions } from '../../../bounds/options.ts';
import type { Shape } from '../../../bounds/options.ts';
import { quote } from '../../../bounds/quote.ts';
import type { Authenticate, Authenticator } from './admission.ts';
import type { FleetPort } from './sharing.ts';
import type { GuardOptions } from './origin-validation.ts';
import type { Health } from './health.ts';
import type { ObserveHttp } from './http-observer.ts';
import type { ServeCard } from './server-card.ts';
import type { ServiceOptions } from './services.ts';
import type { ServerPort } from '../../server-port.ts';

/** The limits of an HTTP endpoint. */
export interface HttpLimits {
  /** Bytes of a request body; a longer one gets 413. 16 MiB. */
  maxBodyBytes: number;
  /**
   * Sessions at once. A new one ends the session without a connection that has been idle longest;
   * if all have a connection, it gets 503. 10,000.
   */
  maxSessions: number;
  /** Sessions of one authenticated principal at once, by the same rule. 100. */
  maxSessionsPerPrincipal: number;
  /** Milliseconds without a request or connection after which a session ends, even with work in flight. 30 minutes. */
  sessionIdleMs: number;
  /** Requests of one session that may be in flight at once; the next one gets 429. 256. */
  maxStreamsPerSession: number;
  /** Modern requests, which have no session, that may be in flight at once; the next one gets 503. 10,000. */
  maxOpenRequests: number;
  /** Bytes that may wait for a slow reader of a stream; with more, its connection is cut off. 4 MiB. */
  maxBufferedBytes: number;
  /**
   * Bytes of responses that may wait for slow readers, over all connections; with more, the response that has waited
   * longest is cut off. 64 MiB.
   */
  maxUnreadBytes: number;
  /** Bytes of memory for the messages of one stream kept for resumption; the oldest are dropped first. 2 MiB. */
  maxReplayPerStream: number;
  /** The same for all streams together; the streams of the session used least recently are dropped first. 64 MiB. */
  maxReplay: number;
  /** Milliseconds between the comments that keep a quiet stream open; 0: no comments. 15 seconds. */
  keepAliveMs: number;
  /** Milliseconds that a client should wait before it reconnects to a polled stream (`retry`). 1 second. */
  retryMs: number;
}

/** The defaults of `HttpLimits`. */
export const defaultHttpLimits: HttpLimits = {
  maxBodyBytes: 16_777_216,
  maxSessions: 10_000,
  maxSessionsPerPrincipal: 100,
  sessionIdleMs: 1_800_000,
  maxStreamsPerSession: 256,
  maxOpenRequests: 10_000,
  maxBufferedBytes: 4_194_304,
  maxUnreadBytes: 67_108_864,
  maxReplayPerStream: 2_097_152,
  maxReplay: 67_108_864,
  keepAliveMs: 15_000,
  retryMs: 1000,
};

/** The options of an HTTP server, for any runtime. */
export interface HttpOptions extends ServiceOptions, Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins'> {
  /** The path of the endpoint. Default `/mcp`. */
  path?: string | undefined;
  /**
   * The two paths of HTTP+SSE (2024-11-05), or false for none. Default: `/sse` and `/messages` in place
   * of the last segment of `path`, if the server has that revision.
   */
  sse?: { path: string; messages: string } | false | undefined;
  /** Answers browsers from allowed origins with CORS headers. Default false. */
  cors?: boolean | undefined;
  /** Authenticates requests. Without this option, every request is served. */
  auth?: Authenticate | Authenticator | undefined;
  /** The `WWW-Authenticate` of a 401 if `auth` gave no reason. Default `Bearer`. */
  challenge?: string | undefined;
  /** Answers the health probes of a load balancer: `health('/healthz')`. */
  health?: Health | undefined;
  /** Serves the server's card (SEP-2127): `serverCard(server, { name: 'com.example/trips' })`. Default: no card. */
  card?: ServeCard | undefined;
  /** Called with each HTTP request, even if it is refused: `httpObserver(…)`. */
  observe?: ObserveHttp | undefined;
  /** Shares sessions with other processes: `await fleet(…)` of `barewire/fleet`. */
  fleet?: FleetPort | undefined;
}

/** For `checkHttpOptions`. */
export const httpShape: Shape<HttpOptions> = {
  path: 'string', sse: 'object or boolean', allowedHosts: 'list or "*"', allowedOrigins: 'list or "*" or "own"', cors: 'boolean',
  auth: 'function or object', challenge: 'string', fleet: 'object', health: 'function', card: 'function', observe: 'function',
  trace: 'function or object', onError: 'function', limits: defaultHttpLimits, eventStore: 'object or boolean',
};

/** Throws a TypeError for an unknown or malformed option: with a misspelt `auth`, every request would be served. */
export function checkHttpOptions<O extends HttpOptions>(call: string, server: ServerPort, options: O, shape: Shape<O>): void {
  checkOptions(`${call}: server`, server, 'object');
  const place = `${call}: options`;
  checkOptions<object>(place, options, shape);
  const { auth, eventStore, path = '/', sse, trace } = options;
  if (path[0] !== '/') throw new TypeError(`${place}.path must begin with "/": ${quote(path)}`);
  // Both are required: `checkOptions` takes undefined as left out.
  if (sse) checkOptions<object>(`${place}.sse`, { ...sse, path: sse.path ?? null, messages: sse.messages ?? null }, { path: 'string', messages: 'string' });
  if (typeof auth === 'object') checkOptions(`${place}.auth.authenticate`, auth.authenticate, 'function');
  if (typeof trace === 'object') checkOptions(`${place}.trace.begin`, trace.begin, 'function');
  if (eventStore) checkOptions(`${place}.eventStore`, eventStore, 'object');
}
