import type { Clock, Timer } from '../../../bounds/clock.ts';
import type { GaugedEndpoint } from '../../../bounds/gauges.ts';
import { checkOptions } from '../../../bounds/options.ts';
import { quote } from '../../../bounds/quote.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import { findRevision } from '../../../protocol/revisions.ts';
import type { Auth } from '../../auth.ts';
import type { ServerPort } from '../../server-port.ts';
import { createAdmit, serveDocument } from './admission.ts';
import { corsFields, createGuard } from './origin-validation.ts';
import type { HttpRequest } from './http-request.ts';
import { listen } from './event-store.ts';
import type { HttpOptions } from './options.ts';
import { Posting } from './posting.ts';
import { noRoom, refuse, refuseWork } from './error-response.ts';
import { createServices } from './services.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';
import { createSessions } from './sessions.ts';
import type { Sessions } from './sessions.ts';

/** Serves a request whose credentials were checked. */
export type Serve = (request: HttpRequest, auth: Auth | undefined) => void;

/** Finds the function for a request's path and method. Undefined without one: the request is refused. */
export type Router = (request: HttpRequest) => Serve | undefined;

/**
 * Makes the router of an endpoint. Long function: one function for each path and method, which share the
 * services of the endpoint.
 */
export function createRouter(
  services: EndpointServices, sessions: Sessions, posting: Posting, options: HttpOptions,
): Router {
  const { path = '/mcp' } = options;
  const { shared } = sessions;
  const { revisions } = services.server;
  const beside = path.slice(0, path.lastIndexOf('/') + 1);
  // 2024-11-05 basic/transports#http-with-sse.
  const pair = shared?.pairs !== false && (options.sse ?? (revisions.some((revision) => !revisionTable.streamableHttp(revision))
    && { path: `${beside}sse`, messages: `${beside}messages` }));

  function route(request: HttpRequest): Serve | undefined {
    const found = request.path === path ? request.method === 'POST' ? posting.toEndpoint : toEndpoint
      : pair && request.path === pair.path ? toPairStream
        : pair && request.path === pair.messages ? toPairMessages : undefined;
    if (found) return found;
    refuse(services, request, 404, `Not found: ${quote(request.path)}; the endpoint is ${path}`);
    return undefined;
  }

  function toEndpoint(request: HttpRequest, auth: Auth | undefined): void {
    const { method } = request;
    // 2026-07-28 basic/transports/streamable-http#earlier-streamable-http-revisions: this revision has only POST.
    if (!services.legacy || shared && !shared.listen || isModernVersion(request)) return refuseMethod(request, 'POST');
    if (method === 'GET') return get(request, auth);
    if (method === 'DELETE') return remove(request, auth);
    refuseMethod(request, 'GET, POST, DELETE');
  }

  const isModernVersion = (request: HttpRequest): boolean =>
    findRevision(revisions, request.mcp.version)?.era === 'modern';

  function get(request: HttpRequest, auth: Auth | undefined): void {
    // A stream opened now would end at once; at another process it lasts.
    if (services.phase !== 'open') return refuseWork(services, request);
    const session = posting.sessionOf(request, auth);
    if (session === undefined) return;
    if (shared?.listen) shared.listen(request, session);
    else listen(services, request, session);
  }

  /** 2025-11-25 basic/transports#session-management. */
  function remove(request: HttpRequest, auth: Auth | undefined): void {
    const session = posting.sessionOf(request, auth);
    if (session === undefined) return;
    if (shared) return shared.remove(request, session);
    sessions.end(session, 'the client ended the session');
    request.respond(204, '');
  }

  function toPairStream(request: HttpRequest, auth: Auth | undefined): void {
    if (request.method !== 'GET') return refuseMethod(request, 'GET');
    if (services.phase !== 'open') return refuseWork(services, request);
    const session = sessions.open(auth, true);
    if (session === undefined) return refuse(services, request, 503, noRoom);
    openPair(request, session, pair ? pair.messages : '', () => sessions.end(session, 'the client has left'));
  }

  function toPairMessages(request: HttpRequest, auth: Auth | undefined): void {
    if (request.method !== 'POST') return refuseMethod(request, 'POST');
    posting.toPair(request, auth);
  }

  function refuseMethod(request: HttpRequest, allow: string): void {
    refuse(services, request, 405, `Method not allowed: ${quote(request.method)}; allowed: ${allow}`, {
      fields: { allow },
    });
  }

  return route;
}

/**
 * Opens the stream of a new session and sends its `endpoint`. `end` is called when the client has left.
 * 2024-11-05 basic/transports#http-with-sse: one stream for all messages of the server, and a URL for POSTs.
 */
