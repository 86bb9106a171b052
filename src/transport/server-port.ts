import type { Clock } from '../bounds/clock.ts';
import type { Budget } from '../bounds/budget.ts';
import type { InboundRequest, Outlet } from '../jsonrpc/inbound-request.ts';
import type { Decoded, Request, RequestId, UncheckedResponse } from '../jsonrpc/message.ts';
import type { ClientCapabilities, Implementation, LifecycleState } from '../protocol/lifecycle.ts';
import type { Meta, RequestMeta } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from './auth.ts';

/**
 * A server, as transports see it. They depend on this interface and not on the server, so that either can be
 * replaced. `ServerCore` implements it.
 */
export interface ServerPort {
  /** The revisions that the server supports, newest first. */
  readonly revisions: readonly Revision[];
  /** The clock of the server, for its transports as well. */
  readonly clock: Clock;
  /** Connects a client over one lasting channel: the pipes of a process, or an HTTP session. */
  connect(outlet: Outlet, options?: PeerOptions): ServedClient;
  /**
   * Answers one modern request, which has no session. `meta` is the result of `readRequestMeta`. The answer goes to
   * `outlet`; `cancel()` on the returned request stops it.
   */
  serveRequest(request: Request, meta: RequestMeta, outlet: Outlet, auth: Auth | undefined): InboundRequest;
  /** Whether a tool, resource or prompt has `scopes`: then the server must not be served without authentication. */
  readonly scoped: boolean;
  /**
   * The input schema of a tool; its `x-mcp-header` annotations name the mirrored arguments. Undefined: there is no such tool for the
   * sender of the request, whose `_meta` is `meta`.
   */
  toolInput(
    name: string, sender: RequestMeta, auth: Auth | undefined, meta: Meta | undefined,
  ): Readonly<Record<string, unknown>> | undefined;
  /** Open questions to clients whose answers only this process can take; undefined: the server asks none. */
  readonly questions?: OpenQuestions | undefined;
  /** Ends every open `subscriptions/listen` with a cancellation and its result, as at shutdown. */
  endSubscriptions(): void;
}

/** Open questions to clients whose answers only this process can take. */
export interface OpenQuestions {
  /** Whether the server has asked any. */
  readonly asked: boolean;
  /** How many clients hold `requestState` sealed with the key of only this process. */
  readonly open: number;
  /** Resolves when the next of these comes back. */
  answered(): Promise<void>;
}

/** How a client is served. */
export interface PeerOptions {
  /**
   * The authenticated client. Read it for each request: over HTTP, a later request may replace it by newer
   * credentials of the same principal.
   */
  auth?: Auth | undefined;
  /** Limits the memory that the peer can make us hold. Default: a separate budget of 96 MiB. */
  readonly budget?: Budget | undefined;
  /** Whether this channel takes modern requests too: true for pipes, false for an HTTP session. */
  readonly modern?: boolean | undefined;
  /** Whether only this client can reach the server: true for the process's own stdin, and in memory. */
  readonly sole?: boolean | undefined;
  /** Closes the stream that will carry the answer, so that the client polls for it (2025-11-25, HTTP). Handlers may call it. */
  readonly closeStream?: ((id: RequestId) => void) | undefined;
  /** Called when the server has ended the session of a silent client: the channel may be closed. */
  readonly onSilent?: ((why: string) => void) | undefined;
  /** Set if other processes serve the same session. */
  readonly shared?: SharedPeer | undefined;
}

/** The result of an `initialize` handshake. */
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
    /** Notifications of changes. `expect` sends them to the client from now on. */
    readonly changes?: { expect(handshake: SharedHandshake): void } | undefined;
  };
  /** Sets the agreed revision, client and capabilities. */
  agree(revision: Revision, agreed: Agreed): void;
  /** The handshake is complete. */
  move(event: 'opened'): void;
  /** Sends a notification that belongs to no request, as JSON text. */
  announce(text: string): void;
}

/** A session that several processes serve. */
export interface SharedPeer {
  /** Restores the handshake that another process has made with the client, if there is one. */
  begin(handshake: SharedHandshake): void;
  /** Stores the agreement, and returns the result of `initialize`. Throws if the session cannot be shared. */
  agree(agreed: Agreed, result: object): object;
  /** Throws for a request that needs state which a shared session does not keep. Undefined: every method is served. */
  readonly admit?: ((method: string) => void) | undefined;
}

/** One client of a server, over one lasting channel. */
export interface ServedClient {
  /** Takes a message. Its answer goes to `outlet`; default: to the channel. */
  receive(decoded: Decoded | UncheckedResponse, outlet?: Outlet): void;
  /** The client is gone: requests in flight are aborted, and questions to the client fail. */
  close(why?: string): void;
  /** Reports an error or a warning to the server's author, if there is no request to answer with it. */
  error?(error: Error): void;
  /** Resolves when no request of the client is in flight. */
  idle(): Promise<void>;
  /** How many requests of the client are not answered yet. */
  readonly inFlight: number;
  /** The legacy revision agreed in the handshake; undefined before it. */
  readonly revision: Revision | undefined;
}
