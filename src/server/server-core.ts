import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import type { ConnectionLimits, TakeBatch } from '../jsonrpc/connection.ts';
import { Inbound } from '../jsonrpc/inbound.ts';
import type { Request } from '../jsonrpc/message.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import * as columns from '../protocol/columns.ts';
import type { Implementation } from '../protocol/initialize.ts';
import { checkInfo } from '../protocol/meta.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import type { Observe } from '../protocol/observe.ts';
import type { Pinging } from '../protocol/pinging.ts';
import { selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/auth.ts';
import type { OpenQuestions, PeerOptions, ServerPeer, ServerPort } from '../transport/server-port.ts';
import type { Caching } from './caching.ts';
import type { Changes } from './changes.ts';
import { ConnectedClient } from './connected-client.ts';
import type { PlainContext } from './context.ts';
import { plainExchanges } from './exchange.ts';
import type { Exchanges } from './exchange.ts';
import { Failures } from './failure.ts';
import type { OnError } from './failure.ts';
import type { Feature } from './feature.ts';
import type { Guards } from './guards.ts';
import { makeServer } from './server.ts';
import type { Server } from './server.ts';
import type { Pages } from './pages.ts';

/** What a server bounds, beside what each of its connections bounds. */
export interface ServerLimits extends ConnectionLimits {
  /**
   * Milliseconds that a question to a legacy client may take, and that it may wait for
   * `notifications/initialized` before. 5 minutes; 0: no limit.
   */
  questionTimeoutMs: number;
  /**
   * Resources that one legacy client may watch,
   * and `subscriptions/listen` requests that the server keeps open. 10,000.
   */
  maxSubscriptions: number;
}

/** The limits of a server that sets none. */
export const defaultServerLimits: ServerLimits = {
  ...defaultConnectionLimits,
  questionTimeoutMs: 300_000,
  maxSubscriptions: 10_000,
};

/** What `ServerCore` may be given; `McpServer` takes all of it too. */
export interface CoreOptions<C extends PlainContext = PlainContext> {
  /** What the server has: `tools()`, `resources()`, `prompts()`, `completion(…)`. Each belongs to this server only. */
  readonly features?: readonly Feature<NoInfer<C>>[];
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /** The revisions to serve, such as `['2025-11-25', '2026-07-28']`. All five. */
  readonly revisions?: readonly string[];
  /** `pages(size)`: lists come in pages. Without it each list is one page. */
  readonly pages?: Pages;
  /** `caching(hints)`: clients of 2026-07-28 may keep results. Without it they keep none. */
  readonly caching?: Caching;
  /** Lets handlers ask the client: `asking()`. Without it their context has no questions. */
  readonly asking?: Exchanges<C>;
  /** `batches`: takes the batches of 2025-03-26. That revision is served only with it. */
  readonly batches?: TakeBatch;
  /** `changes()`: tells clients of changes. Without it lists are taken never to change. */
  readonly changes?: Changes;
  /** `pinging()`: ends the connection of a legacy client over a pipe that has gone silent. */
  readonly pinging?: Pinging;
  /** `guards()`: scopes, list filters and functions around handlers. Without it a handler with `scopes` cannot be called. */
  readonly guards?: Guards<NoInfer<C>>;
  /** What time it is, for all that serves this server too: its transports and sessions. Default: the runtime's clock. */
  readonly clock?: Clock;
  /** See `defaultServerLimits`. */
  readonly limits?: Partial<ServerLimits>;
  /**
   * Hears of every failure of a handler, with its stack, and of what went wrong without a request. Without it
   * failures of handlers are written to stderr.
   */
  readonly onError?: OnError;
  /**
   * What a caller reads of an exception that is no `ToolError`: `id`, the number under which `onError` was
   * told of it, or, for development, also its `message`. `id`.
   */
  readonly errors?: 'id' | 'message';
  /** Stands around each request, for traces, metrics and logs. */
  readonly observe?: Observe;
}

/** The options that `ServerCore` and `McpServer` take alike. */
export const commonShape: Pick<Shape<CoreOptions>, 'instructions' | 'revisions' | 'pinging' | 'limits' | 'clock' | 'onError' | 'errors' | 'observe'> = {
  instructions: 'string', revisions: 'list', pinging: 'object', limits: defaultServerLimits, clock: 'object', onError: 'function',
  errors: '"id" or "message"', observe: 'function',
};

/**
 * The core of a server: how one request is answered, whatever features it has. Shared by all clients and
 * requests; transports reach it through `ServerPort`. `McpServer` is this with every feature;
 * `new ServerCore(info, { features: [tools()] })` is a server that carries tools and nothing else.
 */
export class ServerCore<C extends PlainContext = PlainContext> implements ServerPort {
  /** What clients are told of the server's name and version. */
  readonly info: Implementation;
  /** The revisions that are served, newest first. */
  readonly revisions: readonly Revision[];
  /** What time it is, for what serves it. */
  readonly clock: Clock;
  /** For what builds on the server from within this package. Not for users: its form may change at any time. */
  readonly inside: Server;

  /**
   * Throws a TypeError for an unknown or malformed option, a RangeError for a revision that does not exist or cannot be
   * served, and an Error for a feature that belongs to another server.
   */
  constructor(info: Implementation, options: CoreOptions<C> = {}) {
    checkInfo('ServerCore: info', info);
    checkOptions('ServerCore: options', options, {
      ...commonShape, features: 'list', pages: 'function', caching: 'object', asking: 'object', batches: 'function', changes: 'object', guards: 'object',
    });
    this.info = info;
    const { features = [], batches, clock = systemClock } = options;
    this.clock = clock;
    const chosen = selectRevisions(options.revisions);
    const revisions = this.revisions = batches ? chosen : chosen.filter((revision) => !columns.batching(revision));
    if (options.revisions && revisions.length < chosen.length) {
      throw new RangeError('2025-03-26 needs `batches`');
    }
    this.inside = makeServer<C>({
      ...options, info, features, revisions, clock,
      exchanges: options.asking ?? plainExchanges,
      failures: new Failures(options.onError, options.errors),
      limits: { ...defaultServerLimits, ...options.limits },
    });
  }

  /** For transports: opens a client that speaks over one lasting channel. */
  connect(outlet: Outlet, options: PeerOptions = {}): ServerPeer {
    return new ConnectedClient(this.inside, outlet, options);
  }

  /** For HTTP: answers one modern request, which belongs to no session: see `ServerPort`. */
  answer(request: Request, meta: RequestMeta, outlet: Outlet, auth: Auth | undefined): Inbound {
    const inbound = new Inbound(request, outlet);
    inbound.run(() => this.inside.answerModern(inbound, meta, auth));
    return inbound;
  }

  /** For HTTP: whether something of the server has `scopes`, or ever had. */
  get scoped(): boolean {
    return this.inside.scoped;
  }

  /** For HTTP: the input schema of a tool; undefined where the server has no such tool. */
  toolInput(name: string): Readonly<Record<string, unknown>> | undefined {
    return this.inside.toolInput?.(name);
  }

  /** For HTTP: questions to clients whose answers only this process can take. */
  get questions(): OpenQuestions | undefined {
    return this.inside.exchanges.questions;
  }

  /** For transports: ends every open `subscriptions/listen` with a cancellation and its result, as at shutdown. */
  endSubscriptions(): void {
    this.inside.changes?.end();
  }
}
