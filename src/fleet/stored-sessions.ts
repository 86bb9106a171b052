import type { Clock } from '../bounds/clock.ts';
import type { Decoded, Outlet } from '../jsonrpc/index.ts';
import { noRoom, randomId, refuse } from '../transport/internal-exports.ts';
import type { Agreed, Auth, EndpointServices, HttpRequest, Session, Sessions, Shared, SharedRequest } from '../transport/internal-exports.ts';
import type { SessionStore } from './engine.ts';
import { keptAnswer } from './kept-answer.ts';
import { activeSessions } from './active-sessions.ts';
import { createForwarding, unreachable, unreachableData as data } from './forwarding.ts';
import { writeRecord } from './session-records.ts';
import type { Known, StoredRecord } from './session-records.ts';
import { changeIn, servedWith } from './session-settings.ts';
import type { SharedSessions, StoringProcess } from './process.ts';

/**
 * Makes the sessions of one endpoint whose records and stream events the engine stores. Long function: its short
 * functions share the active sessions.
 */
export function storedSessions(self: StoringProcess, services: EndpointServices, local: Sessions): SharedSessions {
  const { maxSessionsPerPrincipal, sessionIdleMs } = services.limits;
  const opened = activeSessions(self, services, local);
  const principals = principalSessions({
    sessions: self.sessions, max: maxSessionsPerPrincipal, idleMs: sessionIdleMs,
    connected: (id) => (local.peek(id)?.connections ?? 0) > 0,
    end: (id) => opened.end(id, 'the session was evicted for a new one'),
  });
  /** The results of `initialize`, until its answer is out. */
  const handshakes = new WeakMap<Session, Agreed>();

  function cannotReach(request: HttpRequest, thrown: unknown): void {
    services.report(thrown);
    refuse(services, request, 503, unreachable, { data });
  }

  function enter(request: SharedRequest, auth: Auth | undefined, next: () => void): void {
    const id = request.header('mcp-session-id');
    if (id === undefined || !/^[\da-f]{32}$/.test(id)) return next();
    const go = (known: Known | undefined): void => {
      if (known === undefined || known.record.principal !== auth?.principal) return next();
      request.opened = opened.open(id, known.record, auth, false);
      if (request.opened) next();
      else refuse(services, request, 503, noRoom);
    };
    const known = opened.known(id, true);
    if (known) return go(known);
    services.track(opened.check(id).then(go, (thrown: unknown) => {
      // The engine is away: a session that is known here is served nevertheless.
      const before = opened.known(id, false);
      if (before === undefined) return cannotReach(request, thrown);
      services.report(thrown);
      go(before);
    }).catch((thrown: unknown) => cannotReach(request, thrown)));
  }

  /** Delays the answer to a request that changes the record until the store has the record. */
  function outlet(session: Session, decoded: Decoded, response: Outlet, request: HttpRequest): Outlet {
    if (decoded.kind !== 'request') return response;
    const { message } = decoded;
    const answer = { response, message: unreachable, data, report: services.report };
    if (message.method === 'initialize') {
      return keptAnswer({
        ...answer,
        async keep() {
          const agreed = handshakes.get(session);
          try {
            const made = !agreed || await principals.create(session.id, {
              agreed, principal: session.auth?.principal, level: undefined, watched: [], opened: self.clock.now(), listener: undefined,
            });
            if (!made) refuse(services, request, 503, noRoom, { id: message.id });
            return made;
          } catch (thrown) {
            services.report(thrown);
            refuse(services, request, 503, unreachable, { id: message.id, data });
            return false;
          }
        },
        done() {
          if (handshakes.has(session)) local.end(session, 'the handshake is over');
        },
      });
    }
    const change = changeIn(message);
    return change ? keptAnswer({ ...answer, keep: () => opened.keep(session, message, change) }) : response;
  }

  const { streams } = opened;
  const shared: Shared = {
    ...createForwarding(self, services),
    enter, outlet,
    listen: streams.listen,
    remove(request, { id }) {
      services.track(opened.end(id, 'the client ended the session').then(
        () => request.respond(204, ''), (thrown: unknown) => cannotReach(request, thrown),
      ));
    },
    drain: streams.drain,
    pairs: true,
  };

  return {
    ...local,
    shared,
    open: (auth, paired) => paired ? local.open(auth, true, { id: `${self.name}-${randomId()}` })
      : opened.begin(auth, (session, agreed) => handshakes.set(session, agreed)),
    find(id, auth, paired, request) {
      if (paired) return local.find(id, auth, true);
      const session = request?.opened;
      if (!session?.ended) return servedWith(session, auth);
      // The session left the cache while the body of the request was read, or has ended.
      const known = opened.known(id, false);
      return known && known.record.principal === auth?.principal ? opened.open(id, known.record, auth, true) : undefined;
    },
    receive: streams.receive,
    hear: opened.hear,
    missed: opened.missed,
    lapsed: streams.giveBack,
    close: opened.close,
  };
}

/** The options of `principalSessions`. */
export interface PrincipalSessionsOptions {
  readonly sessions: SessionStore;
  /** The most sessions of one principal. */
  readonly max: number;
  /** Milliseconds after which an unused session is forgotten. */
  readonly idleMs: number;
  /** Whether the client of this session is connected to this process. Such a session is not ended to make room. */
  readonly connected: (id: string) => boolean;
  /** Ends a session to make room. */
  readonly end: (id: string) => Promise<void>;
}

/** Creates sessions in the store, at most `max` for each principal. Sessions that other processes create at the same time are not counted. */
export interface PrincipalSessions {
  /** Stores the record of a new session. False if its principal may have no more. Rejects if the store cannot be reached. */
  create(id: string, record: StoredRecord): Promise<boolean>;
}

/** Makes a `PrincipalSessions`. */
export function principalSessions({ sessions, max, idleMs, connected, end }: PrincipalSessionsOptions): PrincipalSessions {
  /** The last creation that is under way for each principal: they run one at a time. */
  const making = new Map<string, Promise<unknown>>();

  /** Ends the sessions that were used longest ago until there is room for one. False if all other sessions are connected. */
  async function makeRoom(principal: string): Promise<boolean> {
    const ids = await sessions.of(principal);
    for (let over = ids.length + 1 - max, i = 0; over > 0; i++) {
      const id = ids[i];
      if (id === undefined) return false;
      if (connected(id)) continue;
      await end(id);
      over--;
    }
    return true;
  }

  return {
    async create(id, record) {
      const { principal } = record;
      const make = async (): Promise<boolean> => {
        if (principal !== undefined && !await makeRoom(principal)) return false;
        await sessions.create(id, principal, writeRecord(record), idleMs);
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
    },
  };
}
