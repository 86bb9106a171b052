import { decodeValue } from '../jsonrpc/codec.ts';
import { ConnectionError, internalError, toErrorObject } from '../jsonrpc/errors.ts';
import * as errorCodes from '../jsonrpc/error-codes.ts';
import type { Decoded, Request } from '../jsonrpc/message.ts';
import { failureText, nobody } from '../jsonrpc/outlet.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import { inBackground } from '../jsonrpc/times.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { isLoggingLevel } from '../protocol/meta.ts';
import type { GivenSession } from '../transport/http/server/session.ts';
import type { Shared, SharedRequest } from '../transport/http/server/sharing.ts';
import type { HttpRequest } from '../transport/http/server/http-request.ts';
import { noRoom, refuse } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { randomId } from '../transport/http/server/sessions.ts';
import type { Sessions } from '../transport/http/server/sessions.ts';
import type { Agreed, Auth } from '../transport/port.ts';
import { createPassing, unreachable, unreachableData as data } from './passing.ts';
import type { SharedSessions } from './shared-sessions.ts';
import { sharedStreams } from './shared-streams.ts';
import type { StoredSide } from './side.ts';
import { recordCache } from './record-cache.ts';
import type { Known } from './record-cache.ts';
import { Rereading } from './rereading.ts';
import { writeRecord } from './stored-record.ts';
import type { StoredRecord } from './stored-record.ts';
import { takeOver } from './take-over.ts';

/** What the session that is open here was told of its record. */
interface Applied {
  level: LoggingLevel | undefined;
  readonly watched: Set<string>;
}

