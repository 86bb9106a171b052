import { classify, decode } from '../../../jsonrpc/codec.ts';
import * as errorCodes from '../../../jsonrpc/error-codes.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Decoded, RequestId } from '../../../jsonrpc/message.ts';
import { modernErrors } from '../../../protocol/meta.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import { HttpError, SessionExpired } from '../../port.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from '../../port.ts';
import { sseParser } from '../sse-parser.ts';
import { isStream, mediaType, pump, readBody, readText, toFailure } from './body.ts';
import { namedVersion, requestHeaders } from './headers.ts';
import { readHttpSse } from './http-sse.ts';
import { defaultHttpClientLimits, wait as realWait } from './options.ts';
import type { HttpTransportOptions } from './options.ts';

interface Session {
  readonly id: string;
  /** The server has said that it does not know it any more. */
  expired: boolean;
}

/** One HTTP request and the stream it may become, with its resumptions. */
interface Exchange {
  /** The request whose answer is awaited; undefined for notifications, answers and the GET stream. */
  readonly id: RequestId | undefined;
  readonly modern: boolean;
  /** The session it was sent in: by the time it is answered there may be another. */
  session: Session | undefined;
  readonly controller: AbortController;
  streaming: boolean;
}

const maxRedirects = 3;

// 2026-07-28 basic/transports/streamable-http#backward-compatibility:
// with an HTTP error, `-32601` says it too.
const saysModern = (code: number): boolean =>
  code === errorCodes.methodNotFound || modernErrors.includes(code);

/**
 * The client's side of Streamable HTTP, of every revision that has it, over the runtime's `fetch`; it falls
 * back on HTTP+SSE (2024-11-05) by itself. `url` is the MCP endpoint; a TypeError where it is none.
 */
