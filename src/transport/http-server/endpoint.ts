import { classify, decode, decodeUtf8 } from '../../jsonrpc/codec.ts';
import * as errorCodes from '../../jsonrpc/error-codes.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Decoded, RequestId } from '../../jsonrpc/message.ts';
import { failureText } from '../../jsonrpc/outlet.ts';
import { isModern } from '../../protocol/meta.ts';
import { findRevision } from '../../protocol/revisions.ts';
import type { Auth, ServerPort } from '../port.ts';
import { memoryEventStore } from './event-store.ts';
import type { Body, Exchange, HeaderFields } from './exchange.ts';
import { corsFields, createGuard, isJson, readAccept } from './guard.ts';
import type { Accepted } from './guard.ts';
import { openPair, pairId, receivePaired } from './legacy-sse.ts';
import { ModernPost } from './modern.ts';
import { defaultHttpLimits } from './options.ts';
import type { Host, HttpLimits, HttpOptions } from './options.ts';
import { Post } from './session.ts';
import type { Session } from './session.ts';
import { createSessions } from './sessions.ts';
import { replayEnded, SseStream } from './streams.ts';

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

/** `options` override `defaultHttpLimits`, each by its name. */
export function createEndpoint(server: ServerPort, options: HttpOptions = {}): Endpoint {
  const limits = { ...defaultHttpLimits };
  for (const name of Object.keys(limits) as (keyof HttpLimits)[]) limits[name] = options[name] ?? limits[name];
  const { trace, auth: authenticate, onError = () => {}, path = '/mcp' } = options;
  const store = options.eventStore === false ? undefined
    : options.eventStore ?? memoryEventStore(limits.maxReplayPerStream, limits.maxReplay);
  const host: Host = { server, limits, store, trace, onError };
  const { revisions } = server;
  const legacy = revisions.some(({ era }) => era === 'legacy');
  const modern = revisions.some(({ era }) => era === 'modern');
  const beside = path.slice(0, path.lastIndexOf('/') + 1);
  const pair = options.sse ?? (revisions.some(({ streamableHttp }) => !streamableHttp)
    && { path: `${beside}sse`, messages: `${beside}messages` });
  const fault = createGuard(options);
  const sessions = createSessions(host);
  const open = new Set<ModernPost>();
  let closing = false;

  /** Refuses over HTTP, with a JSON-RPC error that says why. */
  function refuse(
    exchange: Exchange, status: number, why: string, fields?: HeaderFields,
    id: RequestId | null = null, code: number = errorCodes.invalidRequest, data?: unknown,
  ): void {
    const text = failureText(id, data === undefined ? { code, message: why } : { code, message: why, data });
    trace?.({ direction: 'sent', text, at: Date.now() });
    exchange.respond(status, text, fields);
  }

  function handle(exchange: Exchange): void {
    const why = fault(exchange);
    if (why !== undefined) return refuse(exchange, 403, `Forbidden: ${why}`);
    if (options.cors) exchange.common = corsFields(exchange);
    const where: Where | undefined = exchange.path === path ? 'endpoint'
      : pair && exchange.path === pair.path ? 'sse'
        : pair && exchange.path === pair.messages ? 'messages' : undefined;
    if (where === undefined) return refuse(exchange, 404, `Not found: ${exchange.path}; the endpoint is ${path}`);
    // A preflight carries no credentials.
    if (exchange.method === 'OPTIONS' && options.cors) {
      return exchange.respond(204, '');
    }
    if (authenticate === undefined) return route(exchange, where, undefined);
    let auth: ReturnType<typeof authenticate>;
    try {
      auth = authenticate(exchange);
    } catch (thrown) {
      return failed(exchange, thrown);
    }
    if (!(auth instanceof Promise)) return admit(exchange, where, auth);
    auth.then((found) => admit(exchange, where, found)).catch((thrown) => failed(exchange, thrown));
  }

  function failed(exchange: Exchange, thrown: unknown): void {
    onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    refuse(exchange, 500, 'The credentials could not be checked', undefined, null, errorCodes.internalError);
  }

  function admit(exchange: Exchange, where: Where, auth: Auth | undefined): void {
    if (auth) return route(exchange, where, auth);
    refuse(exchange, 401, 'Unauthorized', { 'www-authenticate': options.authenticate ?? 'Bearer' });
  }

  function route(exchange: Exchange, where: Where, auth: Auth | undefined): void {
    const { method } = exchange;
    if (method === 'POST' && where !== 'sse') return post(exchange, where, auth);
    if (method === 'GET' && where === 'sse') return pairUp(exchange, auth);
    // 2026-07-28 basic/transports/streamable-http#earlier-streamable-http-revisions: it has POST alone.
    const version = exchange.header('mcp-protocol-version');
    if (where !== 'endpoint' || !legacy || findRevision(revisions, version)?.era === 'modern'
      || (method !== 'GET' && method !== 'DELETE')) {
      const allow = where === 'sse' ? 'GET' : where === 'messages' || !legacy ? 'POST' : 'GET, POST, DELETE';
      return refuse(exchange, 405, `Method not allowed: ${method}; there is ${allow}`, { allow });
    }
    const session = sessionOf(exchange, auth);
    if (session === undefined || !versionFits(exchange, session)) return;
    if (method === 'GET') return listen(exchange, session);
    sessions.end(session, 'the client ended the session');
    exchange.respond(204, '');
  }

  /** The session that the headers name; otherwise the request is refused. */
  function sessionOf(exchange: Exchange, auth: Auth | undefined, id: RequestId | null = null): Session | undefined {
    const name = exchange.header('mcp-session-id');
    const session = name === undefined ? undefined : sessions.find(name, auth, false);
    // 2025-11-25 basic/transports#session-management: 400 without an id, 404 for one that is not known any more.
    if (name === undefined) refuse(exchange, 400, 'Bad request: the Mcp-Session-Id header is missing', undefined, id);
    else if (session === undefined) refuse(exchange, 404, 'Session not found', undefined, id);
    return session;
  }

  /** 2025-06-18 basic/transports#protocol-version-header. Where it is missing, the session knows. */
  function versionFits(exchange: Exchange, session: Session, id: RequestId | null = null): boolean {
    const version = exchange.header('mcp-protocol-version');
    if (version === undefined || version === session.peer.revision?.version) return true;
    if (findRevision(revisions, version)?.era === 'legacy') return true;
    unsupported(exchange, version, id);
    return false;
  }

  function unsupported(exchange: Exchange, requested: string, id: RequestId | null): void {
    const supported = revisions.map(({ version }) => version);
    const why = `Unsupported protocol version ${JSON.stringify(requested)}; there is ${supported.join(', ')}`;
    // The code is the modern era's: a server without it must not look like one of it.
    if (modern) refuse(exchange, 400, why, undefined, id, errorCodes.unsupportedProtocolVersion, { supported, requested });
    else refuse(exchange, 400, why, undefined, id);
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
      const decoded = read(exchange, body);
      if (decoded === undefined) return;
      if (where === 'messages') postPaired(exchange, auth, decoded);
      else postMessage(exchange, auth, decoded, accepts as Accepted);
    });
  }

  function read(exchange: Exchange, body: Body): Decoded | undefined {
    if (typeof body === 'object' && 'fault' in body) {
      if (body.fault === 'too large') {
        refuse(exchange, 413, `Content too large: the limit is ${limits.maxBodyBytes} bytes`, { connection: 'close' });
      } else {
        refuse(exchange, 400, 'Bad request: the body could not be read');
      }
      return undefined;
    }
    let decoded: Decoded;
    if (typeof body === 'string' || body instanceof Uint8Array) {
      decoded = decode(body);
    } else {
      decoded = Array.isArray(body.value) ? decode(JSON.stringify(body.value)) : classify(body.value);
    }
    if (trace) trace({ direction: 'received', text: textOf(body), at: Date.now() });
    if (decoded.kind !== 'refusal') return decoded;
    const { id, error } = decoded;
    refuse(exchange, 400, error.message, undefined, id, error.code);
    return undefined;
  }

  function postMessage(exchange: Exchange, auth: Auth | undefined, decoded: Decoded, accepts: Accepted): void {
    const version = exchange.header('mcp-protocol-version');
    const request = decoded.kind === 'request' ? decoded.message : undefined;
    const id = request?.id ?? null;
    if (closing && decoded.kind !== 'success' && decoded.kind !== 'failure' && decoded.kind !== 'notification') {
      return refuse(exchange, 503, 'The server is closing', { 'retry-after': 1 }, id, errorCodes.internalError);
    }
    const opening = request?.method === 'initialize';
    if (modern && request && isModern(request)) return new ModernPost(host, exchange, accepts, open).run(request, auth);
    if (modern && !opening && findRevision(revisions, version)?.era === 'modern') {
      if (request) return new ModernPost(host, exchange, accepts, open).run(request, auth);
      if (decoded.kind === 'notification') return exchange.respond(202, '');
      return refuse(exchange, 400, 'Invalid request: this revision takes one request or notification');
    }
    if (version !== undefined && !opening && findRevision(revisions, version) === undefined) {
      return unsupported(exchange, version, id);
    }
    if (opening && legacy && exchange.header('mcp-session-id') === undefined) {
      const session = sessions.open(auth, false);
      if (session === undefined) {
        return refuse(exchange, 503, 'Too many sessions, and all of them busy', { 'retry-after': 10 }, id, errorCodes.internalError);
      }
      const discard = (): void => sessions.end(session, 'the handshake failed');
      return receive(session, new Post(host, session, exchange, accepts, undefined, discard), decoded);
    }
    if (opening && !legacy) return unsupported(exchange, version ?? String(request.params?.['protocolVersion']), id);
    const session = sessionOf(exchange, auth, id);
    if (session === undefined || !versionFits(exchange, session, id)) return;
    const { peer } = session;
    const asks = request !== undefined || (decoded.kind === 'batch'
      && !(peer.revision?.batching && decoded.items.every(({ kind }) => kind !== 'request' && kind !== 'refusal')));
    if (!asks) {
      exchange.respond(202, '');
      return peer.receive(decoded);
    }
    if (peer.inFlight >= limits.maxStreamsPerSession) {
      return refuse(exchange, 429, `Too many requests of this session are open: the limit is ${limits.maxStreamsPerSession}`,
        { 'retry-after': 1 }, id, errorCodes.internalError);
    }
    receive(session, new Post(host, session, exchange, accepts, request?.id), decoded);
  }

  function receive(session: Session, answer: Post, decoded: Decoded): void {
    session.peer.receive(decoded, answer);
    if (!answer.answered) answer.wait();
  }

  /** GET: a new stream for what belongs to no request, or one that carries on where it was cut. */
  function listen(exchange: Exchange, session: Session): void {
    if (!readAccept(exchange.header('accept'))?.sse) {
      return refuse(exchange, 406, 'Not acceptable: Accept must list text/event-stream');
    }
    if (closing) return refuse(exchange, 503, 'The server is closing', { 'retry-after': 1 });
    const last = exchange.header('last-event-id');
    if (last !== undefined && store !== undefined) {
      resume(exchange, session, last).catch((thrown) => {
        onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
        exchange.destroy();
      });
      return;
    }
    const stream = session.newStream();
    session.listen(stream);
    stream.attach(exchange);
  }

  async function resume(exchange: Exchange, session: Session, last: string): Promise<void> {
    const dash = last.lastIndexOf('-');
    const name = last.slice(0, dash);
    const seq = /^\d{1,15}$/.test(last.slice(dash + 1)) ? Number(last.slice(dash + 1)) : -1;
    const stream = session.streams?.get(name);
    let missed: readonly string[] | undefined = stream?.seq === seq ? [] : undefined;
    // Messages may come while the store answers: only what is complete at this moment can be carried on.
    while (dash > 0 && seq >= 0 && (missed === undefined || (stream && missed.length < stream.seq - seq))) {
      const found = await store?.after(session.id, name, seq);
      if (found === undefined || found.length <= (missed?.length ?? -1)) break;
      missed = found;
    }
    if (session.ended) return refuse(exchange, 404, 'Session not found');
    if (missed === undefined) return refuse(exchange, 400, `The stream cannot be resumed after event ${JSON.stringify(last)}`);
    if (stream !== undefined && session.streams?.get(name) === stream) stream.attach(exchange, undefined, missed);
    else replayEnded(host, exchange, name, seq, missed);
  }

  function pairUp(exchange: Exchange, auth: Auth | undefined): void {
    const session = closing ? undefined : sessions.open(auth, true);
    if (session === undefined) {
      const why = closing ? 'The server is closing' : 'Too many sessions, and all of them busy';
      return refuse(exchange, 503, why, { 'retry-after': 10 });
    }
    openPair(exchange, session, pair ? pair.messages : '', () => sessions.end(session, 'the client has left'));
  }

  function postPaired(exchange: Exchange, auth: Auth | undefined, decoded: Decoded): void {
    const session = sessions.find(pairId(exchange.query), auth, true);
    if (session === undefined) return refuse(exchange, 404, 'Session not found');
    if (closing && decoded.kind === 'request') return refuse(exchange, 503, 'The server is closing', { 'retry-after': 1 });
    if (session.peer.inFlight >= limits.maxStreamsPerSession) return refuse(exchange, 429, 'Too many requests are open');
    receivePaired(exchange, session, decoded);
  }

  async function close({ drainMs = 5000 }: CloseOptions = {}): Promise<void> {
    closing = true;
    server.endSubscriptions();
    const idle = [...sessions.all()].map(({ peer }) => peer.idle());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
    });
    await Promise.race([late, Promise.all([...idle, ...[...open].map((request) => request.idle())])]);
    clearTimeout(timer);
    for (const request of [...open]) request.cancel('the server is closing');
    for (const session of sessions.all()) sessions.end(session, 'the server is closing');
  }

  return { handle, close };
}

function textOf(body: Exclude<Body, { fault: string }>): string {
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) return JSON.stringify(body.value);
  try {
    return decodeUtf8(body);
  } catch {
    return '(not UTF-8)';
  }
}
