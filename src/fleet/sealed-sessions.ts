import type { Clock } from '../bounds/clock.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import { invalidParams, isObject, methodNotFound } from '../jsonrpc/internal-exports.ts';
import { ConnectionError } from '../jsonrpc/index.ts';
import type { Outlet } from '../jsonrpc/index.ts';
import type { ServerCapabilities } from '../protocol/index.ts';
import { isImplementation } from '../protocol/internal-exports.ts';
import type { RequestStateSealer } from '../server/internal-exports.ts';
import { noRoom, randomId, refuse } from '../transport/internal-exports.ts';
import type {
  Agreed, Auth, EndpointServices, HttpRequest, Session, Sessions, Shared, SharedHandshake, SharedPeer, SharedRequest,
} from '../transport/internal-exports.ts';
import { keptAnswer } from './kept-answer.ts';
import { createForwarding } from './forwarding.ts';
import { servedWith, takeOver } from './session-settings.ts';
import type { KnownSession } from './session-settings.ts';
import type { FleetProcess, SharedSessions } from './process.ts';

/** A decrypted session id, cached so that the id of a busy session is decrypted only once. */
interface Opened extends SessionRecord {
  readonly principal: string | undefined;
}

/** A handshake whose session id is not sealed yet, and its result. */
interface Opening {
  readonly handshake: SharedHandshake;
  readonly agreed: Agreed;
}

/**
 * Makes sessions whose encrypted ids contain all that a process needs, so that each process with the keys can open
 * them. Open sessions are in `local` under their names. A session that is removed from there has not ended: its id
 * opens it again. Long function: its short functions share the keys and the open sessions.
 */
export function sealedSessions(self: FleetProcess, services: EndpointServices, local: Sessions): SharedSessions {
  const { maxSessions } = services.limits;
  const records = new BoundedMap<string, Opened>(maxSessions);
  /** The records of open sessions: a session that ends while a request's body is read is opened again from its record. */
  const origins = new WeakMap<Session, Opened>();
  const openings = new WeakMap<Session, Opening>();

  const known = (agreed?: Agreed): KnownSession => ({ agreed, listens: false, questionId: self.questionId });

  const open = (
    id: string, auth: Auth | undefined, begin: SharedPeer['begin'], agree: SharedPeer['agree'], admitted?: boolean,
  ): Session | undefined => local.open(auth, false, { id, shared: { begin, agree, admit }, announce: toNobody, admitted });

  /** Returns the session with this name, and opens it if necessary. Undefined if there are too many sessions. */
  function openHere(record: Opened, auth: Auth | undefined, admitted: boolean): Session | undefined {
    const { name, agreed } = record;
    const found = local.find(name, auth, false);
    if (found) return found;
    const session = open(name, auth, (handshake) => takeOver(handshake, known(agreed)), (_, result) => result, admitted);
    if (session) origins.set(session, record);
    return session;
  }

  /** Opens a new session, before its handshake. Undefined if there are too many sessions. */
  function openNew(auth: Auth | undefined): Session | undefined {
    const name = randomId();
    let handshake: SharedHandshake | undefined;
    const session: Session | undefined = open(name, auth, (begun) => takeOver(handshake = begun, known()), (agreed, result) => {
      checkLength(name, agreed);
      if (session && handshake) openings.set(session, { handshake, agreed: keptOf(agreed) });
      return declared(result);
    });
    return session;
  }

  function enter(request: SharedRequest, auth: Auth | undefined, next: () => void): void {
    const id = request.header('mcp-session-id');
    if (id === undefined || id.length > maxSessionId || request.method !== 'POST') return next();
    const go = (record: Opened | undefined): void => {
      if (record === undefined || record.principal !== auth?.principal || record.expires <= self.clock.now()) return next();
      request.opened = openHere(record, auth, false);
      if (request.opened) next();
      else refuse(services, request, 503, noRoom);
    };
    const known = records.get(id);
    if (known) return go(known);
    services.track(openRecord(self.sealer, id, auth?.principal).then((record) => {
      const opened = record && { name: record.name, agreed: record.agreed, expires: record.expires, principal: auth?.principal };
      if (opened) records.set(id, opened);
      go(opened);
    }).catch((thrown: unknown) => {
      services.report(thrown);
      refuse(services, request, 500, 'The session could not be opened');
    }));
  }

  async function seal(session: Session): Promise<void> {
    const opening = openings.get(session);
    if (opening === undefined) return;
    const { handshake, agreed } = opening;
    const principal = session.auth?.principal;
    const record: Opened = { name: session.id, agreed, expires: self.clock.now() + self.sessionMaxMs, principal };
    const id = await sealRecord(self.sealer, session.id, agreed, principal);
    takeOver(handshake, known(agreed));
    records.set(id, record);
    origins.set(session, record);
    session.announced = id;
  }

  /** The answer to `initialize` waits until the id is sealed. The session stays open here, since its client mostly comes back. */
  const outlet = (session: Session, _: unknown, response: Outlet): Outlet => session.peer.revision ? response
    : keptAnswer({
      response, keep: () => seal(session), message: 'The session could not be sealed', report: services.report,
    });

  const shared: Shared = {
    ...createForwarding(self, services),
    enter, outlet,
    listen: undefined,
    // The router has answered 405.
    remove() {},
    drain() {},
    pairs: self.connected,
  };
  return {
    ...local,
    shared,
    open(auth, paired) {
      if (paired) return local.open(auth, true, { id: `${self.name}-${randomId()}` });
      return openNew(auth);
    },
    find(id, auth, paired, request) {
      if (paired) return local.find(id, auth, true);
      const session = request?.opened;
      if (!session?.ended) return servedWith(session, auth);
      const record = origins.get(session);
      return record && openHere(record, auth, true);
    },
    receive() {},
    hear() {},
    missed() {},
    lapsed() {},
    close() {},
  };
}

