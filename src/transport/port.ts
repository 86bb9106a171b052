import type { Budget } from '../jsonrpc/budget.ts';
import { invalidRequest } from '../jsonrpc/error-codes.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import type { Decoded, Request, RequestId, UnjudgedAnswer } from '../jsonrpc/message.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LifecycleState } from '../protocol/lifecycle.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';

/**
 * Who is on the other side, as the HTTP layer has authenticated it. Never taken from the wire as it stands.
 */
export interface Auth {
  /** Names the user, unique within the server: sessions and sealed state are bound to it. */
  readonly principal: string;
  /**
   * When the credentials expire, in milliseconds since the epoch. GET streams and subscriptions that they
   * opened end then.
   */
  readonly expiresAt?: number | undefined;
  /** Why these credentials do not reach the given scopes; undefined where they do. */
  readonly lacks?: ((scopes: readonly string[]) => AuthRefusal | undefined) | undefined;
  /** Whatever else the operator's own check found out (scopes, claims); handlers see it as `ctx.auth`. */
  readonly [detail: string]: unknown;
}

/** Why a request's credentials are refused, as HTTP says it. RFC 9110, 15.5; RFC 6750, 3. */
export interface AuthRefusal {
  /** 400: the credentials are malformed; 401: missing or not valid; 403: they do not suffice. */
  readonly status: 400 | 401 | 403;
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string;
  /** For a person; the message of the JSON-RPC error that is the body. */
  readonly message: string;
  /** Why, for programs: stable, such as `token_expired`. It goes out as `data.code` of the JSON-RPC error. */
  readonly code?: string | undefined;
  /** More header fields, by lower-case name, such as `dpop-nonce`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Thrown while a request is served: its credentials do not suffice. HTTP answers with the refusal's status and
 * challenge; where a stream has begun, and on a pipe, only the error itself goes out.
 */
export class AccessDenied extends RpcError {
  readonly refusal: AuthRefusal;