/** What every process hears of by itself: the one that carries the GET stream tells the client. */
const heardByAll = /^\{"jsonrpc":"2\.0","method":"notifications\/(?:resources\/updated|[a-z]+\/list_changed)"/;

/**
 * Sessions whose records the engine keeps, with the events of their streams. Those that are open here are in `local`
 * under their ids; a session that leaves `local` goes on in the store.
 */
export function storedSessions(side: StoredSide, services: EndpointServices, local: Sessions): SharedSessions {
  const { sessions, streams } = side;
  const { maxSessions, maxSessionsPerPrincipal, sessionIdleMs } = services.limits;
  /** How often the store is told that a session is in use. */
  const everyMs = sessionIdleMs / 4;
  const handshakes = new WeakMap<Session, Agreed>();
  const applied = new WeakMap<Session, Applied>();
  /** Of each principal, the session that is being made: one at a time. */
  const making = new Map<string, Promise<unknown>>();

  const records = recordCache({
    sessions, max: maxSessions,
    wanted: (id) => own.holds(id),
    tell: (id, { text, version }) => side.tell({ kind: 'record', session: id, version, text })
      .catch((thrown: unknown) => services.report(thrown)),
  });

  async function change(id: string, next: (record: StoredRecord) => StoredRecord | undefined): Promise<Known | undefined> {
    const known = await records.change(id, next);
    if (known === undefined) forget(id, 'the session has ended');
    return known;
  }

  function forget(id: string, why: string): void {
    records.forget(id);
    const session = local.peek(id);
    if (session === undefined) return;
    own.forget(id);
    local.end(session, why);
  }

  const own = sharedStreams(side, services, {
    record: async (id) => (await records.load(id))?.record,
    change: async (id, next) => (await change(id, next))?.record,
    // What the client watches counts where its GET stream is written.
    listens: (session) => {
      const known = records.get(session.id);
      if (known) apply(session, known.record);
    },
  });

  const given = (id: string, agreed: Agreed | undefined, session: () => Session | undefined): GivenSession => ({
    id,
    newStream: own.answering,
    announce: (text, message) => own.holds(id) || !heardByAll.test(text) ? announce(id, text, message) : undefined,
    shared: {
      begin: (handshake) => takeOver(handshake, { agreed, listens: true, questionId: side.questionId }),
      agree(found, result) {
        const opened = session();
        if (opened) handshakes.set(opened, found);
        return result;
      },
    },
  });

  /** Sends what belongs to no request over the GET stream, wherever it is. */
  function announce(id: string, text: string, message: object | undefined): void {
    own.announce(id, text).catch((thrown: unknown) => {
      if (!message || !('id' in message)) return services.report(thrown);
      const fault = thrown instanceof ConnectionError ? thrown.message : unreachable;
      const error = { code: errorCodes.internalError, message: fault };
      local.peek(id)?.peer.receive(decodeValue({ jsonrpc: '2.0', id: (message as Request).id, error }));
    });
  }

  function openHere(id: string, record: StoredRecord, auth: Auth | undefined, admitted: boolean): Session | undefined {
    const found = local.find(id, auth, false);
    if (found) return found;
    const session = local.open(auth, false, { ...given(id, record.agreed, () => undefined), admitted });
    if (session) apply(session, record);
    return session;
  }

  function stateOf(session: Session): Applied {
    const state = applied.get(session) ?? { level: undefined, watched: new Set<string>() };
    applied.set(session, state);
    return state;
  }

  /** Brings the session that is open here to what its record says, by the client's own requests. */
  function apply(session: Session, { level, watched }: StoredRecord): void {
    const state = stateOf(session);
    const ask = (method: string, params: object): void =>
      session.peer.receive(decodeValue({ jsonrpc: '2.0', id: side.newName(), method, params }), nobody);
    if (level !== state.level && level !== undefined) ask('logging/setLevel', { level });
    state.level = level;
    if (!own.holds(session.id)) return;
    const wanted = new Set(watched);
    for (const uri of wanted) if (!state.watched.has(uri)) ask('resources/subscribe', { uri });
    for (const uri of state.watched) if (!wanted.has(uri)) ask('resources/unsubscribe', { uri });
    state.watched.clear();
    for (const uri of wanted) state.watched.add(uri);
  }

  function enter(request: SharedRequest, auth: Auth | undefined, next: () => void): void {
    const id = request.header('mcp-session-id');
    if (id === undefined || !/^[\da-f]{32}$/.test(id)) return next();
    const go = (known: Known | undefined): void => {
      if (known === undefined || known.record.principal !== auth?.principal) return next();
      request.opened = openHere(id, known.record, auth, false);
      if (request.opened) next();
      else refuse(services, request, 503, noRoom);
    };
    const known = records.get(id);
    if (known && Date.now() - known.checked < everyMs) return go(known);
    check(id, known).then(go).catch((thrown: unknown) => {
      services.report(thrown);
      refuse(services, request, 503, unreachable, { data });
    });
  }

  /** Tells the store that the session is in use, and finds out whether it is still there. */
  async function check(id: string, known: Known | undefined): Promise<Known | undefined> {
    if (!await sessions.touch(id, sessionIdleMs)) {
      forget(id, 'the session was idle for too long');
      return undefined;
    }
    if (known === undefined) return reread(id);
    known.checked = Date.now();
    return known;
  }

  /** What the store says of a session counts for the one that is open here. */
  async function reread(id: string): Promise<Known | undefined> {
    const known = await records.load(id);
    const session = local.peek(id);
    if (known && session) {
      own.settle(id, known.record);
      apply(session, known.record);
    }
    return known;
  }

  /** Where a principal has as many sessions as it may: ends the one that was used longest ago. False: none can go. */
  async function makeRoom(principal: string): Promise<boolean> {
    const ids = await sessions.of(principal);
    for (let over = ids.length + 1 - maxSessionsPerPrincipal, i = 0; over > 0; i++) {
      const id = ids[i];
      if (id === undefined) return false;
      if ((local.peek(id)?.connections ?? 0) > 0) continue;
      await end(id, 'the session made room for a new one');
      over--;
    }
    return true;
  }

  async function end(id: string, why: string): Promise<void> {
    await sessions.delete(id);
    forget(id, why);
    await streams.drop(id);
    await side.tell({ kind: 'ended', session: id, why }).catch((thrown: unknown) => services.report(thrown));
  }

  /** Keeps the record of a session whose handshake was answered. False: its principal may have no more. */
  async function create(id: string, agreed: Agreed, principal: string | undefined): Promise<boolean> {
    const record: StoredRecord = {
      agreed, principal, level: undefined, watched: [], opened: Date.now(), listener: undefined,
    };
    const make = async (): Promise<boolean> => {
      if (principal !== undefined && !await makeRoom(principal)) return false;
      await sessions.create(id, principal, writeRecord(record), sessionIdleMs);
      return true;
    };
    if (principal === undefined) return make();
    const made = (making.get(principal) ?? Promise.resolve()).then(make, make);
    making.set(principal, made);
    try {
      return await made;
    } finally {
      if (making.get(principal) === made) making.delete(principal);
    }
  }

  /** The answer to what changes the record waits until the store has it. */
  function outlet(session: Session, decoded: Decoded, response: Outlet, request: HttpRequest): Outlet {
    if (decoded.kind !== 'request') return response;
    const { method, params = {}, id } = decoded.message;
    let keep: (() => Promise<boolean>) | undefined;
    if (method === 'initialize') {
      keep = async () => {
        const agreed = handshakes.get(session);
        if (agreed === undefined) return true;
        const made = await create(session.id, agreed, session.auth?.principal);
        if (!made) refuse(services, request, 503, noRoom, { id });
        return made;
      };
    } else if (method === 'logging/setLevel') {
      const { level } = params;
      keep = () => changed(session, (record) => ({ ...record, level: isLoggingLevel(level) ? level : record.level }));
    } else if (method === 'resources/subscribe' || method === 'resources/unsubscribe') {
      const uri = String(params['uri']);
      const watch = method === 'resources/subscribe';
      keep = () => {
        // The session that is open here has done it.
        const { watched } = stateOf(session);
        if (watch) watched.add(uri);
        else watched.delete(uri);
        return changed(session, (record) => {
          const others = record.watched.filter((one) => one !== uri);
          return { ...record, watched: watch ? [...others, uri] : others };
        });
      };
    }
    return keep ? keeping(session, response, keep) : response;
  }

  async function changed(session: Session, next: (record: StoredRecord) => StoredRecord): Promise<boolean> {
    const known = await change(session.id, next);
    if (known === undefined) throw new Error('the session has ended');
    apply(session, known.record);
    return true;
  }

  function keeping(session: Session, response: Outlet, keep: () => Promise<boolean>): Outlet {
    return {
      send: (text, message) => response.send(text, message),
      room: (length, mayBeLost) => response.room?.(length, mayBeLost) ?? true,
      answer(text, errorCode, thrown) {
        if (text === undefined || errorCode !== undefined) return response.answer(text, errorCode, thrown);
        const opening = session.peer.revision !== undefined && handshakes.has(session);
        keep().then((kept) => {
          if (kept) response.answer(text);
        }, (fault: unknown) => {
          services.report(fault);
          const { id } = JSON.parse(text) as Request;
          const error = { ...toErrorObject(internalError(unreachable)), data };
          response.answer(failureText(id, error), error.code);
        }).finally(() => {
          if (opening) local.end(session, 'the handshake is over');
        });
      },
    };
  }

  /** What was told may have been missed: the store knows each session, and the client of each is told. */
  const rereading = new Rereading(async (id) => {
    if (local.peek(id) === undefined) return;
    const known = await reread(id);
    if (known) own.refresh(id, known.record.watched);
    else forget(id, 'the session has ended');
  }, services.report);

  const timer = setInterval(() => {
    own.sweep();
    for (const session of local.all()) {
      if (session.connections === 0 || !applied.has(session)) continue;
      check(session.id, records.get(session.id)).catch((thrown: unknown) => services.report(thrown));
    }
  }, everyMs);
  inBackground(timer);

  const shared: Shared = {
    ...createPassing(side, services),
    enter, outlet,
    listen: own.listen,
    remove(request, session) {
      end(session.id, 'the client ended the session').then(() => request.respond(204, ''), (thrown: unknown) => {
        services.report(thrown);
        refuse(services, request, 503, unreachable, { data });
      });
    },
    drain: own.drain,
    pairs: true,
  };

  return {
    ...local,
    shared,
    open(auth, paired) {
      if (paired) return local.open(auth, true, { id: `${side.process}-${randomId()}` });
      const session: Session | undefined = local.open(auth, false, given(randomId(), undefined, () => session));
      return session;
    },
    find(id, auth, paired, request) {
      if (paired) return local.find(id, auth, true);
      const session = request?.opened;
      if (!session?.ended) return session;
      // It left the cache while the body of the request was being read, or has ended.
      const known = records.get(id);
      return known && known.record.principal === auth?.principal ? openHere(id, known.record, auth, true) : undefined;
    },
    receive: own.receive,
    hear(told) {
      if (told.kind === 'ended') forget(told.session, told.why);
      if (told.kind !== 'record') return;
      const { session: id, version, text } = told;
      const known = records.hear(id, version, text);
      if (known === undefined) return;
      own.settle(id, known.record);
      const session = local.peek(id);
      if (session) apply(session, known.record);
    },
    missed() {
      records.clear();
      for (const session of local.all()) {
        if (applied.has(session) && (session.connections > 0 || own.holds(session.id))) rereading.add(session.id);
      }
    },
    lapsed: own.giveBack,
    close() {
      clearInterval(timer);
      rereading.end();
    },
  };
}
