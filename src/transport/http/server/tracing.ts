import type { Clock } from '../../../bounds/clock.ts';
import type { HttpTrace, TracedEvent, TraceEntry } from '../../trace.ts';
import { redact, redactEvent, redactPath } from '../redact.ts';
import type { HttpRequest } from './http-request.ts';

/** What the parts of an endpoint tell `trace`. */
export interface Tracing {
  /** A request has come: its head is shown, and that of its response will be. */
  begin(request: HttpRequest): void;
  /** A message passes over this request or its response, in this event of a stream. */
  message(direction: TraceEntry['direction'], text: string, request: Pick<HttpRequest, 'exchange'>, event?: TracedEvent): void;
  /** An event that is no message goes out on this response. */
  event(event: TracedEvent, data: string, request: HttpRequest): void;
}

/** Makes what tells `trace`; its exchanges are counted from 1. */
export function createTracing(trace: HttpTrace, clock: Clock): Tracing {
  let exchanges = 0;
  return {
    begin(request) {
      const { method } = request;
      const path = redactPath(request.path);
      const exchange = request.exchange = ++exchanges;
      trace({
        kind: 'http', direction: 'received', exchange, method, path, headers: redact(request.headers()),
        at: clock.now(),
      });
      request.onHead = (status, fields) => trace({
        kind: 'http', direction: 'sent', exchange, method, path, status, headers: redact(Object.entries(fields)),
        at: clock.now(),
      });
    },
    message(direction, text, { exchange }, event) {
      trace({ kind: 'message', direction, text, at: clock.now(), exchange, ...event && { event } });
    },
    event(event, data, { exchange = 0 }) {
      trace({ kind: 'event', direction: 'sent', exchange, event, data: redactEvent(event.event, data), at: clock.now() });
    },
  };
}