export function httpTransport(url: string | URL, options: HttpTransportOptions = {}): ClientTransport {
  const base = new URL(url);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError(`not an HTTP address: ${base}`);
  const { trace, random = Math.random, wait = realWait } = options;
  const limits = { ...defaultHttpClientLimits, ...options.limits };
  /** By the id of the request. */
  const pending = new Map<unknown, Exchange>();
  const running = new Set<Exchange>();
  let receiver: ClientReceiver;
  let closed = false;
  let agreed: Revision | undefined;
  let session: Session | undefined;
  /** The GET stream, of either kind: there is one at most. */
  let listener: Exchange | undefined;
  /** Where messages go once the server has turned out to be an HTTP+SSE one. */
  let endpoint: URL | undefined;
  /** Requests wait until the GET stream is there: a server loses what it says on a stream that nobody has opened. */
  let held: Promise<void> | undefined;
  let opening: AbortController | undefined;

  function begin(message: Outgoing): Exchange {
    const { id, method } = message;
    const modern = namedVersion(message) !== undefined;
    const exchange: Exchange = {
      id: method === undefined ? undefined : id,
      modern,
      session: modern || method === 'initialize' ? undefined : session,
      controller: new AbortController(),
      streaming: false,
    };
    running.add(exchange);
    if (closed) exchange.controller.abort();
    if (exchange.id !== undefined) pending.set(exchange.id, exchange);
    return exchange;
  }

  function end(exchange: Exchange): void {
    running.delete(exchange);
    // Ends the wait that bounds a stream which lingers.
    if (exchange.streaming) exchange.controller.abort();
  }

  function abortAfter(ms: number, controller: AbortController): void {
    wait(ms, controller.signal).then(() => controller.abort());
  }

  const awaited = (exchange: Exchange): boolean => pending.get(exchange.id) === exchange;
  const over = (exchange: Exchange): boolean =>
    exchange.controller.signal.aborted || (exchange.id !== undefined && !awaited(exchange));

  function fail(exchange: Exchange, thrown: unknown): void {
    if (awaited(exchange)) {
      pending.delete(exchange.id);
      receiver.failed(exchange.id as RequestId, toFailure(thrown));
      exchange.controller.abort();
    } else if (!over(exchange)) receiver.error(toFailure(thrown));
  }

  /** The answer to this request is here, on whatever stream it came. */
  function settle(id: unknown): void {
    const exchange = pending.get(id);
    pending.delete(id);
    // The server ends the stream, so that its connection can be used again; where it does not, we do.
    if (exchange?.streaming) abortAfter(limits.lingerMs, exchange.controller);
  }

  function note(decoded: Decoded): void {
    if (decoded.kind === 'success' || decoded.kind === 'failure') settle(decoded.message.id);
  }

  /** Hands on what came for an exchange. What is no message fails the request whose only answer it was. */
  function deliver(decoded: Decoded, exchange: Exchange): void {
    if (decoded.kind === 'refusal' || (decoded.kind === 'batch' && !agreed?.batching)) {
      const refusal = decoded.kind === 'refusal' ? decoded : undefined;
      const why = refusal?.error.message ?? 'this protocol revision has no batches';
      const error = new HttpError(200, '', `the server sent no message: ${why}`);
      if (exchange.streaming && refusal?.id !== exchange.id) receiver.error(error);
      else fail(exchange, error);
      return;
    }
    // 2026-07-28 basic/index#error-responses: an error without an id answers the request it came back for.
    if (decoded.kind === 'failure' && exchange.id !== undefined) decoded.message.id ??= exchange.id;
    if (decoded.kind === 'batch') for (const value of decoded.values) note(classify(value));
    else note(decoded);
    receiver.message(decoded);
  }

  function heard(data: string | Uint8Array): Decoded {
    if (trace) {
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
      trace({ direction: 'received', text, at: Date.now() });
    }
    return decode(data);
  }

  /** One HTTP request. Redirects are followed only within the origin, and where the method stays the same. */
  async function request(
    method: string, target: URL,
    { session, controller: { signal } }: Pick<Exchange, 'session' | 'controller'>,
    own: Record<string, string>, message: Outgoing = {}, body?: string,
  ): Promise<Response> {
    const custom = typeof options.headers === 'function' ? await options.headers() : options.headers ?? {};
    const headers = Object.assign(requestHeaders(custom, message, agreed, session?.id), own);
    const fetch = options.fetch ?? globalThis.fetch;
    for (let hops = 0; ; hops++) {
      const response = await fetch(target, {
        method, headers, signal, redirect: 'manual', ...(body === undefined ? undefined : { body }),
      });
      const { status } = response;
      if (status !== 0 && (status < 300 || status > 399)) return response;
      response.body?.cancel().catch(() => {});
      const to = response.headers.get('location') ?? '';
      const next = new URL(to, target);
      if ((status !== 307 && status !== 308) || next.origin !== base.origin || hops === maxRedirects) {
        // The headers, with whatever credentials they hold, are for the origin that was given, and no other.
        throw new HttpError(status, to, 'a redirect that is not followed');
      }
      target = next;
    }
  }

  async function post(exchange: Exchange, text: string, message: Outgoing): Promise<void> {
    if (closed) throw new ConnectionError('closed', 'the transport is closed');
    trace?.({ direction: 'sent', text, at: Date.now() });
    const old = endpoint !== undefined;
    const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const response = await request('POST', endpoint ?? base, exchange, accept, message, text);
    const { ok, status } = response;
    if (!ok) return refused(exchange, response, text, message);
    if (message.method === 'initialize') {
      // 2025-11-25 basic/transports#session-management.
      const id = response.headers.get('mcp-session-id');
      exchange.session = session = id === null ? undefined : { id, expired: false };
    }
    if (exchange.id === undefined || old) {
      // A body that says nothing is read all the same, so that its connection can be used again.
      await readText(response);
      if (message.method === 'notifications/initialized' && listens()) listen();
      return;
    }
    if (isStream(response)) return follow(exchange, response);
    const type = mediaType(response);
    if (type !== 'application/json') {
      const what = `HTTP ${status} with content type ${JSON.stringify(type)}`;
      throw new HttpError(status, await readText(response), what);
    }
    deliver(heard(await readBody(response, limits.maxMessageBytes)), exchange);
    if (awaited(exchange)) throw new HttpError(status, '', 'the server answered another request');
  }

  /** An error status. A JSON-RPC error in the body is the answer; without one, the status is. */
  async function refused(
    exchange: Exchange, response: Response, text: string, message: Outgoing,
  ): Promise<void> {
    const { status } = response;
    const body = await readText(response, limits.maxMessageBytes);
    checkSession(status, exchange, body);
    const decoded = heard(body);
    // 401 and 403 are about the HTTP request, whatever the body is.
    const error = status !== 401 && status !== 403 && decoded.kind === 'failure'
      && (decoded.message.id ?? exchange.id) === exchange.id && decoded.message.error;
    if (
      message.method === 'initialize' && endpoint === undefined
      && (status === 400 || status === 404 || status === 405)
      && !(error && saysModern(error.code)) && await fallBack()
    ) return post(exchange, text, message);
    if (!error || exchange.id === undefined) throw new HttpError(status, body);
    deliver(decoded, exchange);
  }

  function checkSession(status: number, { session }: Exchange, body: string): void {
    if (status !== 404 || session === undefined) return;
    // Its id goes on being sent until there is another: without one, the next request would get a 400.
    session.expired = true;
    throw new SessionExpired(body);
  }

  /** Reads the stream that answers an exchange, reconnecting where it may; connects the GET stream first. */
  async function follow(exchange: Exchange, response?: Response): Promise<void> {
    const { signal } = exchange.controller;
    exchange.streaming = true;
    let lastEventId = '';
    let retry: number | undefined;
    // Reconnections since the last event; those that failed since the last that did not.
    let attempts = response ? 0 : -1;
    let failures = 0;
    let cause: unknown;
    for (;; attempts++) {
      if (response !== undefined) {
        const parser = sseParser({
          lastEventId,
          maxEventBytes: limits.maxMessageBytes,
          onEvent({ type, data }) {
            attempts = 0;
            if (type === 'message' && data !== '') deliver(heard(data), exchange);
          },
          onRefused(why) {
            // It may have been the answer, and is not sent again.
            fail(exchange, new HttpError(200, '', `${why} (the limit is ${limits.maxMessageBytes} bytes)`));
          },
        });
        parser.retry = retry;
        cause = await pump(response, parser).catch((thrown: unknown) => thrown);
        ({ lastEventId, retry } = parser);
      }
      if (over(exchange)) return;
      // 2026-07-28 basic/transports/streamable-http#receiving-messages: its streams are not resumable.
      const resumable = exchange.id === undefined || (!exchange.modern && lastEventId !== '');
      if (!resumable || failures >= limits.reconnectAttempts) {
        const why = `the stream is lost (attempts to resume it: ${failures})`;
        throw new ConnectionError('closed', why, { cause });
      }
      // The GET stream is connected at once.
      if (attempts >= 0) await wait(delay(attempts, retry), signal);
      if (over(exchange)) return;
      response = undefined;
      try {
        const accept: Record<string, string> = { accept: 'text/event-stream' };
        if (lastEventId !== '') accept['last-event-id'] = lastEventId;
        const opened = await request('GET', base, exchange, accept).finally(() => exchange === listener && opening?.abort());
        if (isStream(opened)) {
          response = opened;
          failures = 0;
          continue;
        }
        const body = await readText(opened);
        // 2025-11-25 basic/transports#listening-for-messages-from-the-server: 405 means that there is none.
        if (opened.status === 405 && exchange.id === undefined) return;
        checkSession(opened.status, exchange, body);
        throw new HttpError(opened.status, body, `GET: HTTP ${opened.status}`);
      } catch (thrown) {
        if (thrown instanceof HttpError && thrown.status < 500 && thrown.status !== 429) throw thrown;
        cause = thrown;
        failures++;
      }
    }
  }

  /** The server's `retry` is obeyed to the millisecond, and is never undercut by a later attempt. */
  function delay(attempt: number, retry: number | undefined): number {
    if (retry !== undefined && attempt === 0) return retry;
    const most = Math.min(limits.reconnectMaxMs, limits.reconnectInitialMs * 2 ** attempt);
    return Math.max(retry ?? 0, Math.round(most * (0.5 + random() / 2)));
  }

  const listens = (): boolean => endpoint === undefined && agreed?.era === 'legacy' && agreed.streamableHttp;

  function hold(): void {
    opening?.abort();
    opening = new AbortController();
    const mine = held = wait(limits.listenMs, opening.signal).then(() => {
      if (held === mine) held = undefined;
    });
  }

  function listen(): void {
    listener?.controller.abort();
    const exchange = listener = begin({});
    follow(exchange).catch((thrown: unknown) => fail(exchange, thrown)).finally(() => end(exchange));
  }

  /**
   * Looks for the old transport at the same address. Whether it is there.
   * 2025-11-25 basic/transports#backwards-compatibility.
   */
  async function fallBack(): Promise<boolean> {
    const exchange = begin({});
    const timer = new AbortController();
    wait(limits.endpointMs, timer.signal).then(() => endpoint ?? exchange.controller.abort());
    try {
      const response = await request('GET', base, exchange, { accept: 'text/event-stream' });
      if (!isStream(response)) return false;
      exchange.streaming = true;
      const stream = readHttpSse(response, base, (text) => deliver(heard(text), exchange), {
        maxEventBytes: limits.maxMessageBytes,
        onRefused: (why) => receiver.error(new Error(`the stream: ${why}`)),
      });
      endpoint = await stream.endpoint;
      if (endpoint === undefined) return false;
      listener = exchange;
      stream.ended.then((cause) => {
        if (!over(exchange)) receiver.closed('the server ended its stream', cause);
        end(exchange);
      });
      return true;
    } catch (thrown) {
      if (thrown instanceof ConnectionError) throw thrown;
      return false;
    } finally {
      // Without an endpoint this ends the stream, too.
      timer.abort();
      if (endpoint === undefined) running.delete(exchange);
    }
  }

  return {
    kind: 'http',

    async open(told) {
      receiver = told;
    },

    send(text, message = {}) {
      const exchange = begin(message);
      if (closed) {
        exchange.controller.abort();
        running.delete(exchange);
        return fail(exchange, new ConnectionError('closed', 'the transport is closed'));
      }
      const first = message.method === 'notifications/initialized' && listens();
      const sent = held && exchange.id !== undefined
        ? held.then(() => post(exchange, text, message))
        : post(exchange, text, message);
      if (first) hold();
      sent.catch((thrown: unknown) => {
        if (first) opening?.abort();
        fail(exchange, thrown);
      }).finally(() => end(exchange));
    },

    abandon(id) {
      const exchange = pending.get(id);
      pending.delete(id);
      exchange?.controller.abort();
    },

    agreed(revision) {
      agreed = revision;
    },

    async reopen() {
      listener?.controller.abort();
      opening?.abort();
      agreed = session = listener = endpoint = undefined;
    },

    async close() {
      if (closed) return;
      closed = true;
      opening?.abort();
      pending.clear();
      for (const { controller } of running) controller.abort();
      if (session === undefined || session.expired) return;
      const controller = new AbortController();
      abortAfter(limits.closeMs, controller);
      try {
        // 2025-11-25 basic/transports#session-management: a server may refuse this with 405.
        await readText(await request('DELETE', base, { session, controller }, {}));
      } catch {
        // The server will find the session idle.
      } finally {
        controller.abort();
      }
    },
  };
}
