import type { Timer } from '../../../bounds/clock.ts';
import { OrderOfUse } from '../../../bounds/order-of-use.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import type { Auth } from '../../auth.ts';
import { refuse, refuseSession } from './error-response.ts';
import type { PostHead } from './posting.ts';
import type { EndpointServices } from './services.ts';
import { Session } from './session.ts';
import type { GivenSession } from './session.ts';
import type { Shared, SharedRequest } from './sharing.ts';
import { refuseVersion } from './header-checks.ts';

/** The sessions of one endpoint. */
export interface Sessions {
  /** Set if other processes serve the sessions too. */
  readonly shared?: Shared | undefined;
  /** Opens a session; undefined if the limit is reached and every session has a connection. */
  open(auth: Auth | undefined, paired: boolean, given?: GivenSession): Session | undefined;
  /** The session with this id, if it has this user and kind, and is alive. Counts as a use. */
  find(id: string, auth: Auth | undefined, paired: boolean, request?: SharedRequest): Session | undefined;
  /** The session with this id, of any user. */
  peek(id: string): Session | undefined;
  /** Ends a session: its client then gets 404. `why` is for the handlers in flight. */
  end(session: Session, why: string): void;
  all(): Session[];
}

/** The session that the headers of a request name, if their version is supported; otherwise refuses the request. */
export function sessionOf(
  services: EndpointServices, sessions: Sessions, { request, auth, revision }: PostHead, id?: RequestId,
): Session | undefined {
  const { session: name, version } = request.mcp;
  if (name === undefined) {
    // If both eras are served, an unknown version is a better hint than a missing session.
    if (version !== undefined && revision === undefined && services.modern) {
      return void refuseVersion(services, request, version, id);
    }
    // 2025-11-25 basic/transports#session-management: 400 without an id,
    // 404 for a session that is over or unknown.
    return void refuse(services, request, 400, 'The Mcp-Session-Id header is missing', { id });
  }
  const session = sessions.find(name, auth, false, request);
  if (session === undefined) return void refuseSession(services, request, { id });
  // 2025-06-18 basic/transports#protocol-version-header. If it is missing, the session has the revision.
  if (version === undefined || revision?.era === 'legacy') return session;
  return void refuseVersion(services, request, version, id);
}

// Asking the system for 16 bytes costs as much as for 512. Used bytes are zeroed.
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

/** Makes the sessions of an endpoint. Long function: its short functions share the table of sessions. */
export function createSessions(services: EndpointServices): Sessions {
  const { clock } = services;
  const { maxSessions, maxSessionsPerPrincipal, sessionIdleMs } = services.limits;
  const byId = new Map<string, Session>();
  const order = new OrderOfUse<Session>();
  /** The sessions of each principal, in order of use: a Set suffices for so few. */
  const byPrincipal = new Map<string, Set<Session>>();
  let timer: Timer | undefined;

  const siblingsOf = (auth: Auth | undefined): Set<Session> | undefined => auth && byPrincipal.get(auth.principal);

  function use(session: Session): void {
    session.lastUsed = clock.monotonic();
    // The session used last is at the end already: a client sends several messages in a row.
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

  /** Ends a session whose idle time is up. Work in flight without a connection does not keep it. */
  function lapses(session: Session): boolean {
    const over = session.connections === 0 && clock.monotonic() - session.lastUsed >= sessionIdleMs;
    if (over) end(session, 'the session was idle for too long');
    return over;
  }

  /** Ends idle sessions, and schedules the next sweep. */
  function sweep(): void {
    timer = undefined;
    for (const session of order) if (!lapses(session) && session.connections === 0) break;
    if (byId.size > 0) arm();
  }

  function arm(): void {
    timer ??= clock.after(Math.max(1000, Math.min(sessionIdleMs, 60_000)), sweep, true);
  }

  /**
   * Makes room among these sessions, oldest first: ends the one that has been idle longest; if each has work in flight,
   * the one without a connection for longest. False: each session has a connection.
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
    if (left) end(left, 'the session was evicted for a new one');
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
      // Another user's session is treated like an unknown one, so that its id reveals nothing.
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
