import type { Decoded, Notification, RequestId } from '../jsonrpc/message.ts';
import { classify, decodeValue } from '../jsonrpc/codec.ts';
import { failureText } from '../jsonrpc/outlet.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import { internalError, methodNotFound, toErrorObject } from '../jsonrpc/errors.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { RequestStateSealer } from '../server/modern/request-state.ts';
import type { Reply } from '../transport/http/server/fleet-port.ts';
import type { HttpRequest } from '../transport/http/server/http-request.ts';
import { noRoom, refuse } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { randomId } from '../transport/http/server/sessions.ts';
import type { Sessions } from '../transport/http/server/sessions.ts';
import type { Agreed, Auth, SharedPeer } from '../transport/port.ts';
import { checkLength, maxSessionId, openRecord, sealRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';

/** What goes from process to process: a message of the client's for a session that the other process has open. */
export interface Carried {
  /** The name of the session, or the id of a pair. */
  readonly session: string;
  readonly paired: boolean;
  /** Who sent it: what of its credentials is data. */
  readonly auth: Auth | undefined;
  readonly message: unknown;
}

/** What sessions need of their fleet. */
export interface FleetSide {
  readonly sealer: RequestStateSealer;
  /** The name of this process. */
  readonly process: string;
  readonly connected: boolean;
  /** The id of the next question. Throws where no answer could come back. */
  questionId(): RequestId;
  send(process: string, carried: Carried): Promise<void>;
  /** For every other process that has the session open. */
  tell(carried: Carried): Promise<void>;
}

/** The sessions of one endpoint, and what other processes send for them. */
export interface SharedSessions extends Sessions {
  carried(carried: Carried): void;
}

/** A message for another process. */
interface Abroad {
  readonly process: string;
  readonly message: unknown;
}

const nobodyWaits = 'The process that asked cannot be reached: nobody waits for this answer';

type One = Exclude<Decoded, { kind: 'batch' }>;

/** The process that an id names: of a question, a progress token or a pair. */
const nameIn = (id: unknown): string | undefined =>
  typeof id === 'string' ? /^([a-z\d]{1,40})-[a-z\d]+$/.exec(id)?.[1] : undefined;

/** What is kept of each id that was opened: a bounded cache, so that a busy session is opened once. */
interface Opened extends SessionRecord {
  readonly principal: string | undefined;
}

/**
 * Sessions whose ids say all that a process needs: any process with the keys opens them. Those that are open here are in
 * `local` under their names; leaving it ends nothing.
 */
export function shareSessions(side: FleetSide, services: EndpointServices, local: Sessions): SharedSessions {
  const { maxSessions } = services.limits;
  const records = new Map<string, Opened>();
  /** The records of requests whose bodies are still being read. */
  const arrived = new WeakMap<HttpRequest, Opened>();
  const handshakes = new WeakMap<Session, Agreed>();

  function remember(id: string, opened: Opened): void {
    if (records.size >= maxSessions) records.delete(records.keys().next().value as string);
    records.set(id, opened);
  }

  /** The session with this name, opened where it is not. Undefined: there may be no more. */
  function openHere(record: Opened, auth: Auth | undefined, admitted: boolean): Session | undefined {
    const { name, agreed } = record;
    const shared: SharedPeer = { agreed, agree: (_, result) => result, admit, questionId: side.questionId };
    return local.find(name, auth, false) ?? local.open(auth, false, { id: name, shared, admitted });
  }

  function enter(request: HttpRequest, auth: Auth | undefined, next: () => void): void {
    const id = request.header('mcp-session-id');
    if (id === undefined || id.length > maxSessionId || request.method !== 'POST') return next();
    const admit = (record: Opened | undefined): void => {
      if (record === undefined || record.principal !== auth?.principal || record.expires <= Date.now()) return next();
      if (openHere(record, auth, false) === undefined) return refuse(services, request, 503, noRoom);
      arrived.set(request, record);
      next();
    };
    const known = records.get(id);
    if (known) return admit(known);
    openRecord(side.sealer, id, auth?.principal).then((record) => {
      const opened = record && { ...record, principal: auth?.principal };
      if (opened) remember(id, opened);
      admit(opened);
    }).catch((thrown: unknown) => {
      services.report(thrown);
      refuse(services, request, 500, 'The session could not be opened');
    });
  }

  /** The answer to `initialize` waits until the id is sealed; the session is then opened by whoever gets its id. */
  function opening(session: Session, response: Outlet): Outlet {
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

  /** Where a message belongs: to another process, to every one, or here. */
  function divide(value: One): Abroad | 'everybody' | undefined {
    switch (value.kind) {
      case 'success':
      case 'failure': return abroad(value.message.id, value.message);
      case 'refusal': {
        const { id, answer, error: { code } } = value;
        return answer === undefined ? undefined
          : abroad(id, { jsonrpc: '2.0', id, error: { code, message: answer } });
      }
      case 'notification': {
        const { method, params } = value.message;
        if (method === 'notifications/cancelled') return 'everybody';
        return method === 'notifications/progress' ? abroad(params?.['progressToken'], value.message) : undefined;
      }
      default: return undefined;
    }
  }

  function abroad(id: unknown, message: unknown): Abroad | undefined {
    const process = nameIn(id);
    return process === undefined || process === side.process ? undefined : { process, message };
  }

  function forward(session: Pick<Session, 'id' | 'auth'>, decoded: Decoded, reply?: Reply): boolean {
    if (!side.connected || decoded.kind === 'request') return false;
    const carry = (message: unknown): Carried =>
      ({ session: session.id, paired: false, auth: dataOf(session.auth), message });
    const sent: Promise<void>[] = [];
    /** True: nothing of it is for this process. */
    const pass = (one: One): boolean => {
      const found = divide(one);
      if (found === 'everybody') sent.push(side.tell(carry((one as { message: Notification }).message)));
      else if (found) sent.push(side.send(found.process, carry(found.message)));
      return found !== undefined && found !== 'everybody';
    };
    let rest: Decoded | undefined = decoded;
    if (decoded.kind === 'batch') {
      const values = decoded.values.filter((value) => !pass(classify(value)));
      rest = values.length === 0 && sent.length > 0 ? undefined : { ...decoded, values };
    } else if (pass(decoded)) {
      rest = undefined;
    }
    if (sent.length === 0) return false;
    Promise.all(sent).then(() => {
      if (rest) reply?.take(rest);
      else reply?.request.respond(202, '');
    }, (thrown: unknown) => {
      services.report(thrown);
      if (reply) refuse(services, reply.request, 400, nobodyWaits);
    });
    return true;
  }

  return {
    ...local,
    postOnly: true,
    pairless: !side.connected,
    open(auth, paired) {
      if (paired) return local.open(auth, true, { id: `${side.process}-${randomId()}` });
      const name = randomId();
      const shared: SharedPeer = {
        agree(agreed, result) {
          checkLength(name, agreed);
          if (session) handshakes.set(session, agreed);
          return declared(result);
        },
        admit,
        questionId: side.questionId,
      };
      const session = local.open(auth, false, { id: name, shared });
      return session;
    },
    find(id, auth, paired, request) {
      if (paired) return local.find(id, auth, true);
      const record = request && arrived.get(request);
      return record && openHere(record, auth, true);
    },
    enter, opening, forward,
    pairElsewhere(request, pair, auth) {
      const holder = side.connected ? nameIn(pair) : undefined;
      if (holder === undefined || holder === side.process) return undefined;
      return (decoded) => {
        if (decoded.kind === 'refusal') return;
        const message = decoded.kind === 'batch' ? decoded.values : decoded.message;
        side.send(holder, { session: pair, paired: true, auth: dataOf(auth), message }).then(
          () => request.respond(202, ''),
          // With its process the session has gone.
          () => refuse(services, request, 404, 'Session not found'),
        );
      };
    },
    carried({ session: name, paired, auth, message }) {
      const session = local.peek(name);
      if (session === undefined || session.paired !== paired || session.auth?.principal !== auth?.principal) return;
      if (paired) session.heard(auth);
      session.peer.receive(decodeValue(message));
    },
  };
}

/** Credentials as other processes get them: what is data. Without `lacks`, their `scopes` are what counts. */
function dataOf(auth: Auth | undefined): Auth | undefined {
  return auth && JSON.parse(JSON.stringify(auth)) as Auth;
}

/** Refuses what is not declared. */
function admit(method: string): void {
  if (/^(logging\/setLevel|resources\/(un)?subscribe)$/.test(method)) throw methodNotFound(method);
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
