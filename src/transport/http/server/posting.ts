import { openThingBytes } from '../../../bounds/budget.ts';
import { heldWeight } from '../../../bounds/weight.ts';
import { classify, decode, decodeUtf8, decodeValue } from '../../../jsonrpc/message.ts';
import { defaultConnectionLimits } from '../../../jsonrpc/connection.ts';
import { nobody } from '../../../jsonrpc/inbound-request.ts';
import type { Outlet } from '../../../jsonrpc/inbound-request.ts';
import type { Decoded, RequestId } from '../../../jsonrpc/message.ts';
import { isModern, metaOf } from '../../../protocol/meta.ts';
import type { Meta } from '../../../protocol/meta.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import { findRevision } from '../../../protocol/revisions.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import type { Auth } from '../../auth.ts';
import { smallMemory, smallRequest } from './budgets.ts';
import type { Body, HttpRequest } from './http-request.ts';
import { ModernResponse } from './modern-response.ts';
import type { OpenPlace } from './modern-response.ts';
import { PostResponse } from './post-response.ts';
import { noMemory, noRoom, refuse, refuseSession, refuseWork, tooMany } from './error-response.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';
import { sessionOf } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import { refuseVersion } from './header-checks.ts';

/** The parsed head of a request, and its authenticated client. */
export interface PostHead {
  readonly request: HttpRequest;
  readonly auth: Auth | undefined;
  /** The revision of `MCP-Protocol-Version`, if this server supports it. */
  readonly revision: Revision | undefined;
}

/** A POST to the endpoint after its body was read. */
interface Post extends PostHead {
  readonly accepts: Accepted;
}

/** Handles the POSTs of one endpoint. */
export class Posting {
  readonly #open: Set<OpenPlace> = new Set();
  readonly #services: EndpointServices;
  readonly #sessions: Sessions;

  constructor(services: EndpointServices, sessions: Sessions) {
    this.#services = services;
    this.#sessions = sessions;
  }

