import type { Clock } from '../bounds/clock.ts';
import type { Budget } from '../bounds/budget.ts';
import type { InboundRequest, Outlet } from '../jsonrpc/inbound-request.ts';
import type { Decoded, Request, RequestId, UncheckedResponse } from '../jsonrpc/message.ts';
import type { ClientCapabilities, Implementation, LifecycleState } from '../protocol/lifecycle.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from './auth.ts';

/**
 * What a transport needs of a server. Transports know this and not the server itself, so that either can be
 * replaced. `ServerCore` implements it.
 */
export interface ServerPort {
  /** The revisions that are served, newest first. */
  readonly revisions: readonly Revision[];
  /** What time it is, for what serves it. */
  readonly clock: Clock;
  /** Opens a peer that speaks over one lasting channel: a process's pipes, or an HTTP session. */
  connect(outlet: Outlet, options?: PeerOptions): ServedClient;
  /**
   * Answers one modern request, which belongs to no session. `meta` is what `readRequestMeta` made of it. The answer goes to
   * `outlet`; `cancel()` on the returned request stops it.
   */
  serveRequest(request: Request, meta: RequestMeta, outlet: Outlet, auth: Auth | undefined): InboundRequest;
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
  /** Whether this client is the only one that can reach the server: true for the process's own stdin, and in memory. */
  readonly sole?: boolean | undefined;
  /**
   * Lets a handler close the stream that will carry its answer, so that the client polls (2025-11-25, HTTP).
   */
  readonly closeStream?: ((id: RequestId) => void) | undefined;
  /** The client has gone silent, and the server has ended its session: the channel may be closed. */
  readonly onSilent?: ((why: string) => void) | undefined;
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
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
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
export interface ServedClient {
  /** Takes a message. `outlet` is where its answer goes, when that is not the channel itself. */
  receive(decoded: Decoded | UncheckedResponse, outlet?: Outlet): void;
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
