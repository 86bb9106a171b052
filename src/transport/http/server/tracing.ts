import type { Clock } from '../../../bounds/clock.ts';
import type { TracedEvent, TraceEntry } from '../../trace.ts';
import type { HttpRequest } from './http-request.ts';

/** What the parts of an endpoint tell the `trace` option. */
export interface Tracing {
  /** A request has come: its head is shown, and that of its response will be. */
  begin(request: HttpRequest): void;
  /** A message passes over this request or its response, in this event of a stream. */
  message(direction: TraceEntry['direction'], text: string, request: Pick<HttpRequest, 'exchange'>, event?: TracedEvent): void;
  /** An event without a message goes out on this response. */
  event(event: TracedEvent, data: string, request: HttpRequest): void;
}

/** Shows heads and events beside messages: `httpServerTrace(see)`. */
export interface HttpServerTrace {
  /** Called once for each endpoint, with its clock. */
  begin(clock: Clock): Tracing;
}
