import { checkOptions } from '../../../bounds/options.ts';
import { redactPath } from '../redact.ts';
import type { Body, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';

/** An HTTP request at its beginning. */
export interface HttpBegin {
  readonly method: string;
  /** Without the query. What looks like a key in it is redacted, and it has at most 200 characters. */
  readonly path: string;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
}

/** How an HTTP request ended. */
export interface HttpEnd {
  /** Undefined: the client left, or was cut off, before there was an answer. */
  readonly status: number | undefined;
  /** Whether the answer was written to its end. */
  readonly complete: boolean;
  /** Milliseconds from its beginning to the end of its answer, which of a stream is the last event. */
  readonly ms: number;
  /** Bytes of the body that was read. */
  readonly receivedBytes: number;
  /** Bytes of the bodies of the answer, without its head. */
  readonly sentBytes: number;
  /** Why it was refused, where it was: the sentence that the client reads, which names the guard or the limit. At most 200 characters. */
  readonly refused?: string | undefined;
}

/** Told of each request; returns what is told of its end, or undefined. */
export type BeginHttp = (begin: HttpBegin) => ((end: HttpEnd) => void) | undefined;

/** Looks on while a request is served. */
export type ObserveHttp = (request: HttpRequest, services: EndpointServices) => void;

/**
 * The `observe` option of `serveHttp`, `httpListener` and `fetchHandler`: `begin` is told of each HTTP request, also of those that are
 * refused before they are read as MCP (by `allowedHosts`, `auth`, a limit). It hears of no header, no query and no body. What it
 * throws goes to `onError`.
 */
export function httpObserver(begin: BeginHttp): ObserveHttp {
  checkOptions('httpObserver: begin', begin, 'function');
  return (request, services) => {
    try {
      const { method, path } = request;
      const ended = begin({ method: method.slice(0, 20), path: redactPath(path.slice(0, 200)), at: services.clock.now() });
      if (ended) watch(request, services, ended);
    } catch (thrown) {
      services.report(thrown);
    }
  };
}

/** Stands in front of the methods of this one request. Long function: its short functions share what was counted. */
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
  // Nobody else may ask, or only later: the client may leave before.
  onGone(() => end(false));
}

const bytesOf = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A pair of surrogates is four bytes: two for each unit.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
};

const bytesRead = (body: Body): number => body instanceof Uint8Array ? body.length : typeof body === 'string' ? bytesOf(body) : 0;

/** The message of the error that a refusal holds. */
function refusalOf(body: string): string | undefined {
  if (body.length > 65_536) return undefined;
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown } };
    return typeof error?.message === 'string' ? error.message.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}
