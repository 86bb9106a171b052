import { classify, decode, decodeUtf8, decodeValue } from '../../../jsonrpc/codec.ts';
import { defaultConnectionLimits } from '../../../jsonrpc/connection.ts';
import * as errorCodes from '../../../jsonrpc/error-codes.ts';
import { toError } from '../../../jsonrpc/errors.ts';
import type { Decoded, RequestId } from '../../../jsonrpc/message.ts';
import { failureText } from '../../../jsonrpc/outlet.ts';
import type { Outlet } from '../../../jsonrpc/outlet.ts';
import { isModern } from '../../../protocol/meta.ts';
import { findRevision } from '../../../protocol/revisions.ts';
import type { Auth, ServerPort } from '../../port.ts';
import { memoryEventStore } from './event-store.ts';
import type { Body, Exchange, HeaderFields } from './http-request.ts';
import { corsFields, createGuard, isJson, readAccept } from './guard.ts';
import type { Accepted } from './guard.ts';
import { openPair, pairId } from './legacy-sse.ts';
import { ModernPost } from './modern.ts';
import { defaultHttpLimits } from './options.ts';
import type { Host, HttpLimits, HttpOptions } from './options.ts';
import { Post } from './session.ts';
import type { Session } from './session.ts';
import { createSessions } from './sessions.ts';

export interface CloseOptions {
  /** Milliseconds that requests in flight may still take. Default 5 seconds; 0: none. */
  drainMs?: number | undefined;
}

/** One server at one place on the web, whatever brings its requests. */
export interface Endpoint {
  /** Takes a request and answers it, now or later. Never throws. */
  handle(exchange: Exchange): void;
  /** Takes no new work, lets what is in flight finish, then ends every session and stream. */
  close(options?: CloseOptions): Promise<void>;
}

type Where = 'endpoint' | 'sse' | 'messages';

const full = 'All sessions are busy, and there may be no more';
const tooMany = 'Too many requests are open';
const noSession = 'Session not found';
const nobody: Outlet = { send() {}, answer() {} };

