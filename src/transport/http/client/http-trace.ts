import { systemClock } from '../../../bounds/clock.ts';
import type { Clock } from '../../../bounds/clock.ts';
import { joinBytes } from '../../../bounds/budget.ts';
import type { HttpTrace } from '../../trace.ts';
import { redact, redactEvent, redactPath } from '../redact.ts';
import { sseParser } from '../sse-parser.ts';
import { isStream, mediaType } from './body.ts';
import type { HttpAnswer, HttpSender } from './sender.ts';

/** Bytes of one JSON body that are kept for the trace; a longer body is not shown. */
const maxTraced = 16_777_216;

/**
 * Shows everything that an HTTP transport sends and receives: heads of requests and responses, messages, stream events.
 * `httpTransport(url, { around: httpTrace(see) })`; `see` must not throw. Each redirect and each reconnection is a
 * separate exchange. Credentials are redacted. Use it instead of `trace`, which shows only messages.
 */
export function httpTrace(trace: HttpTrace, clock: Clock = systemClock): (sender: HttpSender) => HttpSender {
  let exchanges = 0;
  return (sender) => ({
    async send(request) {
      const { method, url: { pathname }, body } = request;
      const path = redactPath(pathname);
      const exchange = ++exchanges;
      trace({ kind: 'http', direction: 'sent', exchange, method, path, headers: redact(Object.entries(request.headers)), at: clock.now() });
      if (body !== undefined) trace({ kind: 'message', direction: 'sent', text: body, at: clock.now(), exchange });
      const answer = await sender.send(request);
      const { status } = answer;
      trace({ kind: 'http', direction: 'received', exchange, method, path, status, headers: redact(answer.fields()), at: clock.now() });
      const see = isStream(answer) ? watchStream(trace, exchange, clock) : mediaType(answer.header('content-type')) === 'application/json' ? watchBody(trace, exchange, 'received', clock) : undefined;
      return see ? watched(answer, see) : answer;
    },
    ...sender.close && { close: () => sender.close?.() },
  });
}

/** Gets the chunks of a body as they come, and its end. */
export interface Watcher {
  push(chunk: Uint8Array): void;
  end(): void;
}

function watched(answer: HttpAnswer, watcher: Watcher): HttpAnswer {
  // Not spread: the response may be an instance of a class.
  return {
    status: answer.status,
    header: (name) => answer.header(name),
    fields: () => answer.fields(),
    cancel: () => answer.cancel(),
    async read(onChunk) {
      await answer.read((chunk) => {
        watcher.push(chunk);
        return onChunk(chunk);
      });
      watcher.end();
    },
  };
}

/** Traces the events of a stream. */
export function watchStream(trace: HttpTrace, exchange: number, clock: Clock = systemClock): Watcher {
  let [lastId, lastRetry]: [string, number | undefined] = ['', undefined];
  const parser = sseParser({
    maxEventBytes: maxTraced,
    onEvent({ type, data, id, retry }) {
      const event = { ...id !== lastId && { id }, ...type !== 'message' && { event: type }, ...retry !== lastRetry && { retry } };
      [lastId, lastRetry] = [id, retry];
      const from = { direction: 'received', exchange, event, at: clock.now() } as const;
      trace(type === 'message' && data !== '' ? { kind: 'message', text: data, ...from } : { kind: 'event', data: redactEvent(type, data), ...from });
    },
  });
  return { push: (chunk) => parser.push(chunk), end() {} };
}

/** Traces a body when it is complete; not an empty one, nor one above `maxTraced`. */
export function watchBody(trace: HttpTrace, exchange: number, direction: 'sent' | 'received', clock: Clock = systemClock): Watcher {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    push(chunk) {
      size += chunk.length;
      if (size <= maxTraced) chunks.push(chunk);
    },
    end() {
      if (size === 0 || size > maxTraced) return;
      trace({ kind: 'message', direction, text: new TextDecoder().decode(joinBytes(chunks, size)), at: clock.now(), exchange });
    },
  };
}
