import type { Outlet } from '../jsonrpc/outlet.ts';
import { failureText } from '../jsonrpc/outlet.ts';
import { ConnectionError, internalError, methodNotFound, toErrorObject } from '../jsonrpc/errors.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { GivenSession } from '../transport/http/server/session.ts';
import type { Shared, SharedRequest } from '../transport/http/server/sharing.ts';
import type { HttpRequest } from '../transport/http/server/http-request.ts';
import { noRoom, refuse } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { randomId } from '../transport/http/server/sessions.ts';
import type { Sessions } from '../transport/http/server/sessions.ts';
import type { Agreed, Auth, SharedPeer } from '../transport/port.ts';
import { createPassing } from './passing.ts';
import { checkLength, maxSessionId, openRecord, sealRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import type { SharedSessions } from './shared-sessions.ts';
import type { FleetSide } from './side.ts';
import { takeOver } from './take-over.ts';

/** What is kept of each id that was opened: a bounded cache, so that a busy session is opened once. */
interface Opened extends SessionRecord {
  readonly principal: string | undefined;
}

/**
 * Sessions whose ids say all that a process needs, so that each process with the keys opens them. Those that are open here are in
 * `local` under their names; leaving it ends nothing.
 */
export function sealedSessions(side: FleetSide, services: EndpointServices, local: Sessions): SharedSessions {
  const { maxSessions } = services.limits;
  const records = new Map<string, Opened>();
  /** What those that are open were opened from: they may be opened again while the body of a request is being read. */
  const origins = new WeakMap<Session, Opened>();
  const handshakes = new WeakMap<Session, Agreed>();

  function remember(id: string, opened: Opened): void {
    if (records.size >= maxSessions) records.delete(records.keys().next().value as string);
    records.set(id, opened);
  }

  const given = (id: string, agree: SharedPeer['agree'], agreed?: Agreed): GivenSession => ({
    id,
    shared: {
      begin: (handshake) => takeOver(handshake, { agreed, listens: false, questionId: side.questionId }),
      admit, agree,
    },
    announce: toNobody,
  });

  /** The session with this name, opened where it is not. Undefined: there may be no more. */
  function openHere(record: Opened, auth: Auth | undefined, admitted: boolean): Session | undefined {
    const { name, agreed } = record;
    const found = local.find(name, auth, false);
    if (found) return found;
    const session = local.open(auth, false, { ...given(name, (_, result) => result, agreed), admitted });
    if (session) origins.set(session, record);
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
    openRecord(side.sealer, id, auth?.principal).then((record) => {
      const opened = record && { ...record, principal: auth?.principal };
      if (opened) remember(id, opened);
      go(opened);
    }).catch((thrown: unknown) => {
      services.report(thrown);
      refuse(services, request, 500, 'The session could not be opened');
    });
  }

  /** The answer to `initialize` waits until the id is sealed; the session is then opened by whoever gets its id. */
  function outlet(session: Session, _: unknown, response: Outlet): Outlet {
    if (session.peer.revision) return response;
    return {
      send: (text, message) => response.send(text, message),
      answer(text, errorCode, thrown) {
        const agreed = handshakes.get(session);
        if (text === undefined || errorCode !== undefined || agreed === undefined) {
          return response.answer(text, errorCode, thrown);
        }
        sealRecord(side.sealer, session.id, agreed, session.auth?.principal).then((id) => {
          session.announced = id;
          response.answer(text);
          local.end(session, 'the handshake is over');
        }, (fault: unknown) => {
          services.report(fault);
          const error = toErrorObject(internalError('The session could not be sealed'));
          response.answer(failureText(null, error), error.code);
        });
      },
    };
  }

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
      const name = randomId();
      const session = local.open(auth, false, given(name, (agreed, result) => {
        checkLength(name, agreed);
        if (session) handshakes.set(session, agreed);
        return declared(result);
      }));
      return session;
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

/** The result of `initialize` without what such a session does not keep. */
function declared(result: object): object {
  const { capabilities } = result as { capabilities: ServerCapabilities };
  const { logging: _, tools, prompts, resources, ...rest } = capabilities;
  return {
    ...result,
    capabilities: {
      ...rest,
      ...(tools && { tools: quiet(tools) }),
      ...(prompts && { prompts: quiet(prompts) }),
      ...(resources && { resources: quiet(resources) }),
    },
  };
}

function quiet(capability: { listChanged?: boolean | undefined; subscribe?: boolean | undefined }): object {
  const { listChanged: _, subscribe: __, ...rest } = capability;
  return rest;
}
