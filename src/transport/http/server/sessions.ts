import type { Timer } from '../../../bounds/clock.ts';
import { OrderOfUse } from '../../../bounds/order-of-use.ts';
import type { Auth } from '../../auth.ts';
import type { EndpointServices } from './services.ts';
import { Session } from './session.ts';
import type { GivenSession } from './session.ts';
import type { Shared, SharedRequest } from './sharing.ts';

/** The sessions of one endpoint. */
export interface Sessions {
  /** What is different where other processes serve them too. */
  readonly shared?: Shared | undefined;
  /** Opens one; undefined where there may be no more and the client of each one is connected. */
  open(auth: Auth | undefined, paired: boolean, given?: GivenSession): Session | undefined;
  /** The session with this id, if it is this user's, of this kind, and alive; it counts as used now. */
  find(id: string, auth: Auth | undefined, paired: boolean, request?: SharedRequest): Session | undefined;
  /** The session with this id, whosesoever it is. */
  peek(id: string): Session | undefined;
  /** Ends a session, which the client then gets 404 for; `why` is what its handlers are told. */
  end(session: Session, why: string): void;
  all(): Session[];
}

// Asking the system for 16 bytes costs as much as for 512. Bytes that have been used are written over.
let pool: Uint8Array<ArrayBuffer> | undefined;
let left = 0;

/** 128 random bits in visible ASCII. 2025-11-25 basic/transports#session-management. */
export function randomId(): string {
  const bytes = pool ??= new Uint8Array(512);
  if (left === 0) {
    crypto.getRandomValues(bytes);
    left = bytes.length;
  }
  const used = bytes.subarray(left - 16, left);
  left -= 16;
  let id = '';
  for (const byte of used) id += (byte + 256).toString(16).slice(1);
  used.fill(0);
  return id;
}

/** Makes the table. Long function: its short functions share the table of sessions. */
export function createSessions(services: EndpointServices): Sessions {
  const { clock } = services;
  const { maxSessions, maxSessionsPerPrincipal, sessionIdleMs } = services.limits;
  const byId = new Map<string, Session>();
  const order = new OrderOfUse<Session>();
  /** The sessions of each principal, in the order of use too: there are few, so that a Set will do. */
  const byPrincipal = new Map<string, Set<Session>>();
  let timer: Timer | undefined;

  const siblingsOf = (auth: Auth | undefined): Set<Session> | undefined => auth && byPrincipal.get(auth.principal);

  function use(session: Session): void {
    session.lastUsed = clock.monotonic();
    // The one that was used last is at the end already: a client says several things in a row.
    if (session === order.newest || session.ended) return;
    order.remove(session);
    order.add(session);
    const siblings = siblingsOf(session.auth);
    if (siblings?.delete(session)) siblings.add(session);
  }

  function end(session: Session, why: string): void {
    if (session.ended) return;
    byId.delete(session.id);
    order.remove(session);
    const siblings = siblingsOf(session.auth);
    siblings?.delete(session);
    if (session.auth && siblings?.size === 0) byPrincipal.delete(session.auth.principal);
    session.close(why);
  }

  /** Ends it if its time is up. Work that goes on for nobody does not keep it. */
  function lapses(session: Session): boolean {
    const over = session.connections === 0 && clock.monotonic() - session.lastUsed >= sessionIdleMs;
    if (over) end(session, 'the session was idle for too long');
    return over;
  }

  /** Ends what has lapsed, and comes again. */
  function sweep(): void {
    timer = undefined;
    for (const session of order) if (!lapses(session) && session.connections === 0) break;
    if (byId.size > 0) arm();
  }

  function arm(): void {
    timer ??= clock.after(Math.max(1000, Math.min(sessionIdleMs, 60_000)), sweep, true);
  }

  /**
   * Makes room among these, the oldest first: ends the session that has been idle longest; where each has work in flight,
   * the one that has had no connection longest. False: the clients of all are connected.
   */
  function evict(among: Iterable<Session>): boolean {
    let left: Session | undefined;
    for (const session of among) {
      if (session.connections > 0) continue;
      left ??= session;
      if (session.peer.inFlight > 0) continue;
      left = session;
      break;
    }
    if (left) end(left, 'the session made room for a new one');
    return left !== undefined;
  }

  return {
    open(auth, paired, given) {
      const siblings = auth && (siblingsOf(auth) ?? new Set<Session>());
      const full = siblings && siblings.size >= maxSessionsPerPrincipal && !evict(siblings)
        || byId.size >= maxSessions && !evict(order);
      if (full && !given?.admitted) return undefined;
      const session = new Session(services, given ?? { id: randomId() }, auth, paired, use);
      const before = byId.get(session.id);
      if (before) end(before, 'the session was opened anew');
      byId.set(session.id, session);
      order.add(session);
      if (auth && siblings) byPrincipal.set(auth.principal, siblings.add(session));
      arm();
      return session;
    },
    find(id, auth, paired) {
      const session = byId.get(id);
      // Another user's session is as unknown as none: its id tells nothing.
      if (session?.paired !== paired || session.auth?.principal !== auth?.principal || lapses(session)) {
        return undefined;
      }
      session.heard(auth);
      return session;
    },
    peek: (id) => byId.get(id),
    end,
    all: () => [...order],
  };
}
