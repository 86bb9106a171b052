import { atTime } from '../../bounds/long-timer.ts';
import type { Timer } from '../../bounds/clock.ts';
import type { GaugedPeer } from '../../bounds/gauges.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { decodeUnchecked } from '../../jsonrpc/message.ts';
import { tell } from '../../jsonrpc/errors.ts';
import type { Unchecked } from '../../jsonrpc/message.ts';
import { pipeOutlet } from '../../jsonrpc/inbound-request.ts';
import type { Auth } from '../auth.ts';
import { createAdmit } from '../http/server/admission.ts';
import type { Authenticate, Authenticator } from '../http/server/admission.ts';
import { Budgets } from '../http/server/budgets.ts';
import { createGuard } from '../http/server/origin-validation.ts';
import type { GuardOptions } from '../http/server/origin-validation.ts';
import { mcpFields } from '../http/server/http-request.ts';
import type { HeaderFields, RequestInfo } from '../http/server/http-request.ts';
import { noRoom, refuse, refuseWork } from '../http/server/error-response.ts';
import type { Refusable } from '../http/server/error-response.ts';
import { peerBudget } from '../../bounds/budget.ts';
import { quote } from '../../bounds/quote.ts';
import type { ServedClient, ServerPort } from '../server-port.ts';
import { SocketLink } from './link.ts';
import type { WebSocketOptions } from './link.ts';
import type { WebSocketLike } from './socket.ts';

/** The limits of a WebSocket endpoint. */
export interface WebSocketLimits {
  /** Connections at one time; the next one gets 503. 10,000. */
  maxConnections: number;
  /** Connections of one authenticated principal at one time. 100. */
  maxConnectionsPerPrincipal: number;
}

/** The defaults of `WebSocketLimits`. */
export const defaultWebSocketLimits: WebSocketLimits = { maxConnections: 10_000, maxConnectionsPerPrincipal: 100 };

/** The options of `webSocketHandler`. */
export interface WebSocketHandlerOptions extends WebSocketOptions, Pick<GuardOptions, 'allowedHosts' | 'allowedOrigins'> {
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: string | undefined;
  /** Authenticates each connection, as over HTTP. The connection ends when the credentials expire. Without it any client may connect. */
  readonly auth?: Authenticate | Authenticator | undefined;
  /** The `WWW-Authenticate` of a 401 if `auth` gave no reason. Default `Bearer`. */
  readonly challenge?: string | undefined;
  readonly limits?: Partial<WebSocketLimits> | undefined;
  /** Called for errors that cannot be sent to a client, such as those of `auth`. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The HTTP request of an upgrade: an `IncomingMessage` of Node, or a `Request`. */
export interface UpgradeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: {
    /** The value of a header; null if it is missing. */
    get(name: string): string | null;
  } | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** An upgrade that is allowed. */
export interface AllowedUpgrade {
  readonly allowed: true;
  /** The subprotocol to select: `mcp` if the client offers it. Browsers close the connection if none of theirs is selected. */
  readonly protocol: 'mcp' | undefined;
  /** Serves the client on this socket. Call it once. */
  serve(socket: WebSocketLike): WebSocketServing;
  /** Call this instead of `serve` if the handshake failed. */
  cancel(): void;
}

/** A refused upgrade: the HTTP response to send instead. */
export interface RefusedUpgrade {
  readonly allowed: false;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** A server on one WebSocket. */
export interface WebSocketServing {
  /** Resolves with the reason when the connection has closed. Never rejects. */
  readonly closed: Promise<string>;
  /** Ends the session and closes the connection. */
  close(): void;
}

/** A WebSocket endpoint for a server. The HTTP server passes upgrade requests and sockets to it. */
export interface WebSocketHandler {
  /**
   * Checks an upgrade request before the handshake is answered: its Host and Origin, path and credentials, by the rules of
   * the HTTP transport. Complete the handshake only if the result is `allowed`. Never rejects.
   */
  upgrade(request: UpgradeRequest): Promise<AllowedUpgrade | RefusedUpgrade>;
  /** Refuses new upgrades, serves requests in flight for at most `drainMs` (5 seconds), then closes every connection. */
  close(options?: { readonly drainMs?: number | undefined }): Promise<void>;
  /** For `gauges`: the clients. */
  readonly peers: () => Iterable<GaugedPeer>;
}

const shape: Shape<WebSocketHandlerOptions> = {
  path: 'string', allowedHosts: 'list or "*"', allowedOrigins: 'list or "*" or "own"', auth: 'function or object', challenge: 'string',
  limits: defaultWebSocketLimits, onError: 'function', trace: 'function', maxMessageBytes: 'number', maxNoiseBytes: 'number',
  maxWaitingBytes: 'number', stallMs: 0,
};

/** Counts open and allowed connections, in total and by principal. */
class ConnectionPlaces {
  readonly #limits: WebSocketLimits;
  readonly #byPrincipal = new Map<string, number>();
  #count = 0;

  constructor(limits: WebSocketLimits) {
    this.#limits = limits;
  }