  /** The modern requests that are not answered yet. */
  open(): ModernResponse[] {
    return [...this.#open].flatMap(({ response }) => response ?? []);
  }

  /** Handles a POST to the endpoint. */
  readonly toEndpoint = (request: HttpRequest, auth: Auth | undefined): void => {
    const services = this.#services;
    if (!takesJson(services, request)) return;
    const accepts = readAccept(request.mcp.accept);
    if (accepts === undefined) {
      return refuse(
        services, request, 406, 'Not acceptable: Accept must list application/json and text/event-stream',
      );
    }
    readWhole(services, request, (body) => {
      // Written out: for `{ ...head, accepts }`, V8 makes an object that is slow to make and slow to read (bench/NOTES.md).
      const { revision } = this.#headOf(request, auth);
      const post: Post = { request, auth, revision, accepts };
      // A batch is decoded only after its session, whose revision tells whether batches are allowed, was found.
      if (isBatch(body) && !this.#mayBatch(post)) return;
      const decoded = this.#readMessage(request, body, () => {
        const name = request.mcp.session;
        return name === undefined ? undefined : this.#sessions.find(name, auth, false, request);
      });
      if (decoded === undefined || (services.phase !== 'open' && this.#refusesLate(request, decoded))) return;
      if (services.turns.take(decoded, () => this.#receive(post, decoded))) return;
      refuse(services, request, 503, tooMany, { id: decoded.kind === 'request' ? decoded.message.id : undefined });
    });
  };

  /** Handles a POST to the second path of HTTP+SSE. */
  toPair(request: HttpRequest, auth: Auth | undefined): void {
    const services = this.#services;
    if (!takesJson(services, request)) return;
    const id = new URLSearchParams(request.query).get('sessionId') ?? '';
    const session = this.#sessions.find(id, auth, true);
    const elsewhere = session ? undefined : this.#sessions.shared?.pairElsewhere(request, id, auth);
    if (elsewhere) {
      return readWhole(services, request, (body) => {
        const decoded = this.#readMessage(request, body, () => undefined);
        if (decoded) elsewhere(decoded);
      });
    }
    if (session === undefined) return refuseSession(services, request);
    readWhole(services, request, (body) => this.#receivePaired(request, auth, session, body));
  }

  #receivePaired(request: HttpRequest, auth: Auth | undefined, session: Session, body: WholeBody): void {
    const services = this.#services;
    const { peer } = session;
    if (session.ended) return refuseSession(services, request);
    if (isBatch(body) && !takesBatches(peer.revision)) return this.#refuseBatch(request, peer.revision);
    const decoded = this.#readMessage(request, body, () => session);
    if (decoded === undefined || (services.phase !== 'open' && this.#refusesLate(request, decoded))) return;
    // Answers and cancellations are always taken: they free room.
    if (decoded.kind === 'request' && peer.inFlight >= services.limits.maxStreamsPerSession) {
      return refuse(services, request, 429, tooMany, { id: decoded.message.id });
    }
    // The answer goes over the stream.
    request.respond(202, '');
    session.heard(auth);
    peer.receive(decoded);
  }

  /** Decodes the message in a body; undefined if it is malformed, and was refused. */
  #readMessage(request: HttpRequest, body: WholeBody, session: () => Session | undefined): Decoded | undefined {
    const services = this.#services;
    const decoded = decodeBody(body);
    services.tracing?.message('received', textOf(body), request);
    if (decoded.kind !== 'refusal') return decoded;
    // A malformed answer still ends the question that it was for.
    const owner = session();
    const peer = owner?.peer;
    if (owner && this.#sessions.shared?.forward(owner, decoded)) {
      // The answer was for another process.
    } else if (decoded.responseFault !== undefined) peer?.receive(decoded, nobody);
    const { id, error: { code, message } } = decoded;
    refuse(services, request, 400, message, { id, code, revision: peer?.revision });
    return undefined;
  }

  /**
   * Refuses new work on a connection that was opened after the server began to close. Messages that continue earlier work
   * are taken: an answer, a cancellation, a retry with `requestState` (2026-07-28 basic/patterns/mrtr).
   */
  #refusesLate(request: HttpRequest, decoded: Decoded): boolean {
    const goesOn = decoded.kind === 'batch' ? !decoded.values.some(asks)
      : decoded.kind !== 'request' || typeof decoded.message.params?.['requestState'] === 'string';
    if (request.late !== true || goesOn) return false;
    refuseWork(this.#services, request);
    return true;
  }

  #mayBatch(post: Post): boolean {
    const { request, revision } = post;
    if (!this.#services.legacy || revision?.era === 'modern') {
      this.#refuseBatch(request);
      return false;
    }
    const session = sessionOf(this.#services, this.#sessions, post);
    if (session === undefined) return false;
    const { revision: agreed } = session.peer;
    const taken = takesBatches(agreed);
    if (!taken) this.#refuseBatch(request, agreed);
    return taken;
  }

  #refuseBatch(request: HttpRequest, revision?: Revision): void {
    refuse(this.#services, request, 400, 'Invalid request: this protocol revision has no batches', { revision });
  }

  #receive(post: Post, decoded: Decoded): void {
    const { legacy, modern } = this.#services;
    const message = decoded.kind === 'request' ? decoded.message : undefined;
    const opening = message?.method === 'initialize';
    if (opening && !legacy) return refuseVersion(this.#services, post.request, message.params?.['protocolVersion'], message.id);
    // 2026-07-28 basic/versioning: the contents of a request tell its era. A server of only the modern era treats
    // every message by modern rules.
    const meta = metaOf(message?.params);
    if (modern && (!legacy || (!opening && post.revision?.era === 'modern') || isModern(meta))) {
      return this.#receiveModern(post, decoded, meta);
    }
    if (opening && post.request.mcp.session === undefined) this.#openSession(post, decoded, message.id);
    else this.#receiveLegacy(post, decoded, message?.id);
  }

  #receiveModern(post: Post, decoded: Decoded, meta: Meta | undefined): void {
    const services = this.#services;
    const { request, auth, accepts } = post;
    if (decoded.kind === 'notification') return request.respond(202, '');
    if (decoded.kind !== 'request') {
      return refuse(services, request, 400, 'Invalid request: this revision takes one request or notification');
    }
    const { id } = decoded.message;
    if (this.#open.size >= services.limits.maxOpenRequests) return refuse(services, request, 503, tooMany, { id });
    // 2026-07-28 has no session: the memory for a request is charged to its principal.
    const budget = services.budgets.ofRequests(auth);
    const held = (budget.crowded ? heldWeight(decoded.weight, decoded.message) : decoded.weight) + openThingBytes;
    const small = decoded.weight + openThingBytes <= smallRequest && held <= smallMemory + openThingBytes;
    if (!small && !budget.fits(held)) return refuse(services, request, 503, noMemory, { id });
    budget.hold(held);
    new ModernResponse(services, request, accepts, this.#open, budget, held).run(decoded.message, meta, post);
  }

  /** Handles `initialize` without a session. */
  #openSession(post: Post, decoded: Decoded, id: RequestId): void {
    const { request, auth, accepts } = post;
    const { version } = request.mcp;
    // 2025-06-18 basic/transports#protocol-version-header: 400 for a version that is not supported.
    if (version !== undefined && post.revision === undefined) return refuseVersion(this.#services, request, version, id);
    const session = this.#sessions.open(auth, false);
    if (session === undefined) return refuse(this.#services, request, 503, noRoom, { id });
    const discard = (): void => this.#sessions.end(session, 'the handshake failed');
    const response = new PostResponse(this.#services, session, request, accepts, undefined, discard);
    this.#answer(request, session, response, decoded);
  }

  #receiveLegacy(post: Post, decoded: Decoded, id: RequestId | undefined): void {
    const session = sessionOf(this.#services, this.#sessions, post, id);
    if (session === undefined) return;
    const take = (rest: Decoded): void => {
      // While another process was asked, the session may have ended, or got other credentials.
      const now = sessionOf(this.#services, this.#sessions, post, id);
      if (now) this.#take(post, now, rest);
    };
    if (!this.#sessions.shared?.forward(session, decoded, { request: post.request, take })) this.#take(post, session, decoded);
  }

  #take({ request, accepts }: Post, session: Session, decoded: Decoded): void {
    const services = this.#services;
    const { peer } = session;
    const asked = decoded.kind === 'request' ? decoded.message : undefined;
    if (!asked && !isAnswered(decoded, peer.revision)) {
      request.respond(202, '');
      if (decoded.kind === 'success' || decoded.kind === 'failure') session.answered(decoded.message.id);
      peer.receive(decoded);
    } else if (peer.inFlight < services.limits.maxStreamsPerSession) {
      this.#answer(request, session, new PostResponse(services, session, request, accepts, asked), decoded);
    } else {
      refuse(services, request, 429, tooMany, { id: asked?.id });
    }
  }

  #answer(request: HttpRequest, session: Session, response: PostResponse, decoded: Decoded): void {
    const outlet: Outlet = this.#sessions.shared?.outlet(session, decoded, response, request) ?? response;
    session.peer.receive(decoded, outlet);
    response.wait();
  }

  #headOf(request: HttpRequest, auth: Auth | undefined): PostHead {
    const { version } = request.mcp;
    const { revisions } = this.#services.server;
    return { request, auth, revision: version === undefined ? undefined : findRevision(revisions, version) };
  }

  /** The session of the headers, if their version is supported; otherwise refuses the request. */
  sessionOf(request: HttpRequest, auth: Auth | undefined): Session | undefined {
    return sessionOf(this.#services, this.#sessions, this.#headOf(request, auth));
  }
}

/** Whether the POST of a batch gets an answer instead of 202. A batch without a request does not. 2025-03-26 basic/transports. */
function isAnswered(decoded: Decoded, revision: Revision | undefined): boolean {
  if (decoded.kind !== 'batch') return false;
  const { values } = decoded;
  return !takesBatches(revision) || values.length > defaultConnectionLimits.maxBatch || values.some(asks);
}

/** Whether a message of a batch gets an answer: a request, or an invalid message. */
function asks(value: unknown): boolean {
  const { kind } = classify(value);
  return kind === 'request' || kind === 'refusal';
}

const takesBatches = (revision: Revision | undefined): boolean => revision !== undefined && revisionTable.batching(revision);

/** The content types that the `Accept` header of a POST allows. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
}

/** The last header read, and its result: a client sends the same one with each request. */
let lastHeader: string | undefined;
let lastAccepted: Accepted | undefined;

/**
 * Reads an `Accept` header; a missing one accepts everything. Undefined: it accepts neither JSON nor a stream.
 * RFC 9110, 12.5.1, without its weights.
 */
export function readAccept(header: string | undefined): Accepted | undefined {
  if (header !== undefined && header === lastHeader) return lastAccepted;
  const text = header?.toLowerCase() ?? '*/*';
  const any = text.includes('*/*');
  const json = any || text.includes('application/json') || text.includes('application/*');
  const sse = any || text.includes('text/event-stream') || text.includes('text/*');
  lastHeader = header;
  return lastAccepted = json || sse ? { json, sse } : undefined;
}

/** Whether a `Content-Type` is JSON, with or without parameters. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(?:;|$)/i.test(contentType ?? '');
}

/** A body that was read to its end. */
export type WholeBody = Exclude<Body, { fault: string }>;

/** Whether the `Content-Type` is JSON; otherwise refuses the request. */
export function takesJson(services: EndpointServices, request: HttpRequest): boolean {
  if (isJson(request.mcp.contentType)) return true;
  refuse(services, request, 415, 'Unsupported media type: Content-Type must be application/json');
  return false;
}

/** Reads a body to its end. If it cannot be read or is too long, refuses the request. */
export function readWhole(services: EndpointServices, request: HttpRequest, done: (body: WholeBody) => void): void {
  const { maxBodyBytes } = services.limits;
  let over: (() => void) | undefined;
  // Only a closing endpoint waits for its requests.
  if (services.phase !== 'open') {
    services.track(new Promise<void>((resolve) => {
      over = resolve;
      request.onGone(resolve);
    }));
  }
  const reading = request.read(maxBodyBytes, (body) => {
    over?.();
    // The endpoint may have closed while the body was read.
    if (services.phase === 'closed') return refuseWork(services, request);
    if (typeof body !== 'object' || !('fault' in body)) return done(body);
    if (body.fault === 'unreadable') return refuse(services, request, 400, 'The body could not be read');
    const fields = { connection: 'close' };
    // RFC 9110, 15.6.4: the request is valid, and there may be room later.
    if (body.fault === 'no room') return refuse(services, request, 503, noMemory, { fields });
    refuse(services, request, 413, `Content too large: the limit is ${maxBodyBytes} bytes`, { fields });
  });
  if (reading) {
    services.track(reading.catch((thrown: unknown) => {
      services.report(thrown);
      request.destroy();
    }));
  }
}

/** Whether a body begins like a batch; it may be malformed JSON. */
export function isBatch(body: WholeBody): boolean {
  if (typeof body === 'string') return /^[ \t\r\n]*\[/.test(body);
  if (!(body instanceof Uint8Array)) return Array.isArray(body.value);
  let at = 0;
  // Space, tab, CR, LF: the white space of JSON.
  while (body[at] === 0x20 || body[at] === 0x09 || body[at] === 0x0d || body[at] === 0x0a) at++;
  return body[at] === 0x5b;
}

/** Decodes the message in a body. */
export function decodeBody(body: WholeBody): Decoded {
  if (typeof body === 'string' || body instanceof Uint8Array) return decode(body);
  return decodeValue(body.value);
}

/** A body as text, for a trace. */
export function textOf(body: WholeBody): string {
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) return JSON.stringify(body.value);
  try {
    return decodeUtf8(body);
  } catch {
    return '(not UTF-8)';
  }
}