/** `options` override `defaultHttpLimits`, each by its name. */
export function createEndpoint(server: ServerPort, options: HttpOptions = {}): Endpoint {
  const limits = { ...defaultHttpLimits };
  for (const name of Object.keys(limits) as (keyof HttpLimits)[]) {
    limits[name] = options[name] ?? limits[name];
  }
  const { trace, auth: authenticate, onError = () => {}, path = '/mcp', eventStore } = options;
  const store = eventStore === false ? undefined
    : eventStore ?? memoryEventStore(limits.maxReplayPerStream, limits.maxReplay);
  const host: Host = {
    server, limits, store, onError,
    passed: (direction, text) => trace?.({ direction, text, at: Date.now() }),
  };
  const { revisions } = server;
  const legacy = revisions.some(({ era }) => era === 'legacy');
  const modern = revisions.some(({ era }) => era === 'modern');
  const beside = path.slice(0, path.lastIndexOf('/') + 1);
  const pair = options.sse ?? (revisions.some(({ streamableHttp }) => !streamableHttp)
    && { path: `${beside}sse`, messages: `${beside}messages` });
  const notAllowed = createGuard(options);
  const sessions = createSessions(host);
  const open = new Set<ModernPost>();
  let closing = false;

  /** Refuses over HTTP, with a JSON-RPC error that says why. */
  function refuse(
    exchange: Exchange, status: number, message: string, id: RequestId | null = null, fields?: HeaderFields,
    code: number = status < 429 ? errorCodes.invalidRequest : errorCodes.internalError, data?: unknown,
  ): void {
    const text = failureText(id, { code, message, data });
    host.passed('sent', text);
    // What is too much now may be served later.
    exchange.respond(status, text, status === 429 || status === 503 ? { 'retry-after': 1 } : fields);
  }

  function report(thrown: unknown): void {
    onError(toError(thrown));
  }

  function handle(exchange: Exchange): void {
    const what = notAllowed(exchange);
    if (what !== undefined) return refuse(exchange, 403, `Forbidden: the ${what} is not allowed`);
    if (options.cors) exchange.common = corsFields(exchange);
    const where: Where | undefined = exchange.path === path ? 'endpoint'
      : pair && exchange.path === pair.path ? 'sse'
        : pair && exchange.path === pair.messages ? 'messages' : undefined;
    if (where === undefined) {
      return refuse(exchange, 404, `Not found: ${exchange.path}; the endpoint is ${path}`);
    }
    // A preflight carries no credentials.
    if (options.cors && exchange.method === 'OPTIONS') exchange.respond(204, '');
    else if (authenticate) void admit(exchange, where);
    else route(exchange, where, undefined);
  }

  async function admit(exchange: Exchange, where: Where): Promise<void> {
    let auth: Auth | undefined;
    try {
      auth = await authenticate?.(exchange);
    } catch (thrown) {
      report(thrown);
      return refuse(exchange, 500, 'The credentials could not be checked');
    }
    if (auth) route(exchange, where, auth);
    else {
      refuse(exchange, 401, 'Unauthorized', null, {
        'www-authenticate': options.authenticate ?? 'Bearer',
      });
    }
  }

  function route(exchange: Exchange, where: Where, auth: Auth | undefined): void {
    const { method } = exchange;
    if (method === 'POST' && where !== 'sse') return post(exchange, where, auth);
    // 2026-07-28 basic/transports/streamable-http#earlier-streamable-http-revisions: it has POST alone.
    const allow = where === 'sse' ? 'GET'
      : where === 'messages' || !legacy || isModernVersion(exchange) ? 'POST' : 'GET, POST, DELETE';
    if (!allow.split(', ').includes(method)) {
      return refuse(exchange, 405, `Method not allowed: ${method}; there is ${allow}`, null, { allow });
    }
    const get = method === 'GET';
    if (closing && get) return refuseWork(exchange);
    if (where === 'sse') return pairUp(exchange, auth);
    const session = sessionOf(exchange, auth);
    if (session === undefined) return;
    if (get) return listen(exchange, session);
    sessions.end(session, 'the client ended the session');
    exchange.respond(204, '');
  }

  const refuseWork = (exchange: Exchange, id?: RequestId): void =>
    refuse(exchange, 503, 'The server is closing', id);

  const isModernVersion = (exchange: Exchange): boolean =>
    findRevision(revisions, exchange.header('mcp-protocol-version'))?.era === 'modern';

  /** The session that the headers name, in a version that is served; otherwise the request is refused. */
  function sessionOf(exchange: Exchange, auth: Auth | undefined, id?: RequestId): Session | undefined {
    const name = exchange.header('mcp-session-id');
    // 2025-11-25 basic/transports#session-management: 400 without an id,
    // 404 for one that is not known any more.
    if (name === undefined) return void refuse(exchange, 400, 'The Mcp-Session-Id header is missing', id);
    const session = sessions.find(name, auth, false);
    if (session === undefined) return void refuse(exchange, 404, noSession, id);
    // 2025-06-18 basic/transports#protocol-version-header. Where it is missing, the session knows.
    const version = exchange.header('mcp-protocol-version');
    if (version === undefined || findRevision(revisions, version)?.era === 'legacy') return session;
    return void unsupported(exchange, version, id);
  }

  function unsupported(exchange: Exchange, requested: unknown, id?: RequestId): void {
    const supported = revisions.map(({ version }) => version);
    // The code is the modern era's: a server without it must not look like one of it.
    refuse(
      exchange,
      400,
      `Unsupported protocol version ${JSON.stringify(requested)}; there is ${supported.join(', ')}`,
      id,
      undefined,
      modern ? errorCodes.unsupportedProtocolVersion : undefined,
      { supported, requested },
    );
  }

  function post(exchange: Exchange, where: Where, auth: Auth | undefined): void {
    if (!isJson(exchange.header('content-type'))) {
      return refuse(exchange, 415, 'Unsupported media type: Content-Type must be application/json');
    }
    const accepts = readAccept(exchange.header('accept'));
    if (accepts === undefined && where === 'endpoint') {
      return refuse(exchange, 406, 'Not acceptable: Accept must list application/json and text/event-stream');
    }
    exchange.read(limits.maxBodyBytes, (body) => {
      if (typeof body === 'object' && 'fault' in body) {
        return body.fault === 'too large'
          ? refuse(
            exchange, 413, `Content too large: the limit is ${limits.maxBodyBytes} bytes`, null,
            { connection: 'close' },
          )
          : refuse(exchange, 400, 'The body could not be read');
      }
      const decoded = read(body);
      if (trace) host.passed('received', textOf(body));
      if (decoded.kind === 'refusal') {
        const { id, error } = decoded;
        // A malformed answer still ends the question that it was to answer.
        const paired = where === 'messages';
        const name = paired ? pairId(exchange.query) : exchange.header('mcp-session-id');
        if (decoded.answer && name) sessions.find(name, auth, paired)?.peer.receive(decoded, nobody);
        return refuse(exchange, 400, error.message, id, undefined, error.code);
      }
      if (closing && (decoded.kind === 'request' || decoded.kind === 'batch')) {
        return refuseWork(exchange, decoded.kind === 'request' ? decoded.message.id : undefined);
      }
      if (where === 'messages') postPaired(exchange, auth, decoded);
      else postMessage(exchange, auth, decoded, accepts as Accepted);
    });
  }

  function postMessage(
    exchange: Exchange,
    auth: Auth | undefined,
    decoded: Decoded,
    accepts: Accepted,
  ): void {
    const request = decoded.kind === 'request' ? decoded.message : undefined;
    const id = request?.id;
    const opening = request?.method === 'initialize';
    if (modern && ((request && isModern(request)) || (!opening && isModernVersion(exchange)))) {
      if (request) {
        return open.size < limits.maxOpenRequests
          ? new ModernPost(host, exchange, accepts, open).run(request, auth)
          : refuse(exchange, 503, tooMany, id);
      }
      if (decoded.kind === 'notification') return exchange.respond(202, '');
      return refuse(exchange, 400, 'Invalid request: this revision takes one request or notification');
    }
    if (opening && !legacy) return unsupported(exchange, request.params?.['protocolVersion'], id);
    if (opening && exchange.header('mcp-session-id') === undefined) {
      const session = sessions.open(auth, false);
      if (session === undefined) return refuse(exchange, 503, full, id);
      const discard = (): void => sessions.end(session, 'the handshake failed');
      return receive(session, new Post(host, session, exchange, accepts, undefined, discard), decoded);
    }
    const session = sessionOf(exchange, auth, id);
    if (session === undefined) return;
    const { peer } = session;
    // 2025-03-26 basic/transports: a batch without a request is accepted, like a message that is none.
    const asks = request || (decoded.kind === 'batch'
      && !(peer.revision?.batching
        && decoded.values.length <= defaultConnectionLimits.maxBatch && decoded.values.every(isNoQuestion)));
    if (!asks) {
      exchange.respond(202, '');
      peer.receive(decoded);
    } else if (peer.inFlight < limits.maxStreamsPerSession) {
      receive(session, new Post(host, session, exchange, accepts, id), decoded);
    } else {
      refuse(exchange, 429, tooMany, id);
    }
  }

  function receive({ peer }: Session, answer: Post, decoded: Decoded): void {
    peer.receive(decoded, answer);
    if (!answer.answered) answer.wait();
  }

  /** GET: a new stream for what belongs to no request, or one that carries on where it was cut. */
  function listen(exchange: Exchange, session: Session): void {
    if (!readAccept(exchange.header('accept'))?.sse) {
      return refuse(exchange, 406, 'Not acceptable: Accept must list text/event-stream');
    }
    const last = exchange.header('last-event-id');
    if (last !== undefined && store) {
      resume(exchange, session, last).catch((thrown) => {
        report(thrown);
        exchange.destroy();
      });
    } else {
      const stream = session.newStream();
      session.listen(stream);
      stream.attach(exchange);
    }
  }

  async function resume(exchange: Exchange, session: Session, last: string): Promise<void> {
    const [, name = '', digits] = /^([a-z\d]+)-(\d{1,15})$/.exec(last) ?? [];
    const seq = Number(digits);
    const stream = session.streams?.get(name);
    let missed: readonly string[] | undefined;
    let end: number | undefined;
    do {
      // Messages may come while the store answers: what it knew is complete only where none did.
      end = stream?.seq;
      missed = end === seq ? [] : await store?.after(session.id, name, seq);
    } while (stream?.seq !== end);
    if (session.ended) return refuse(exchange, 404, noSession);
    if (missed === undefined) {
      return refuse(exchange, 400, `The stream cannot be resumed after event ${JSON.stringify(last)}`);
    }
    const live = session.streams?.get(name);
    const carrier = live ?? session.endedStream(name);
    carrier.attach(exchange, undefined, seq, missed);
    if (live === undefined) carrier.finish();
  }

  function pairUp(exchange: Exchange, auth: Auth | undefined): void {
    const session = sessions.open(auth, true);
    if (session === undefined) return refuse(exchange, 503, full);
    openPair(exchange, session, pair ? pair.messages : '', () =>
      sessions.end(session, 'the client has left'));
  }

  function postPaired(exchange: Exchange, auth: Auth | undefined, decoded: Decoded): void {
    const session = sessions.find(pairId(exchange.query), auth, true);
    if (session === undefined) return refuse(exchange, 404, noSession);
    // Answers and cancellations are what makes room again.
    if (decoded.kind === 'request' && session.peer.inFlight >= limits.maxStreamsPerSession) {
      return refuse(exchange, 429, tooMany, decoded.message.id);
    }
    // Whatever comes of it goes over the stream.
    exchange.respond(202, '');
    session.peer.receive(decoded);
  }

  async function close({ drainMs = 5000 }: CloseOptions = {}): Promise<void> {
    closing = true;
    server.endSubscriptions();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
    });
    const busy = [...sessions.all().map(({ peer }) => peer), ...open];
    await Promise.race([late, Promise.all(busy.map((one) => one.idle()))]);
    clearTimeout(timer);
    for (const request of open) request.cancel('the server is closing');
    for (const session of sessions.all()) sessions.end(session, 'the server is closing');
  }

  return { handle, close };
}

/** Whether an item of a batch gets no answer. */
function isNoQuestion(value: unknown): boolean {
  const { kind } = classify(value);
  return kind !== 'request' && kind !== 'refusal';
}

type Whole = Exclude<Body, { fault: string }>;

function read(body: Whole): Decoded {
  if (typeof body === 'string' || body instanceof Uint8Array) return decode(body);
  return decodeValue(body.value);
}

function textOf(body: Whole): string {
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) return JSON.stringify(body.value);
  try {
    return decodeUtf8(body);
  } catch {
    return '(not UTF-8)';
  }
}