  /** Takes a place. Returns a function that gives it back; undefined if all places are taken. */
  take(auth: Auth | undefined): (() => void) | undefined {
    const { maxConnections, maxConnectionsPerPrincipal } = this.#limits;
    const mine = auth ? this.#byPrincipal.get(auth.principal) ?? 0 : 0;
    if (this.#count >= maxConnections || mine >= maxConnectionsPerPrincipal) return undefined;
    this.#add(auth, 1);
    let taken = true;
    return () => {
      if (taken) this.#add(auth, -1);
      taken = false;
    };
  }

  #add(auth: Auth | undefined, by: number): void {
    this.#count += by;
    if (!auth) return;
    const left = (this.#byPrincipal.get(auth.principal) ?? 0) + by;
    if (left > 0) this.#byPrincipal.set(auth.principal, left);
    else this.#byPrincipal.delete(auth.principal);
  }
}

/**
 * Serves a server over WebSockets, one message in each text frame, in every revision. MCP has no standard WebSocket transport:
 * this is a custom transport (2026-07-28 basic/transports#custom-transports) with the subprotocol `mcp`, as in other
 * implementations. Long function: its short functions share the connections of one endpoint.
 */
export function webSocketHandler(server: ServerPort, options: WebSocketHandlerOptions = {}): WebSocketHandler {
  checkOptions('webSocketHandler: options', options, shape);
  const { path = '/mcp', auth: authenticator, challenge, onError } = options;
  if (typeof authenticator === 'object') checkOptions('webSocketHandler: options.auth.authenticate', authenticator.authenticate, 'function');
  const { clock } = server;
  const notAllowed = createGuard(options);
  const report = (thrown: unknown): void => tell(onError, thrown);
  const services = { server, report, tracing: undefined, track: (promise: Promise<unknown>): void => void promise.catch(report) };
  const admit = createAdmit(services, { auth: authenticator, challenge });
  const places = new ConnectionPlaces({ ...defaultWebSocketLimits, ...options.limits });
  const budgets = new Budgets();
  const connections = new Map<ServedClient, () => void>();
  let closing: Promise<void> | undefined;

  function judge(info: RequestInfo, done: (judged: AllowedUpgrade | RefusedUpgrade) => void): void {
    const request: RequestInfo & Refusable = {
      method: info.method, path: info.path, query: info.query, header: (name) => info.header(name), exchange: undefined,
      respond: (status, body, fields) => done({ allowed: false, status, body, headers: textFields(fields) }),
    };
    const what = notAllowed(request, mcpFields(request.header));
    if (what !== undefined) return refuse(services, request, 403, `Forbidden: the ${what} is not allowed`);
    if (request.path !== path) return refuse(services, request, 404, `Not found: ${quote(request.path)}; the endpoint is ${path}`);
    if (closing) return refuseWork(services, request);
    admit(request, (auth) => {
      const leave = closing ? undefined : places.take(auth);
      if (!leave) return closing ? refuseWork(services, request) : refuse(services, request, 503, noRoom);
      const offered = (request.header('sec-websocket-protocol') ?? '').split(',', 100).map((name) => name.trim());
      done({
        allowed: true, protocol: offered.includes('mcp') ? 'mcp' : undefined, cancel: leave,
        serve: (socket) => serve(socket, auth, leave),
      });
    });
  }

  function serve(socket: WebSocketLike, auth: Auth | undefined, leave: () => void): WebSocketServing {
    const budget = auth ? budgets.of(auth) : peerBudget();
    let open = true;
    let resolveClosed: (why: string) => void;
    const closed = new Promise<string>((resolve) => {
      resolveClosed = resolve;
    });
    const link = new SocketLink<Unchecked>(socket, options, {
      clock, budget, decode: decodeUnchecked,
      message: (decoded) => peer.receive(decoded),
      gone: (why) => finish(why),
    });
    const outlet = pipeOutlet((text) => link.send(text), (length, droppable) => link.room(length, droppable));
    const peer = server.connect(outlet, { auth, modern: true, budget, onSilent: (why) => finish(why) });
    const expiry = auth?.expiresAt === undefined ? undefined : atTime(clock, auth.expiresAt, () => finish('the credentials have expired'), true);

    function finish(why: string): void {
      if (!open) return;
      open = false;
      expiry?.stop();
      connections.delete(peer);
      link.close(why);
      peer.close(why);
      leave();
      resolveClosed(why);
    }

    const close = (): void => finish('the server was closed');
    connections.set(peer, close);
    if (closing) close();
    return { closed, close };
  }

  async function close(drainMs: number): Promise<void> {
    server.endSubscriptions();
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = clock.after(drainMs, resolve);
    });
    await Promise.race([late, Promise.all([...connections.keys()].map((peer) => peer.idle()))]);
    timer?.stop();
    for (const end of [...connections.values()]) end();
  }

  return {
    peers: () => connections.keys(),
    upgrade: (request) => new Promise((resolve) => judge(infoOf(request), resolve)),
    async close(given = {}) {
      checkOptions('close: options', given, { drainMs: 0 });
      await (closing ??= close(given.drainMs ?? 5000));
    },
  };
}

/** The parts of an upgrade request that the checks need. A repeated header (a list) counts as missing. */
function infoOf({ method = 'GET', url = '', headers }: UpgradeRequest): RequestInfo {
  // `url` of Node's `IncomingMessage` has only the path and query; that of a `Request` is absolute.
  const mark = url.indexOf('?');
  const whole = url.startsWith('/') || !URL.canParse(url) ? undefined : new URL(url);
  const value = (name: string): unknown =>
    (typeof headers.get === 'function' ? headers.get(name) : Object.hasOwn(headers, name) ? Reflect.get(headers, name) : undefined);
  return {
    method,
    path: whole?.pathname ?? (mark < 0 ? url : url.slice(0, mark)),
    query: whole?.search.slice(1) ?? (mark < 0 ? '' : url.slice(mark + 1)),
    header(name) {
      const found = value(name);
      return typeof found === 'string' ? found : name === 'host' ? whole?.host : undefined;
    },
  };
}

const textFields = (fields: HeaderFields = {}): Record<string, string> => ({
  'content-type': 'application/json',
  ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
});