/** Refuses methods that sealed sessions do not support. */
function admit(method: string): void {
  if (/^(logging\/setLevel|resources\/(un)?subscribe)$/.test(method)) throw methodNotFound(method);
}

/** Sealed sessions have no GET stream: messages outside of requests are not sent, and questions fail. */
function toNobody(_: string, message?: object): void {
  if (message && 'id' in message) throw new ConnectionError('closed', 'the client has no open stream for requests');
}

/** The result of `initialize` without the capabilities that sealed sessions do not support. JSON omits undefined members. */
function declared(result: object): object {
  const { tools, prompts, resources, ...rest } = (result as { capabilities: ServerCapabilities }).capabilities;
  const quiet = { listChanged: undefined, subscribe: undefined };
  return {
    ...result,
    capabilities: {
      ...rest,
      logging: undefined,
      tools: tools && { ...tools, ...quiet },
      prompts: prompts && { ...prompts, ...quiet },
      resources: resources && { ...resources, ...quiet },
    },
  };
}

/** The data in the id of a sealed session: all that a process needs to serve it. */
export interface SessionRecord {
  /** The name of the session in all processes. It gives no access to the session. */
  readonly name: string;
  readonly agreed: Agreed;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Characters of a session id. A header line of nginx holds 8 KiB. */
export const maxSessionId = 1024;

/** The bytes that AES-GCM adds. */
const sealBytes = 28;

/**
 * The text to which an id is bound. The state of a question is bound to a JSON array, which this never is: so under the
 * same keys, neither can be opened in place of the other.
 */
const boundTo = (principal: string | undefined): string =>
  `session ${principal === undefined ? '' : JSON.stringify(principal)}`;

/** The part of a handshake that the id contains. Icons, description and URL of the client are for display, and not used here. */
export function keptOf({ version, client: { name, version: release, title }, capabilities }: Agreed): Agreed {
  const client = title === undefined ? { name, version: release } : { name, version: release, title };
  return { version, client, capabilities };
}

// JSON omits undefined members.
const shortened = (name: string, { version, client, capabilities }: Agreed): object =>
  ({ s: name, v: version, n: client.name, w: client.version, t: client.title, c: capabilities });

/** Throws an `RpcError` that names the limit if the session id would be too long. */
export function checkLength(name: string, agreed: Agreed): void {
  // `expires` has this many digits until the year 2286.
  const text = JSON.stringify({ ...shortened(name, agreed), expires: 1e12 });
  const length = Math.ceil((new TextEncoder().encode(text).length + sealBytes) * 4 / 3);
  if (length <= maxSessionId) return;
  throw invalidParams(
    'clientInfo and capabilities are too long:'
      + ` the session id would have ${length} characters, the limit is ${maxSessionId}`,
  );
}

/** Encrypts the record of a session into its id. */
export function sealRecord(
  sealer: RequestStateSealer, name: string, agreed: Agreed, principal: string | undefined,
): Promise<string> {
  return sealer.seal(shortened(name, agreed), boundTo(principal));
}

/** Decrypts an id. Undefined if it was not sealed for this principal, or has expired. */
export async function openRecord(
  sealer: RequestStateSealer, id: string, principal: string | undefined,
): Promise<SessionRecord | undefined> {
  const state = await sealer.open(id, boundTo(principal)).catch(() => undefined);
  if (state === undefined) return undefined;
  const { s: name, v: version, n, w, t: title, c: capabilities, expires } = state;
  const client = title === undefined ? { name: n, version: w } : { name: n, version: w, title };
  if (typeof name !== 'string' || typeof version !== 'string' || !isImplementation(client) || !isObject(capabilities)) {
    return undefined;
  }
  return { name, agreed: { version, client, capabilities }, expires: Number(expires) };
}
