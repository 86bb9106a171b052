import { openThingBytes } from '../../../jsonrpc/budget.ts';
import { classify, decode, decodeUtf8, decodeValue } from '../../../jsonrpc/codec.ts';
import { defaultConnectionLimits } from '../../../jsonrpc/connection.ts';
import type { Decoded, RequestId } from '../../../jsonrpc/message.ts';
import { nobody } from '../../../jsonrpc/outlet.ts';
import type { Outlet } from '../../../jsonrpc/outlet.ts';
import * as columns from '../../../protocol/columns.ts';
import { isModern, metaOf, unsupportedVersion } from '../../../protocol/meta.ts';
import type { Meta } from '../../../protocol/meta.ts';
import { findRevision } from '../../../protocol/revisions.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import type { Auth } from '../../port.ts';
import { isJson, readAccept } from './accept.ts';
import type { Accepted } from './accept.ts';
import { smallRequest } from './budgets.ts';
import type { Body, HttpRequest } from './http-request.ts';
import { pairId } from './legacy-sse.ts';
import { ModernResponse } from './modern-response.ts';
import type { OpenPlace } from './modern-response.ts';
import { PostResponse } from './post-response.ts';
import { noRoom, refuse, refuseSession, refuseWork } from './refuse.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** Takes the POSTs of one endpoint. */
export interface Posting {
  /** A POST to the endpoint. */
  toEndpoint(request: HttpRequest, auth: Auth | undefined): void;
  /** A POST to the second path of HTTP+SSE. */
  toPair(request: HttpRequest, auth: Auth | undefined): void;
  /** The session that the headers name, in a version that is served; otherwise the request is refused. */
  sessionOf(request: HttpRequest, auth: Auth | undefined): Session | undefined;
  /** The modern requests that are not answered yet. */
  open(): ModernResponse[];
}

/** What the head of a request says. */
interface Head {
  readonly request: HttpRequest;
  readonly auth: Auth | undefined;
  /** `MCP-Protocol-Version`, and its row where this server serves it. */
  readonly version: string | undefined;
  readonly revision: Revision | undefined;
}

/** A POST to the endpoint whose body has come. */
interface Post extends Head {
  readonly accepts: Accepted;
}

type WholeBody = Exclude<Body, { fault: string }>;

const tooMany = 'Too many requests are open';
const noMemory = 'The requests that are open take all the memory there is for them';

