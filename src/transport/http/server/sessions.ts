import type { Auth } from '../../port.ts';
import type { Host } from './options.ts';
import { Session } from './session.ts';

/** The sessions of one endpoint. */
export interface Sessions {
  /** Opens one; undefined where all that could make room for it are busy. */
  open(auth: Auth | undefined, paired: boolean): Session | undefined;
  /** The session with this id, if it is this user's, of this kind, and alive; it counts as used now. */
  find(id: string, auth: Auth | undefined, paired: boolean): Session | undefined;
  end(session: Session, why: string): void;
  all(): Session[];
}

export function createSessions(host: Host): Sessions {
  const { maxSessions, maxSessionsPerPrincipal, sessionIdleMs } = host.limits;
  const byId = new Map<string, Session>();
  /** The one that was used longest ago comes first, as in the list. */
  const byPrincipal = new Map<string, Set<Session>>();
  // A list through the sessions themselves, so that using one is cheap among a hundred thousand.
  let oldest: Session | undefined;
  let newest: Session | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function unlink(session: Session): void {
    const { older, newer, auth } = session;
    if (older) older.newer = newer;
    else oldest = newer;
    if (newer) newer.older = older;
    else newest = older;
    const siblings = auth && byPrincipal.get(auth.principal);
    siblings?.delete(session);
    if (auth && siblings?.size === 0) byPrincipal.delete(auth.principal);
  }

  function link(session: Session): void {
    const { auth } = session;
    session.older = newest;
    session.newer = undefined;
    if (newest) newest.newer = session;
    else oldest = session;
    newest = session;
    if (auth === undefined) return;
    const siblings = byPrincipal.get(auth.principal);
    if (siblings) siblings.add(session);
    else byPrincipal.set(auth.principal, new Set([session]));
  }

  function use(session: Session): void {
    session.lastUsed = Date.now();
    if (session === newest || session.ended) return;
    unlink(session);
    link(session);
  }

  function end(session: Session, why: string): void {
    if (!byId.delete(session.id)) return;
    unlink(session);
    session.close(why);
  }

  /** Ends it if its time is up. */
  function lapses(session: Session): boolean {
    const over = !session.busy && Date.now() - session.lastUsed >= sessionIdleMs;
    if (over) end(session, 'the session was idle for too long');
    return over;
  }

  /** Ends what has lapsed, and comes again. */
  function sweep(): void {
    timer = undefined;
    for (const session of inOrder()) if (!lapses(session) && !session.busy) break;
    if (oldest) arm();
  }

  function arm(): void {
    timer ??= setTimeout(sweep, Math.max(1000, Math.min(sessionIdleMs, 60_000)));
    // A session keeps no process alive. Where timers are numbers, there is nothing to be done.
    if (typeof timer === 'object') timer.unref?.();
  }

  /** Makes room by ending the session that has been idle longest. */
  function evict(among: Iterable<Session>): boolean {
    for (const session of among) {
      if (session.busy) continue;
      end(session, 'the session made room for a new one');
      return true;
    }
    return false;
  }

  function* inOrder(): Iterable<Session> {
    for (let session = oldest; session; ) {
      const { newer }: Session = session;
      yield session;
      session = newer;
    }
  }

  return {
    open(auth, paired) {
      const siblings = auth && byPrincipal.get(auth.principal);
      if (siblings && siblings.size >= maxSessionsPerPrincipal && !evict(siblings)) return undefined;
      if (byId.size >= maxSessions && !evict(inOrder())) return undefined;
      // 128 random bits in visible ASCII: 2025-11-25 basic/transports#session-management.
      let id = '';
      for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += (byte + 256).toString(16).slice(1);
      const session = new Session(host, id, auth, paired, use);
      byId.set(id, session);
      link(session);
      arm();
      return session;
    },
    find(id, auth, paired) {
      const session = byId.get(id);
      // Another user's session is as unknown as none: its id tells nothing.
      if (session?.paired !== paired || session.auth?.principal !== auth?.principal || lapses(session)) {
        return undefined;
      }
      use(session);
      return session;
    },
    end,
    all: () => [...byId.values()],
  };
}
