import { checkOptions } from '../../../bounds/options.ts';
import { redactPath } from '../redact.ts';
import type { Body, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';

/** The start of an HTTP request. */
export interface HttpBegin {
  readonly method: string;
  /** Without the query, cut to 200 characters. Segments that look like a key are redacted. */
  readonly path: string;
  /** When the request came, in milliseconds since 1970. */
  readonly at: number;
}

/** The end of an HTTP request. */
export interface HttpEnd {
  /** Undefined: the client left or was cut off before the response began. */
  readonly status: number | undefined;
  /** Whether the response was written to its end. */
  readonly complete: boolean;
  /** Milliseconds from the start of the request to the end of the response; for a stream, to its last event. */
  readonly ms: number;
  /** Bytes of the request body; 0 if it was parsed before. */
  readonly receivedBytes: number;
  /** Bytes of the response body, without the head. */
  readonly sentBytes: number;
  /** The reason of a refusal: the message that the client gets, which names the guard or the limit. At most 200 characters. */
  readonly refused?: string | undefined;
}

/** Called for each request. Returns a function to call at its end, or undefined. */
export type BeginHttp = (begin: HttpBegin) => ((end: HttpEnd) => void) | undefined;

/** Observes a request while it is served. */
export type ObserveHttp = (request: HttpRequest, services: EndpointServices) => void;

/**
 * The `observe` option of `serveHttp`, `httpListener` and `fetchHandler`: calls `begin` for each HTTP request, also if it is refused
 * before it is read as MCP (by `allowedHosts`, `auth`, a limit). It gets no header, no query and no body. An error that it
 * throws goes to `onError`.
 */
export function httpObserver(begin: BeginHttp): ObserveHttp {
  checkOptions('httpObserver: begin', begin, 'function');
  return (request, services) => {
    try {
      const { method, path } = request;
      const ended = begin({ method: method.slice(0, 20), path: redactPath(path).slice(0, 200), at: services.clock.now() });
      if (ended) watch(request, services, ended);
    } catch (thrown) {
      services.report(thrown);
    }
  };
}

/** Wraps the methods of one request. Long function: its short functions share the counts. */
function watch(request: HttpRequest, { clock, report }: EndpointServices, ended: (end: HttpEnd) => void): void {
  const began = clock.monotonic();
  let status: number | undefined;
  let receivedBytes = 0;
  let sentBytes = 0;
  let over = false;

  function end(complete: boolean, refused?: string): void {
    if (over) return;
    over = true;
    try {
      ended({ status, complete, ms: clock.monotonic() - began, receivedBytes, sentBytes, ...refused !== undefined && { refused } });
    } catch (thrown) {
      report(thrown);
    }
  }

  const read = request.read.bind(request);
  const respond = request.respond.bind(request);
  const open = request.open.bind(request);
  const write = request.write.bind(request);
  const finish = request.end.bind(request);
  const destroy = request.destroy.bind(request);
  const onGone = request.onGone.bind(request);
  Object.assign(request, {
    read: (maxBytes, done) => read(maxBytes, (body) => {
      receivedBytes = bytesRead(body);
      done(body);
    }),
    respond(code, body, fields) {
      respond(code, body, fields);
      if (over) return;
      status = code;
      sentBytes += bytesOf(body);
      end(true, code < 400 ? undefined : refusalOf(body));
    },
    open(fields, lasts) {
      status = 200;
      open(fields, lasts);
    },
    write(text) {
      sentBytes += bytesOf(text);
      write(text);
    },
    end(last) {
      finish(last);
      end(true);
    },
    destroy() {
      destroy();
      end(false);
    },
    onGone: (listener) => onGone(() => {
      end(false);
      listener();
    }),
  } satisfies Partial<HttpRequest>);
  // The endpoint sets its own listener later, or never: the client may leave before.
  onGone(() => end(false));
}

const bytesOf = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate pair takes four bytes: two for each unit.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
};

const bytesRead = (body: Body): number => body instanceof Uint8Array ? body.length : typeof body === 'string' ? bytesOf(body) : 0;

/** The error message in the body of a refusal. */
function refusalOf(body: string): string | undefined {
  if (body.length > 65_536) return undefined;
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown } };
    return typeof error?.message === 'string' ? error.message.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}
