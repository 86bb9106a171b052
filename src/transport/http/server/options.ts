import type { HttpTrace } from '../../port.ts';
import type { Authenticate, Authenticator } from './authenticator.ts';
import type { EventStore } from './event-store.ts';
import type { FleetPort } from './fleet-port.ts';

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
  maxBodyBytes: 16 * 1024 * 1024,
  maxSessions: 10_000,
  maxSessionsPerPrincipal: 100,
  sessionIdleMs: 30 * 60_000,
  maxStreamsPerSession: 256,
  maxOpenRequests: 10_000,
  maxBufferedBytes: 4 * 1024 * 1024,
  maxUnreadBytes: 64 * 1024 * 1024,
  maxReplayPerStream: 2 * 1024 * 1024,
  maxReplay: 64 * 1024 * 1024,
  keepAliveMs: 15_000,
  retryMs: 1000,
};

/** The options of an HTTP server, whatever brings its requests. */
export interface HttpOptions {
  /** Bounds, each with its default in `defaultHttpLimits`. */
  limits?: Partial<HttpLimits> | undefined;
  /** The path of the endpoint. Default `/mcp`. */
  path?: string | undefined;
  /**
   * The two paths of HTTP+SSE (2024-11-05), or false for none. Default: `/sse` and `/messages` in the place
   * of the last segment of `path`, where the server has that revision.
   */
  sse?: { path: string; messages: string } | false | undefined;
  /**
   * Hosts that the `Host` header may name, without a port for every port; '*' for all. Default: localhost,
   * 127.0.0.1 and [::1], against DNS rebinding.
   */
  allowedHosts?: readonly string[] | '*' | undefined;
  /** Origins that the `Origin` header may name; '*' for all. Default: those whose host is a loopback name. */
  allowedOrigins?: readonly string[] | '*' | undefined;
  /** Answers browsers of allowed origins with CORS headers. Default false. */
  cors?: boolean | undefined;
  /** Lets requests in. Without this option everybody may ask. */
  auth?: Authenticate | Authenticator | undefined;
  /** The `WWW-Authenticate` of a 401 where `auth` gave no reason. Default `Bearer`. */
  challenge?: string | undefined;
  /** Keeps messages for clients that reconnect; false for none. Default: in memory, bounded. */
  eventStore?: EventStore | false | undefined;
  /** Shares sessions with other processes: `await fleet(…)` of `barewire/fleet`. */
  fleet?: FleetPort | undefined;
  /** Sees each message that passes, the heads of requests and responses, and events that are no messages. */
  trace?: HttpTrace | undefined;
  /**
   * Told what went wrong that no client can be told: a slow reader that was cut off, an `auth` that threw.
   */
  onError?: ((error: Error) => void) | undefined;
}