function openPair(request: HttpRequest, session: Session, messages: string, end: () => void): void {
  const stream = session.listen(request);
  stream.onLost = end;
  stream.writeEvent({ event: 'endpoint', data: `${messages}?sessionId=${session.id}` });
}

/** The options of closing an HTTP server. */
export interface CloseOptions {
  /**
   * Milliseconds in which requests are still served: those in flight, and new ones on open connections.
   * Default 5 seconds; 0: none.
   */
  drainMs?: number | undefined;
}

/** One server at one HTTP path, for any runtime. */
export interface Endpoint extends GaugedEndpoint {
  /** The clock of the server. */
  readonly clock: Clock;
  /** Takes a request and answers it, now or later. Never throws. */
  handle(request: HttpRequest): void;
  /**
   * Begins to close: ends GET and `subscriptions/listen` streams, but still serves requests. Returns true if clients
   * may have to come back to this process, with answers to questions that only it can take.
   */
  drain(): boolean;
  /**
   * Drains until no request is in flight, and no question is open whose answer only this process can take, for at most
   * `drainMs`. Then it ends every session, and answers further requests with 503.
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Makes the endpoint of a server: the parts of HTTP that are the same in every runtime. Long function: its short
 * functions share the services, the sessions and the phase of one endpoint.
 */
export function createEndpoint(server: ServerPort, options: HttpOptions = {}): Endpoint {
  const { auth, card, cors, fleet, health, observe } = options;
  const services = createServices(server, options);
  const local = createSessions(services);
  const sessions = fleet ? fleet.share(services, local) : local;
  const { shared } = sessions;
  const posting = new Posting(services, sessions);
  const route = createRouter(services, sessions, posting, options);
  const admit = createAdmit(services, options);
  const notAllowed = createGuard(options);
  const documents = typeof auth === 'object' ? auth.documents : undefined;
  // With a fleet, other processes can take the answers.
  const questions = fleet ? undefined : server.questions;
  let closed: Promise<void> | undefined;

  /**
   * Fields of every response, read when it is written: a response to a request from before the drain also closes its connection.
   * RFC 9112, 9.6: the client's next request then goes to a new connection, perhaps to another process.
   */
  const common: { connection?: 'close' } = {};

  function handle(request: HttpRequest): void {
    request.unread = services.unread;
    services.tracing?.begin(request);
    request.common = common;
    observe?.(request, services);
    if (health?.(request, services, fleet) || card?.(request, services, options) || (documents && serveDocument(services, documents, request))) return;
    const what = notAllowed(request, request.mcp);
    if (what !== undefined) return refuse(services, request, 403, `Forbidden: the ${what} is not allowed`);
    if (cors) request.common = { ...request.common, ...corsFields(request) };
    const serve = route(request);
    if (serve === undefined) return;
    // A preflight carries no credentials.
    if (cors && request.method === 'OPTIONS') return request.respond(204, '');
    if (services.phase === 'closed') return refuseWork(services, request);
    // Every request is admitted, unless something with `scopes` was registered after the start.
    if (auth === undefined && !server.scoped && !shared) serve(request, undefined);
    else {
      admit(request, (who) => {
        if (shared) shared.enter(request, who, () => serve(request, who));
        else serve(request, who);
      });
    }
  }

  function drain(): boolean {
    if (services.phase === 'open') {
      services.phase = 'draining';
      common.connection = 'close';
      server.endSubscriptions();
      for (const session of sessions.all()) session.endListening();
      shared?.drain();
    }
    return questions?.asked === true && inFlight().length > 0;
  }

  async function close(drainMs: number): Promise<void> {
    drain();
    let late = drainMs === 0;
    let timer: Timer | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = services.clock.after(drainMs, () => {
        late = true;
        resolve();
      });
    });
    // New requests may come while these are awaited.
    for (let busy = inFlight(); busy.length > 0 && !late; busy = inFlight()) {
      await Promise.race([timeUp, Promise.all(busy)]);
    }
    timer?.stop();
    services.phase = 'closed';
    for (const response of posting.open()) response.cancel('the server is closing');
    for (const session of sessions.all()) sessions.end(session, 'the server is closing');
  }

  const inFlight = (): Promise<unknown>[] => [
    ...questions?.open ? [questions.answered()] : [],
    ...[...sessions.all().map(({ peer }) => peer).filter((peer) => peer.inFlight > 0), ...posting.open()]
      .map((one) => one.idle()),
    ...services.underWay,
  ];

  return {
    clock: services.clock,
    services, sessions, posting, handle, drain,
    async close(options = {}) {
      checkOptions('close: options', options, { drainMs: 0 });
      return closed ??= close(options.drainMs ?? 5000);
    },
  };
}
