import { decodeValue } from '../jsonrpc/index.ts';
import type { Request, RequestId } from '../jsonrpc/index.ts';
import { nobody } from '../jsonrpc/internal-exports.ts';
import type { LoggingLevel } from '../protocol/index.ts';
import { findRevision, isLoggingLevel } from '../protocol/internal-exports.ts';
import type { Agreed, Auth, ServedClient, Session, SharedHandshake } from '../transport/internal-exports.ts';
import type { StoredRecord } from './session-records.ts';

/** A session that is open in this process. */
interface OpenSession {
  readonly id: string;
  readonly peer: Pick<ServedClient, 'receive'>;
}

/** The settings that were applied to an open session. */
interface Settings {
  level: LoggingLevel | undefined;
  readonly watched: Set<string>;
}

/** The resource that a request subscribes to (`on`) or unsubscribes from. */
function watchIn({ method, params }: Request): { readonly uri: string; readonly on: boolean } | undefined {
  const found = /^resources\/(un)?subscribe$/.exec(method);
  return found ? { uri: String(params?.['uri']), on: found[1] === undefined } : undefined;
}

/** Returns the change that a request makes in the record of its session; undefined: none. */
export function changeIn(request: Request): ((record: StoredRecord) => StoredRecord) | undefined {
  if (request.method === 'logging/setLevel') {
    const level = request.params?.['level'];
    return (record) => ({ ...record, level: isLoggingLevel(level) ? level : record.level });
  }
  const watch = watchIn(request);
  return watch && ((record) => {
    const others = record.watched.filter((uri) => uri !== watch.uri);
    return { ...record, watched: watch.on ? [...others, watch.uri] : others };
  });
}

/**
 * The settings that clients make by requests, in the sessions that are open here: the level of log messages, and the
 * subscribed resources. Another process may have served those requests.
 */
export interface SessionSettings {
  /** Whether the session has settings: `apply` or `served` was called. */
  has(session: OpenSession): boolean;
  /** Applies the settings of the record to the session, with the requests that a client would send. */
  apply(session: OpenSession, record: StoredRecord): void;
  /** Notes a request that the session has served, so that its setting need not be applied. */
  served(session: OpenSession, request: Request): void;
}

/** `newId` makes an id for a request. `listens`: whether this process writes the GET stream of a session. */
export function sessionSettings(newId: () => string, listens: (session: string) => boolean): SessionSettings {
  const applied = new WeakMap<OpenSession, Settings>();

  function settingsOf(session: OpenSession): Settings {
    const settings = applied.get(session) ?? { level: undefined, watched: new Set<string>() };
    applied.set(session, settings);
    return settings;
  }

  return {
    has: (session) => applied.has(session),
    apply(session, { level, watched }) {
      const settings = settingsOf(session);
      const ask = (method: string, params: object): void =>
        session.peer.receive(decodeValue({ jsonrpc: '2.0', id: newId(), method, params }), nobody);
      if (level !== settings.level && level !== undefined) ask('logging/setLevel', { level });
      settings.level = level;
      // Notifications about resources go over the GET stream: only the process that writes it needs the subscriptions.
      if (!listens(session.id)) return;
      const wanted = new Set(watched);
      for (const uri of wanted) if (!settings.watched.has(uri)) ask('resources/subscribe', { uri });
      for (const uri of settings.watched) if (!wanted.has(uri)) ask('resources/unsubscribe', { uri });
      settings.watched.clear();
      for (const uri of wanted) settings.watched.add(uri);
    },
    served(session, request) {
      const watch = watchIn(request);
      if (watch) settingsOf(session).watched[watch.on ? 'add' : 'delete'](watch.uri);
    },
  };
}

/**
 * The session, which serves the next request with these credentials: others of the same principal may have come since it was
 * opened, while the body of this request was read.
 */
export function servedWith(session: Session | undefined, auth: Auth | undefined): Session | undefined {
  session?.heard(auth);
  return session;
}

/** The data with which a process opens a session. */
export interface KnownSession {
  /** The result of the handshake with some process; undefined: the handshake is still to come. */
  readonly agreed: Agreed | undefined;
  /** Whether the client gets notifications of list changes outside of its requests. */
  readonly listens: boolean;
  /** The id of the next question, unique among all processes. Throws if the client cannot be asked. */
  questionId(): RequestId;
}

/** Opens a session with the result of its handshake with another process. Ids of questions are unique in the fleet. */
export function takeOver(handshake: SharedHandshake, { agreed, listens, questionId }: KnownSession): void {
  handshake.connection.newId = questionId;
  const revision = agreed && findRevision(handshake.server.revisions, agreed.version);
  if (!revision) return;
  handshake.agree(revision, agreed);
  handshake.move('opened');
  if (listens) handshake.server.changes?.expect(handshake);
}