/** Makes what takes the POSTs. */
export function createPosting(services: EndpointServices, sessions: Sessions): Posting {
  const { server, limits } = services;
  const { shared } = sessions;
  const { revisions } = server;
  const legacy = revisions.some(({ era }) => era === 'legacy');
  const modern = revisions.some(({ era }) => era === 'modern');
  const open = new Set<OpenPlace>();

  function headOf(request: HttpRequest, auth: Auth | undefined): Head {
    const version = request.header('mcp-protocol-version');
    return { request, auth, version, revision: version === undefined ? undefined : findRevision(revisions, version) };
  }

  function toEndpoint(request: HttpRequest, auth: Auth | undefined): void {
    if (!takesJson(request)) return;
    const accepts = readAccept(request.header('accept'));
    if (accepts === undefined) {
      return refuse(
        services, request, 406, 'Not acceptable: Accept must list application/json and text/event-stream',
      );
    }
    readBody(request, (body) => {
      // Written out: V8 makes of `{ ...head, accepts }` an object that is slow to make and slow to read (bench/NOTES.md).
      const { version, revision } = headOf(request, auth);
      const post: Post = { request, auth, version, revision, accepts };
      // A batch is read only once its session, and with it the revision, is known to have batches.
      if (isBatch(body) && !mayBatch(post)) return;
      const decoded = readMessage(request, body, () => {
        const name = request.header('mcp-session-id');
        return name === undefined ? undefined : sessions.find(name, auth, false, request);
      });
      if (decoded) services.turns.take(decoded, () => receive(post, decoded));
    });
  }

  function toPair(request: HttpRequest, auth: Auth | undefined): void {
    if (!takesJson(request)) return;
    const id = pairId(request.query);
    const session = sessions.find(id, auth, true);
    const elsewhere = session ? undefined : shared?.pairElsewhere(request, id, auth);
    if (elsewhere) {
      return readBody(request, (body) => {
        const decoded = readMessage(request, body, () => undefined);
        if (decoded) elsewhere(decoded);
      });
    }
    if (session === undefined) return refuseSession(services, request);
    readBody(request, (body) => {
      if (session.ended) return refuseSession(services, request);
      if (isBatch(body) && !takesBatches(session.peer.revision)) return refuseBatch(request, session.peer.revision);
      const decoded = readMessage(request, body, () => session);
      if (decoded === undefined) return;
      // Answers and cancellations are what makes room again.
      if (decoded.kind === 'request' && session.peer.inFlight >= limits.maxStreamsPerSession) {
        return refuse(services, request, 429, tooMany, { id: decoded.message.id });
      }
      // Whatever comes of it goes over the stream.
      request.respond(202, '');
      session.heard(auth);
      session.peer.receive(decoded);
    });
  }

  function takesJson(request: HttpRequest): boolean {
    if (isJson(request.header('content-type'))) return true;
    refuse(services, request, 415, 'Unsupported media type: Content-Type must be application/json');
    return false;
  }

  function readBody(request: HttpRequest, done: (body: WholeBody) => void): void {
    request.read(limits.maxBodyBytes, (body) => {
      // The end may have come while the body did.
      if (services.phase === 'closed') return refuseWork(services, request);
      if (typeof body !== 'object' || !('fault' in body)) return done(body);
      // RFC 9110, 15.6.4: nothing is wrong with the request, and later there may be room.
      if (body.fault === 'no room') return refuse(services, request, 503, noMemory, { fields: { connection: 'close' } });
      if (body.fault === 'unreadable') return refuse(services, request, 400, 'The body could not be read');
      refuse(services, request, 413, `Content too large: the limit is ${limits.maxBodyBytes} bytes`, {
        fields: { connection: 'close' },
      });
    });
  }

  /** The message that a body holds; undefined where it holds none and is refused. */
  function readMessage(
    request: HttpRequest, body: WholeBody, session: () => Session | undefined,
  ): Decoded | undefined {
    const decoded = decodeBody(body);
    services.tracing?.message('received', textOf(body), request);
    if (decoded.kind !== 'refusal') return decoded;
    // A malformed answer still ends the question that it was to answer.
    const owner = session();
    const peer = owner?.peer;
    if (owner && shared?.forward(owner, decoded)) {
      // It is an answer for another process.
    } else if (decoded.answer !== undefined) peer?.receive(decoded, nobody);
    const { id, error: { code, message } } = decoded;
    refuse(services, request, 400, message, { id, code, revision: peer?.revision });
    return undefined;
  }

  function mayBatch(post: Post): boolean {
    const { request, revision } = post;
    if (!legacy || revision?.era === 'modern') {
      refuseBatch(request);
      return false;
    }
    const session = sessionOf(post);
    if (session === undefined) return false;
    const { revision: agreed } = session.peer;
    const taken = takesBatches(agreed);
    if (!taken) refuseBatch(request, agreed);
    return taken;
  }

  function refuseBatch(request: HttpRequest, revision?: Revision): void {
    refuse(services, request, 400, 'Invalid request: this protocol revision has no batches', { revision });
  }

  function receive(post: Post, decoded: Decoded): void {
    const { revision } = post;
    const message = decoded.kind === 'request' ? decoded.message : undefined;
    const opening = message?.method === 'initialize';
    if (opening && !legacy) return refuseVersion(post, message.params?.['protocolVersion'], message.id);
    // 2026-07-28 basic/versioning: what the request carries tells its era. A server of that era alone takes
    // every message by its rules.
    const meta = metaOf(message?.params);
    if (modern && (!legacy || isModern(meta) || (!opening && revision?.era === 'modern'))) {
      return receiveModern(post, decoded, meta);
    }
    receiveLegacy(post, decoded, opening && post.request.header('mcp-session-id') === undefined);
  }

  function receiveModern({ request, auth, accepts, version }: Post, decoded: Decoded, meta: Meta | undefined): void {
    if (decoded.kind === 'notification') return request.respond(202, '');
    if (decoded.kind !== 'request') {
      return refuse(services, request, 400, 'Invalid request: this revision takes one request or notification');
    }
    if (open.size >= limits.maxOpenRequests) {
      return refuse(services, request, 503, tooMany, { id: decoded.message.id });
    }
    // 2026-07-28 has no session: what a request makes us hold is charged to its principal.
    const budget = services.budgets.ofRequests(auth);
    const held = decoded.weight + openThingBytes;
    if (held > smallRequest && !budget.fits(held)) {
      return refuse(services, request, 503, noMemory, { id: decoded.message.id });
    }
    budget.hold(held);
    const release = (): void => budget.release(held);
    new ModernResponse(services, request, accepts, open, release).run(decoded.message, meta, version, auth);
  }

  function receiveLegacy(post: Post, decoded: Decoded, opens: boolean): void {
    const { request, auth, accepts } = post;
    const id = decoded.kind === 'request' ? decoded.message.id : undefined;
    if (opens) {
      // 2025-06-18 basic/transports#protocol-version-header: 400 for one that is not served.
      if (post.version !== undefined && post.revision === undefined) return refuseVersion(post, post.version, id);
      const session = sessions.open(auth, false);
      if (session === undefined) {
        return refuse(services, request, 503, noRoom, { id });
      }
      const discard = (): void => sessions.end(session, 'the handshake failed');
      const response = new PostResponse(services, session, request, accepts, undefined, discard);
      return answer(request, session, response, decoded);
    }
    const session = sessionOf(post, id);
    if (session === undefined) return;
    const reply = { request, take: (rest: Decoded) => take(post, session.ended ? sessionOf(post, id) : session, rest) };
    if (!shared?.forward(session, decoded, reply)) take(post, session, decoded);
  }

  function take({ request, accepts }: Post, session: Session | undefined, decoded: Decoded): void {
    if (session === undefined) return;
    const { peer } = session;
    const asked = decoded.kind === 'request' ? decoded.message : undefined;
    if (!isAnswered(decoded, peer.revision)) {
      request.respond(202, '');
      if (decoded.kind === 'success' || decoded.kind === 'failure') session.answered(decoded.message.id);
      peer.receive(decoded);
    } else if (peer.inFlight < limits.maxStreamsPerSession) {
      answer(request, session, new PostResponse(services, session, request, accepts, asked), decoded);
    } else {
      refuse(services, request, 429, tooMany, { id: asked?.id });
    }
  }

  function answer(request: HttpRequest, session: Session, response: PostResponse, decoded: Decoded): void {
    session.peer.receive(decoded, shared?.outlet(session, decoded, response, request) ?? response);
    response.wait();
  }

  /** The session that the headers name, in a version that is served; otherwise the request is refused. */
  function sessionOf(head: Head, id?: RequestId): Session | undefined {
    const { request, auth, version, revision } = head;
    const name = request.header('mcp-session-id');
    if (name === undefined) {
      // With both eras served, a version that nobody knows tells more than a session that is missing.
      if (modern && version !== undefined && revision === undefined) return void refuseVersion(head, version, id);
      // 2025-11-25 basic/transports#session-management: 400 without an id,
      // 404 for one that is not known any more.
      return void refuse(services, request, 400, 'The Mcp-Session-Id header is missing', { id });
    }
    const session = sessions.find(name, auth, false, request);
    if (session === undefined) return void refuseSession(services, request, { id });
    // 2025-06-18 basic/transports#protocol-version-header. Where it is missing, the session knows.
    if (version === undefined || revision?.era === 'legacy') return session;
    return void refuseVersion(head, version, id);
  }

  function refuseVersion({ request }: Head, requested: unknown, id: RequestId | undefined): void {
    const { code, message, data } = unsupportedVersion(revisions, requested);
    // 2026-07-28 basic/versioning: a legacy client has only the message to show to its user.
    const said = `${message}; there is ${revisions.map(({ version: served }) => served).join(', ')}`;
    // The code is the modern era's: a server without it must not look like one of it.
    refuse(services, request, 400, said, modern ? { id, code, data } : { id, data });
  }

  return {
    toEndpoint,
    toPair,
    sessionOf: (request, auth) => sessionOf(headOf(request, auth)),
    open: () => [...open].flatMap(({ response }) => response ?? []),
  };
}

