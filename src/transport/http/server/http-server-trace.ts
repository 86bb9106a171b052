import { checkOptions } from '../../../bounds/options.ts';
import type { HttpTrace } from '../../trace.ts';
import { redact, redactEvent, redactPath } from '../redact.ts';
import type { HttpServerTrace } from './tracing.ts';

/**
 * Shows everything that an HTTP server receives and sends: heads of requests and responses, messages, stream events.
 * `serveHttp(server, { trace: httpServerTrace(see) })`; `see` must not throw. Each endpoint counts its exchanges from 1.
 * Credentials are redacted. A plain function as `trace` sees only messages.
 */
export function httpServerTrace(see: HttpTrace): HttpServerTrace {
  checkOptions('httpServerTrace: see', see, 'function');
  return {
    begin(clock) {
      let exchanges = 0;
      return {
        begin(request) {
          const { method } = request;
          const path = redactPath(request.path);
          const exchange = request.exchange = ++exchanges;
          see({ kind: 'http', direction: 'received', exchange, method, path, headers: redact(request.headers()), at: clock.now() });
          request.onHead = (status, fields) => see({
            kind: 'http', direction: 'sent', exchange, method, path, status, headers: redact(Object.entries(fields)), at: clock.now(),
          });
        },
        message(direction, text, { exchange }, event) {
          see({ kind: 'message', direction, text, at: clock.now(), exchange, ...event && { event } });
        },
        event(event, data, { exchange = 0 }) {
          see({ kind: 'event', direction: 'sent', exchange, event, data: redactEvent(event.event, data), at: clock.now() });
        },
      };
    },
  };
}
