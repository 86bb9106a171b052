import { quote } from '../../../bounds/quote.ts';
import * as columns from '../../../protocol/revisions.ts';
import { findRevision } from '../../../protocol/revisions.ts';
import type { Auth } from '../../auth.ts';
import type { HttpRequest } from './http-request.ts';
import { listen } from './listening.ts';
import type { HttpOptions } from './options.ts';
import type { Posting } from './posting.ts';
import { noRoom, refuse, refuseWork } from './refuse.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** Serves a request whose credentials are checked. */
export type Serve = (request: HttpRequest, auth: Auth | undefined) => void;

/** Finds what serves a request's path and method. Undefined: there is nothing, and the request is refused. */
export type Router = (request: HttpRequest) => Serve | undefined;

/**
 * Makes the router of an endpoint, by its paths. Long function: one function for each path and method, which share the
 * services of the endpoint.
 */
export function createRouter(
  services: EndpointServices, sessions: Sessions, posting: Posting, options: HttpOptions,
): Router {
  const { path = '/mcp' } = options;
  const { shared } = sessions;
  const { revisions } = services.server;
  const legacy = revisions.some(({ era }) => era === 'legacy');
  const beside = path.slice(0, path.lastIndexOf('/') + 1);
  // 2024-11-05 basic/transports#http-with-sse.
  const pair = shared?.pairs !== false && (options.sse ?? (revisions.some((revision) => !columns.streamableHttp(revision))
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
    // 2026-07-28 basic/transports/streamable-http#earlier-streamable-http-revisions: it has only POST.
    if (!legacy || shared && !shared.listen || isModernVersion(request)) return refuseMethod(request, 'POST');
    if (method === 'GET') return get(request, auth);
    if (method === 'DELETE') return remove(request, auth);
    refuseMethod(request, 'GET, POST, DELETE');
  }

  const isModernVersion = (request: HttpRequest): boolean =>
    findRevision(revisions, request.header('mcp-protocol-version'))?.era === 'modern';

  function get(request: HttpRequest, auth: Auth | undefined): void {
    // A stream that is opened now would end at once; elsewhere it lasts.
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
    refuse(services, request, 405, `Method not allowed: ${quote(request.method)}; there is ${allow}`, {
      fields: { allow },
    });
  }

  return route;
}

/**
 * Opens the stream of a new session and names the place. `end` is called when the client has left.
 * 2024-11-05 basic/transports#http-with-sse: one stream for all that the server says, and a place to POST to.
 */
function openPair(request: HttpRequest, session: Session, messages: string, end: () => void): void {
  const stream = session.listen(request);
  stream.onLost = end;
  stream.writeEvent({ event: 'endpoint', data: `${messages}?sessionId=${session.id}` });
}
