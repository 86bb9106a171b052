import { BoundedMap } from '../bounds/bounded-map.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import { ConnectionError, methodNotFound } from '../jsonrpc/errors.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { Shared, SharedRequest } from '../transport/http/server/sharing.ts';
import type { HttpRequest } from '../transport/http/server/http-request.ts';
import { noRoom, refuse } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { randomId } from '../transport/http/server/sessions.ts';
import type { Sessions } from '../transport/http/server/sessions.ts';
import type { Auth } from '../transport/auth.ts';
import type { Agreed, SharedHandshake, SharedPeer } from '../transport/server-port.ts';
import { keptAnswer } from './kept-answer.ts';
import { createPassing } from './passing.ts';
import { checkLength, keptOf, maxSessionId, openRecord, sealRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import type { SharedSessions } from './shared-sessions.ts';
import type { FleetSide } from './side.ts';
import { takeOver } from './take-over.ts';
import type { KnownSession } from './take-over.ts';

/** What is kept of each id that was opened: a bounded cache, so that a busy session is opened once. */
interface Opened extends SessionRecord {
  readonly principal: string | undefined;
}

/** A handshake whose session is not sealed yet, and what it has agreed on. */
interface Opening {
  readonly handshake: SharedHandshake;
  readonly agreed: Agreed;
}

/**
 * Sessions whose ids say all that a process needs, so that each process with the keys opens them. Those that are open here are in
 * `local` under their names. One that is removed from there has not ended: its id opens it again.
 */
export function sealedSessions(side: FleetSide, services: EndpointServices, local: Sessions): SharedSessions {
  const { maxSessions } = services.limits;
  const records = new BoundedMap<string, Opened>(maxSessions);
  /** What those that are open were opened from: they may be opened again while the body of a request is being read. */
  const origins = new WeakMap<Session, Opened>();
  const openings = new WeakMap<Session, Opening>();

  const known = (agreed?: Agreed): KnownSession => ({ agreed, listens: false, questionId: side.questionId });

  const open = (
    id: string, auth: Auth | undefined, begin: SharedPeer['begin'], agree: SharedPeer['agree'], admitted?: boolean,
  ): Session | undefined => local.open(auth, false, { id, shared: { begin, agree, admit }, announce: toNobody, admitted });

  /** The session with this name, opened where it is not. Undefined: there may be no more. */
  function openHere(record: Opened, auth: Auth | undefined, admitted: boolean): Session | undefined {
    const { name, agreed } = record;
    const found = local.find(name, auth, false);
    if (found) return found;
    const session = open(name, auth, (handshake) => takeOver(handshake, known(agreed)), (_, result) => result, admitted);
    if (session) origins.set(session, record);
    return session;
  }

  /** Opens one whose handshake is still to come. Undefined: there may be no more. */
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
      if (record === undefined || record.principal !== auth?.principal || record.expires <= Date.now()) return next();
      request.opened = openHere(record, auth, false);
      if (request.opened) next();
      else refuse(services, request, 503, noRoom);
    };
    const known = records.get(id);
    if (known) return go(known);
    services.track(openRecord(side.sealer, id, auth?.principal).then((record) => {
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
    const record: Opened = { name: session.id, agreed, expires: Date.now() + side.sessionMaxMs, principal };
    const id = await sealRecord(side.sealer, session.id, agreed, principal);
    takeOver(handshake, known(agreed));
    records.set(id, record);
    origins.set(session, record);
    session.announced = id;
  }

  /** The answer to `initialize` waits until the id is sealed. Here the session stays open: its client mostly comes back. */
  const outlet = (session: Session, _: unknown, response: Outlet): Outlet => session.peer.revision ? response
    : keptAnswer({
      response, keep: () => seal(session), message: 'The session could not be sealed', report: services.report,
    });

  const shared: Shared = {
    ...createPassing(side, services),
    enter, outlet,
    listen: undefined,
    // The router has answered 405.
    remove() {},
    drain() {},
    pairs: side.connected,
  };
  return {
    ...local,
    shared,
    open(auth, paired) {
      if (paired) return local.open(auth, true, { id: `${side.process}-${randomId()}` });
      return openNew(auth);
    },
    find(id, auth, paired, request) {
      if (paired) return local.find(id, auth, true);
      const session = request?.opened;
      if (!session?.ended) return session;
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

/** Refuses what is not declared. */
function admit(method: string): void {
  if (/^(logging\/setLevel|resources\/(un)?subscribe)$/.test(method)) throw methodNotFound(method);
}

/** Such a session has no GET stream: what belongs to no request reaches nobody. */
function toNobody(_: string, message?: object): void {
  if (message && 'id' in message) throw new ConnectionError('closed', 'the client has no stream open to be asked on');
}

/** The result of `initialize` without what such a session does not keep. JSON leaves out what is undefined. */
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
