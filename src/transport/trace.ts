/** One message as it passed, for `trace`. `at` is milliseconds since the epoch. */
export interface TraceEntry {
  readonly kind?: 'message' | undefined;
  readonly direction: 'received' | 'sent';
  readonly text: string;
  readonly at: number;
  /** Over HTTP: the number of the `HttpTraceEntry` of the request or response that carried it. */
  readonly exchange?: number | undefined;
  /** Over HTTP: the fields of the event that carried it, where a stream did. */
  readonly event?: TracedEvent | undefined;
}

/** The fields of a server-sent event beside its data. */
export interface TracedEvent {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  /** Milliseconds. */
  readonly retry?: number | undefined;
}

/** The head of an HTTP request or of its response. */
export interface HttpTraceEntry {
  readonly kind: 'http';
  readonly direction: 'received' | 'sent';
  /** The same for a request, its response and what they carry; counts the requests of one transport from 1. */
  readonly exchange: number;
  readonly method: string;
  /** Without the query, and without what looks like a key in it. */
  readonly path: string;
  /** Of a response. */
  readonly status?: number | undefined;
  /** By lower-case name. A value that is not known to be harmless is `[redacted]`; that of a session id is so with a digest. */
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
}

/** An event of a stream that carries no message: the one that primes a reconnection, or `endpoint`. */
export interface EventTraceEntry {
  readonly kind: 'event';
  readonly direction: 'received' | 'sent';
  readonly exchange: number;
  readonly event: TracedEvent;
  readonly data: string;
  readonly at: number;
}

/** Sees all that passes over an HTTP transport. */
export type HttpTrace = (entry: TraceEntry | HttpTraceEntry | EventTraceEntry) => void;

/** Sees each message that passes over a transport. */
export type Trace = (entry: TraceEntry) => void;
