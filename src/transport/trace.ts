/** One message, for `trace`. `at` is milliseconds since the epoch. */
export interface TraceEntry {
  readonly kind?: 'message' | undefined;
  readonly direction: 'received' | 'sent';
  readonly text: string;
  readonly at: number;
  /** Over HTTP: the `exchange` number of the request or response that carried it. */
  readonly exchange?: number | undefined;
  /** Over HTTP: the fields of the event that carried it, if it came in a stream. */
  readonly event?: TracedEvent | undefined;
}

/** The fields of a server-sent event, without its data. */
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
  /** Common to a request, its response and their messages. Counts the requests of one transport from 1. */
  readonly exchange: number;
  readonly method: string;
  /** Without the query. Segments that look like a key are `[redacted]`. */
  readonly path: string;
  /** Only for a response. */
  readonly status?: number | undefined;
  /** By lower-case name. Values not known to be harmless are `[redacted]`; a session id also shows a digest. */
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
}

/** A stream event without a message: a priming event for reconnection, or `endpoint`. */
export interface EventTraceEntry {
  readonly kind: 'event';
  readonly direction: 'received' | 'sent';
  readonly exchange: number;
  readonly event: TracedEvent;
  readonly data: string;
  readonly at: number;
}

/** Called with everything that passes over an HTTP transport. */
export type HttpTrace = (entry: TraceEntry | HttpTraceEntry | EventTraceEntry) => void;

/** Called with each message that passes over a transport. */
export type Trace = (entry: TraceEntry) => void;