  constructor(refusal: AuthRefusal) {
    super(invalidRequest, refusal.message, refusalData(refusal));
    this.name = 'AccessDenied';
    this.refusal = refusal;
  }
}

/** `data` of the error that a refusal is. */
export const refusalData = ({ code }: AuthRefusal): { code: string } | undefined =>
  code === undefined ? undefined : { code };

/** One message as it passed, for `trace`. `at` is milliseconds since the epoch. */
export interface TraceEntry {
  readonly kind?: 'message' | undefined;
  readonly direction: 'received' | 'sent';
  readonly text: string;
  readonly at: number;
  /** Over HTTP: the number of the `HttpTraceEntry` of the request or response that carried it. */
  readonly exchange?: number | undefined;
  /** Over HTTP: the fields of the event that carried it, where a stream did. */
  readonly event?: TracedEvent | undefined;
}

/** The fields of a server-sent event beside its data. */
export interface TracedEvent {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  /** Milliseconds. */
  readonly retry?: number | undefined;
}

/** The head of an HTTP request or of its response. */
export interface HttpTraceEntry {
  readonly kind: 'http';
  readonly direction: 'received' | 'sent';
  /** The same for a request, its response and what they carry; counts the requests of one transport from 1. */
  readonly exchange: number;
  readonly method: string;
  /** Without the query, and without what looks like a key in it. */
  readonly path: string;
  /** Of a response. */
  readonly status?: number | undefined;
  /** By lower-case name. A value that is not known to be harmless is `[redacted]`; that of a session id is so with a digest. */
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
}

/** An event of a stream that carries no message: the one that primes a reconnection, or `endpoint`. */
export interface EventTraceEntry {
  readonly kind: 'event';
  readonly direction: 'received' | 'sent';
  readonly exchange: number;
  readonly event: TracedEvent;
  readonly data: string;
  readonly at: number;
}

/** Sees all that passes over an HTTP transport. */
export type HttpTrace = (entry: TraceEntry | HttpTraceEntry | EventTraceEntry) => void;

/** Sees each message that passes over a transport. */
export type Trace = (entry: TraceEntry) => void;

/**
 * What a transport needs of a server. Transports know this and not the server itself, so that either can be
 * replaced. `ServerCore` implements it.
 */
export interface ServerPort {
  /** The revisions that are served, newest first. */
  readonly revisions: readonly Revision[];
  /** Opens a peer that speaks over one lasting channel: a process's pipes, or an HTTP session. */
  connect(outlet: Outlet, options?: PeerOptions): ServerPeer;
  /**
   * Answers one modern request that stands alone. `meta` is what `readRequestMeta` made of it. The answer goes to
   * `outlet`; `cancel()` on the returned request stops it.
   */
  answer(request: Request, meta: RequestMeta, outlet: Outlet, auth: Auth | undefined): Inbound;
  /** Whether something of it has `scopes`: such a server is not served to anybody who comes. */
  readonly scoped: boolean;
  /** The input schema of a tool: headers mirror what it marks with `x-mcp-header`. Undefined: no such tool. */
  toolInput(name: string): Readonly<Record<string, unknown>> | undefined;
  /** Questions to clients whose answers only this process can take; undefined: the server asks none. */
  readonly questions?: OpenQuestions | undefined;
  /** Ends every open `subscriptions/listen` with a cancellation and its result, as at shutdown. */
  endSubscriptions(): void;
}

/** Questions to clients whose answers only this process can take. */
export interface OpenQuestions {
  /** Whether there was one. */
  readonly asked: boolean;
  /** How many sealed states of this process's own key are with clients. */
  readonly open: number;
  /** Resolves when the next of them has come back. */
  answered(): Promise<void>;
}

/** How a peer is served. */
export interface PeerOptions {
  /**
   * Who is on the other side. Read it when a request arrives: over HTTP a later request may bring newer
   * credentials of the same principal, which then stand here.
   */
  auth?: Auth | undefined;
  /** What the peer may make us hold. Without it the peer has one of its own (96 MiB). */
  readonly budget?: Budget | undefined;
  /** Whether modern requests are served on this channel too: true for pipes, false for an HTTP session. */
  readonly modern?: boolean | undefined;
  /**
   * Lets a handler close the stream that will carry its answer, so that the client polls (2025-11-25, HTTP).
   */
  readonly closeStream?: ((id: RequestId) => void) | undefined;
  /** The client has gone silent, and the server has ended its session: the channel may be closed. */
  readonly lost?: ((why: string) => void) | undefined;
  /** Given where other processes serve the same session. */
  readonly shared?: SharedPeer | undefined;
}

/** What `initialize` has agreed on. */
export interface Agreed {
  readonly version: string;
  readonly client: Implementation;
  readonly capabilities: ClientCapabilities;
}

/** The handshake of a session that several processes serve. */
export interface SharedHandshake {
  readonly connection: { newId?: (() => RequestId) | undefined };
  readonly revision: Revision | undefined;
  readonly state: LifecycleState;
  readonly server: {
    readonly revisions: readonly Revision[];
    /** From now on the client is told of changes. */
    readonly changes?: { expect(handshake: SharedHandshake): void } | undefined;
  };
  /** Takes over what was agreed on. */
  agree(revision: Revision, agreed: Agreed): void;
  /** The handshake is over. */
  move(event: 'opened'): void;
  /** Sends a notification that belongs to no request, as text. */
  announce(text: string): void;
}

/** A session that several processes serve. */
export interface SharedPeer {
  /** Takes over what another process has agreed on with the client, where one has. */
  begin(handshake: SharedHandshake): void;
  /** Takes what the handshake agrees on, and gives its result. Throws where such a session cannot be shared. */
  agree(agreed: Agreed, result: object): object;
  /** Throws for a request that needs what such a session does not keep. Undefined: it keeps everything. */
  readonly admit?: ((method: string) => void) | undefined;
}

/** One client of a server, over one lasting channel. */
export interface ServerPeer {
  /** Takes a message. `outlet` is where its answer goes, when that is not the channel itself. */
  receive(decoded: Decoded | UnjudgedAnswer, outlet?: Outlet): void;
  /** The client is gone: what is in flight is aborted, questions to the client fail. */
  close(why?: string): void;
  /** Tells the author what went wrong, or will, and has no request to answer. */
  error?(error: Error): void;
  /** Resolves once nothing of the client's is in flight. */
  idle(): Promise<void>;
  /** The client's requests that are not answered yet. */
  readonly inFlight: number;
  /** The legacy revision that the handshake agreed on; undefined before it. */
  readonly revision: Revision | undefined;
}

/** What a client needs of a transport. */
export interface ClientTransport {
  /** HTTP differs: headers mirror the body, cancelling closes a stream, a 4xx tells the server's era. */
  readonly kind: 'pipe' | 'http';
  /** Opens the channel. Rejects where it cannot be had (no such program, no such host). */
  open(receiver: ClientReceiver): Promise<void>;
  /** Sends one message. A message that cannot be delivered is told through `receiver.failed`. */
  send(text: string, message?: Outgoing): void;
  /** The caller no longer waits for the answer to this request: its stream may be closed. */
  abandon?(id: RequestId): void;
  /**
   * What the handshake or the discovery found:
   * the HTTP transport sends it as a header and opens its GET stream.
   */
  agreed?(revision: Revision): void;
  /**
   * Starts afresh after the far side has gone: a program is spawned again, an HTTP session is forgotten.
   * Resolves when messages can be sent again.
   */
  reopen?(): Promise<void>;
  /**
   * Names the authorization that a request would have now, so that what was kept for one is not given to another.
   * Undefined: it does not change.
   */
  readonly context?: (() => string | Promise<string>) | undefined;
  /** Over HTTP since 2026-07-28 headers mirror arguments of tools: makes what finds them. `warn` hears of tools left out. */
  readonly toolHeaders?: ((warn: (error: Error) => void) => ToolHeaders) | undefined;
  /** Ends the channel in an orderly way. Never rejects. */
  close(): Promise<void>;
}

/** The headers that mirror arguments of tools, for one connection. */
export interface ToolHeaders {
  /** Learns from one page of a list, and returns it without the tools whose annotations are not valid. */
  learn(tools: unknown[]): unknown[];
  /** The headers of a call; undefined where it has none. */
  of(params: Readonly<Record<string, unknown>>): Record<string, string> | undefined;
}

/** What is sent, for a transport that looks inside. `headers` go with it over HTTP (`Mcp-Param-…`). */
export interface Outgoing {
  readonly id?: RequestId | undefined;
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a transport tells a client. */
export interface ClientReceiver {
  /** One message of the server, decoded. */
  message(decoded: Decoded): void;
  /**
   * The request could not be delivered, or its answer can no longer come. Its error is a `ConnectionError`,
   * or an `HttpError` (`status`), or a `SessionExpired` when the server has forgotten the session (HTTP 404).
   */
  failed(id: RequestId, error: Error): void;
  /** The channel is gone: nothing more will come. `why` says it for a person. */
  closed(why: string, cause?: unknown): void;
  /** Something went wrong that no request waits for. */
  error(error: Error): void;
  /** A message is held on its way, or none any more: meanwhile the clocks of requests stand still. */
  held?(on: boolean): void;
}

/** An HTTP answer that is neither a message nor a stream. */
export class HttpError extends Error {
  readonly status: number;
  /** The start of the body, for a person. */
  readonly body: string;
  /** The value of a header field of the answer, by its name in lower case; undefined where it has none. */
  readonly header: (name: string) => string | undefined;

  constructor(
    status: number, body: string, message: string = `HTTP ${status}`,
    header: (name: string) => string | undefined = () => undefined,
  ) {
    super(body === '' ? message : `${message}: ${body.slice(0, 200)}`);
    this.name = 'HttpError';
    this.status = status;
    this.body = body;
    this.header = header;
  }
}

/** The server does not know the session any more. 2025-11-25 basic/transports#session-management. */
export class SessionExpired extends HttpError {
  constructor(body: string) {
    super(404, body, 'the session has expired');
    this.name = 'SessionExpired';
  }
}
