import type { Clock } from '../../../bounds/clock.ts';
import type { TracedEvent, TraceEntry } from '../../trace.ts';
import type { HttpRequest } from './http-request.ts';

/** The trace of an endpoint, as its parts call it. */
export interface Tracing {
  /** Traces the head of a request, and later the head of its response. */
  begin(request: HttpRequest): void;
  /** Traces a message in this request or its response; `event`: the stream event that carries it. */
  message(direction: TraceEntry['direction'], text: string, request: Pick<HttpRequest, 'exchange'>, event?: TracedEvent): void;
  /** Traces an event without a message in this response. */
  event(event: TracedEvent, data: string, request: HttpRequest): void;
}

/** Traces heads and events besides messages: `httpServerTrace(see)`. */
export interface HttpServerTrace {
  /** Called once for each endpoint, with its clock. */
  begin(clock: Clock): Tracing;
}
