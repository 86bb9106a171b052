import type { TakeBatch } from '../jsonrpc/connection.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import { checkTimes } from '../jsonrpc/times.ts';
import * as columns from '../protocol/columns.ts';
import type { Implementation } from '../protocol/initialize.ts';
import type { Pinging } from '../protocol/pinging.ts';
import { selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { HttpSide, PeerOptions, ServerPeer, ServerPort } from '../transport/port.ts';
import type { Caching } from './caching.ts';
import type { Changes } from './changes.ts';
import { ConnectedClient } from './connected-client.ts';
import type { PlainContext } from './context.ts';
import { plainExchanges } from './eras.ts';
import type { Exchanges } from './eras.ts';
import { Failures } from './failure.ts';
import type { OnError } from './failure.ts';
import type { Feature } from './feature.ts';
import type { Guards } from './guards.ts';
import { Hosting } from './hosting.ts';
import type { ServerInternals } from './internals.ts';
import { defaultServerLimits } from './limits.ts';
import type { ServerLimits } from './limits.ts';
import { ModernAnswers } from './modern/answer.ts';
import type { Pages } from './pages.ts';

/** What `ServerCore` may be given; `McpServer` takes all of it too. */
export interface CoreOptions<C extends PlainContext = PlainContext> {
  /** What the server has: `tools()`, `resources()`, `prompts()`, `completion(…)`. Each for this server alone. */
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
  /** `batches`: takes the batches of 2025-03-26. That revision is served with it alone. */
  readonly batches?: TakeBatch;
  /** `changes()`: tells clients of changes. Without it lists are taken to stay as they are. */
  readonly changes?: Changes;
  /** `pinging()`: ends the connection of a legacy client over a pipe that has gone silent. */
  readonly pinging?: Pinging;
  /** `guards()`: scopes, list filters and functions around handlers. Without it a handler with `scopes` cannot be called. */
  readonly guards?: Guards<NoInfer<C>>;
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
}

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
  /** For transports: see `ServerPort`. */
  readonly side: HttpSide;
  readonly #parts: ServerInternals;

  /**
   * Throws a RangeError for a time that is none and for a revision that does not exist or cannot be served, and an Error for a feature that belongs to another
   * server.
   */
  constructor(info: Implementation, options: CoreOptions<C> = {}) {
    this.info = info;
    const { features = [], batches, changes } = options;
    const limits = { ...defaultServerLimits, ...options.limits };
    checkTimes(limits);
    const chosen = selectRevisions(options.revisions);
    const revisions = this.revisions = batches ? chosen : chosen.filter((revision) => !columns.batching(revision));
    if (options.revisions && revisions.length < chosen.length) {
      throw new RangeError('2025-03-26 needs `batches`');
    }
    const exchanges: Exchanges<PlainContext> = options.asking ?? plainExchanges;
    const failures = new Failures(options.onError, options.errors);
    const parts = { ...options, info, limits, revisions, exchanges, failures };
    const hosting = new Hosting<C>(parts, features);
    const { catalogue } = hosting;
    const lasting = { ...parts, hosting, catalogue };
    changes?.attach(lasting);
    this.side = this.#parts = { ...lasting, modern: new ModernAnswers(lasting) };
    for (const feature of features) feature.attach(hosting);
  }

  /** For transports: opens a client that speaks over one lasting channel. */
  connect(outlet: Outlet, options: PeerOptions = {}): ServerPeer {
    return new ConnectedClient(this.#parts, outlet, options);
  }

  /** For transports: ends every open `subscriptions/listen` with a cancellation and its result, as at shutdown. */
  endSubscriptions(): void {
    this.#parts.changes?.end();
  }
}
