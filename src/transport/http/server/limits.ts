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
