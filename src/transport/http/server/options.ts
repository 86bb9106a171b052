import { checkOptions } from '../../../bounds/options.ts';
import type { Shape } from '../../../bounds/options.ts';
import type { Authenticate, Authenticator } from './admission.ts';
import type { FleetPort } from './sharing.ts';
import type { GuardOptions } from './origin-validation.ts';
import type { Health } from './health.ts';
import type { ObserveHttp } from './http-observer.ts';
import type { ServeCard } from './server-card.ts';
import type { ServiceOptions } from './services.ts';

/** What bounds an HTTP endpoint. */
export interface HttpLimits {
  /** Bytes of a request's body; a longer one gets 413. 16 MiB. */
  maxBodyBytes: number;
  /**
   * Sessions at once. A new one pushes out the one that has been idle longest;
   * where all are busy it gets 503. 10,000.
   */
  maxSessions: number;
  /** Sessions of one authenticated principal at once, by the same rule. 100. */
  maxSessionsPerPrincipal: number;
  /**
   * Milliseconds without a request, an open stream or work in flight after which a session ends. 30 minutes.
   */
  sessionIdleMs: number;
  /** Requests of one session, or streams of answers, that may be open at once; the next one gets 429. 256. */
  maxStreamsPerSession: number;
  /** Modern requests, which have no session, that may be open at once; the next one gets 503. 10,000. */
  maxOpenRequests: number;
  /** Bytes that may wait for a slow reader of a stream; then its connection is cut. 4 MiB. */
  maxBufferedBytes: number;
  /**
   * Bytes of answers that may wait for slow readers, over all connections; then the one that has waited longest
   * is cut. 64 MiB.
   */
  maxUnreadBytes: number;
  /** Bytes of memory for messages kept for resumption, of one stream: the oldest go first. 2 MiB. */
  maxReplayPerStream: number;
  /** The same of all streams together: the stream that was quiet longest goes first. 64 MiB. */
  maxReplay: number;
  /** Milliseconds between the comments that keep a quiet stream open; 0: none. 15 seconds. */
  keepAliveMs: number;
  /** Milliseconds that a client of a polled stream is told to wait before it reconnects. 1 second. */
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

/** The options of an HTTP server, whatever brings its requests. */
export interface HttpOptions extends ServiceOptions, Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins'> {
  /** The path of the endpoint. Default `/mcp`. */
  path?: string | undefined;
  /**
   * The two paths of HTTP+SSE (2024-11-05), or false for none. Default: `/sse` and `/messages` in the place
   * of the last segment of `path`, where the server has that revision.
   */
  sse?: { path: string; messages: string } | false | undefined;
  /** Answers browsers of allowed origins with CORS headers. Default false. */
  cors?: boolean | undefined;
  /** Lets requests in. Without this option everybody may ask. */
  auth?: Authenticate | Authenticator | undefined;
  /** The `WWW-Authenticate` of a 401 where `auth` gave no reason. Default `Bearer`. */
  challenge?: string | undefined;
  /** Answers the probes of a balancer: `health('/healthz')`. */
  health?: Health | undefined;
  /** Serves the server's card (SEP-2127): `serverCard(server, { name: 'com.example/trips' })`. Without it no card is served. */
  card?: ServeCard | undefined;
  /** Told of each HTTP request, also of refused ones: `httpObserver(…)`. */
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

/** Throws a TypeError for an option that is unknown or malformed: a misspelt `auth` would let everybody in. */
export function checkHttpOptions<O extends HttpOptions>(place: string, options: O, shape: Shape<O>): void {
  checkOptions<object>(place, options, shape);
  const { auth, eventStore, sse, trace } = options;
  // Both are required: what is undefined would count as not given.
  if (sse) checkOptions<object>(`${place}.sse`, { ...sse, path: sse.path ?? null, messages: sse.messages ?? null }, { path: 'string', messages: 'string' });
  if (typeof auth === 'object') checkOptions(`${place}.auth.authenticate`, auth.authenticate, 'function');
  if (typeof trace === 'object') checkOptions(`${place}.trace.begin`, trace.begin, 'function');
  if (eventStore) checkOptions(`${place}.eventStore`, eventStore, 'object');
}