/** Whether a POST gets an answer, and not 202. 2025-03-26 basic/transports: a batch without a request gets none. */
function isAnswered(decoded: Decoded, revision: Revision | undefined): boolean {
  if (decoded.kind !== 'batch') return decoded.kind === 'request';
  const { values } = decoded;
  return !takesBatches(revision) || values.length > defaultConnectionLimits.maxBatch || values.some(asks);
}

/** Whether a message of a batch gets an answer. */
function asks(value: unknown): boolean {
  const { kind } = classify(value);
  return kind === 'request' || kind === 'refusal';
}

/** Whether a body begins as a batch does; it need not be JSON. */
function isBatch(body: WholeBody): boolean {
  if (typeof body === 'string') return /^[ \t\r\n]*\[/.test(body);
  if (!(body instanceof Uint8Array)) return Array.isArray(body.value);
  // Space, tab, CR, LF: the white space of JSON.
  const first = body.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== 0x0a);
  return first === 0x5b;
}

function decodeBody(body: WholeBody): Decoded {
  if (typeof body === 'string' || body instanceof Uint8Array) return decode(body);
  return decodeValue(body.value);
}

function textOf(body: WholeBody): string {
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) return JSON.stringify(body.value);
  try {
    return decodeUtf8(body);
  } catch {
    return '(not UTF-8)';
  }
}

const takesBatches = (revision: Revision | undefined): boolean => revision !== undefined && columns.batching(revision);
