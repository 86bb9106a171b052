import { every } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { ConnectionError, decodeValue } from '../jsonrpc/index.ts';
import { internalErrorCode } from '../jsonrpc/internal-exports.ts';
import type { Notification, Request } from '../jsonrpc/index.ts';
import { randomId } from '../transport/internal-exports.ts';
import type { Agreed, Auth, EndpointServices, GivenSession, Session, Sessions } from '../transport/internal-exports.ts';
import type { Told } from './messages.ts';
import { unreachable } from './forwarding.ts';
import { recordCache } from './session-records.ts';
import type { Known, StoredRecord } from './session-records.ts';
import { Retries } from './retries.ts';
import { sessionSettings, takeOver } from './session-settings.ts';
import { sharedStreams } from './shared-streams.ts';
import type { SharedStreams } from './shared-streams.ts';
import type { StoringProcess } from './process.ts';

/** Notifications that arise in every process: only the process that writes the GET stream sends them. */
const heardByAll = /^\{"jsonrpc":"2\.0","method":"notifications\/(?:resources\/updated|[a-z]+\/list_changed)"/;

/** How many records are read again at the same time: all processes ask an engine that has just come back. */
const mostRereading = 4;

/**
 * The sessions of the store that are open in this process, with the settings of their records. `local` has them under
 * their ids. A session that leaves `local` still exists in the store.
 */
export interface ActiveSessions {
  readonly streams: SharedStreams;
  /** The record as this process knows it. `fresh`: only if the store was told of the session's use a short time ago. */
  known(id: string, fresh: boolean): Known | undefined;
  /** Tells the store that the session is in use. Undefined if the session does not exist any more. */
  check(id: string): Promise<Known | undefined>;
  /** Returns the session with this record, and opens it if necessary. Undefined if there are too many sessions. */
  open(id: string, record: StoredRecord, auth: Auth | undefined, admitted: boolean): Session | undefined;
  /** Opens a new session. `agreed` is called with the result of its handshake. Undefined if there are too many sessions. */
  begin(auth: Auth | undefined, agreed: (session: Session, found: Agreed) => void): Session | undefined;
  /** Stores the change by a request that the session has served. Rejects if the store cannot be reached. */
  keep(session: Session, request: Request, next: (record: StoredRecord) => StoredRecord): Promise<void>;
  /** Ends a session in all processes. Rejects if the store cannot be reached. */
  end(id: string, why: string): Promise<void>;
  /** Takes a message that another process has sent to all. */
  hear(told: Told): void;
  /** Called when messages to all may be missing, so every record may have changed. */
  missed(): void;
  close(): void;
}

/**
 * Makes the active sessions of one endpoint. Long function: its short functions share the records, the settings and the
 * streams of the sessions.
 */
export function activeSessions(self: StoringProcess, services: EndpointServices, local: Sessions): ActiveSessions {
  const { sessions } = self;
  const { maxSessions, sessionIdleMs } = services.limits;
  /** How often the store is told that a session is in use, in milliseconds. */
  const everyMs = sessionIdleMs / 4;
  const { report } = services;
  const tell = (told: Told): Promise<void> => self.tell(told).catch(report);

  const records = recordCache({
    sessions, max: maxSessions,
    wanted: (id) => streams.holds(id),
    tell: (id, { text, version }) => tell({ kind: 'record', session: id, version, text }),
  });
  const settings = sessionSettings(self.newName, (id) => streams.holds(id));
  const streams = sharedStreams(self, services, {
    record: async (id) => (await records.load(id))?.record,
    change,
    listens(session) {
      const known = records.get(session.id);
      if (known) settings.apply(session, known.record);
    },
  });

  async function change(id: string, next: (record: StoredRecord) => StoredRecord | undefined): Promise<StoredRecord | undefined> {
    const known = await records.change(id, next);
    if (known === undefined) forget(id, 'the session has ended');
    return known?.record;
  }

  function forget(id: string, why: string): void {
    records.forget(id);
    const session = local.peek(id);
    if (session === undefined) return;
    streams.forget(id);
    local.end(session, why);
  }

  /** Applies a record to its session if it is open here. */
  function follow(id: string, record: StoredRecord): void {
    streams.settle(id, record);
    const session = local.peek(id);
    if (session) settings.apply(session, record);
  }

  async function reread(id: string): Promise<Known | undefined> {
    const known = await records.load(id);
    if (known && local.peek(id)) follow(id, known.record);
    return known;
  }

  async function check(id: string): Promise<Known | undefined> {
    if (!await sessions.touch(id, sessionIdleMs)) {
      forget(id, 'the session was idle for too long');
      return undefined;
    }
    const known = records.get(id) ?? await reread(id);
    if (known) known.touched = self.clock.monotonic();
    return known;
  }

  const given = (id: string, agreed: Agreed | undefined, heard?: (found: Agreed) => void): GivenSession => ({
    id,
    newStream: streams.answering,
    announce: (text, message) => announce(id, text, message),
    shared: {
      begin: (handshake) => takeOver(handshake, { agreed, listens: true, questionId: self.questionId }),
      agree(found, result) {
        heard?.(found);
        return result;
      },
    },
  });

  /** Sends a message outside of any request over the GET stream, whichever process writes it. */
  function announce(id: string, text: string, message: Request | Notification | undefined): void {
    if (heardByAll.test(text) && !streams.holds(id)) return;
    streams.announce(id, text).catch((thrown: unknown) => {
      if (!message || !('id' in message)) return report(thrown);
      const fault = thrown instanceof ConnectionError ? thrown.message : unreachable;
      const error = { code: internalErrorCode, message: fault };
      local.peek(id)?.peer.receive(decodeValue({ jsonrpc: '2.0', id: message.id, error }));
    });
  }

  /** Reads records again, because messages about them may be missing. */
  const rereading = new Retries(self.clock, mostRereading);
  const rereadSession = async (id: string): Promise<void> => {
    if (local.peek(id) === undefined) return;
    try {
      const known = await reread(id);
      if (known) streams.refresh(id, known.record.watched);
      else forget(id, 'the session has ended');
    } catch (thrown) {
      report(thrown);
      throw thrown;
    }
  };

  const timer = every(self.clock, everyMs, () => {
    streams.sweep();
    for (const session of local.all()) if (session.connections > 0 && settings.has(session)) check(session.id).catch(report);
  }, true);

  return {
    streams,
    known(id, fresh) {
      const known = records.get(id);
      return known && (!fresh || self.clock.monotonic() - known.touched < everyMs) ? known : undefined;
    },
    check,
    open(id, record, auth, admitted) {
      const found = local.find(id, auth, false);
      if (found) return found;
      const session = local.open(auth, false, { ...given(id, record.agreed), admitted });
      if (session) settings.apply(session, record);
      return session;
    },
    begin(auth, agreed) {
      const session: Session | undefined = local.open(auth, false, given(randomId(), undefined, (found) => {
        if (session) agreed(session, found);
      }));
      return session;
    },
    async keep(session, request, next) {
      settings.served(session, request);
      const record = await change(session.id, next);
      if (record === undefined) throw new Error('the session has ended');
      settings.apply(session, record);
    },
    async end(id, why) {
      await sessions.delete(id);
      forget(id, why);
      await self.streams.drop(id);
      await tell({ kind: 'ended', session: id, why });
    },
    hear(told) {
      if (told.kind === 'ended') forget(told.session, told.why);
      if (told.kind !== 'record') return;
      const known = records.hear(told.session, told.version, told.text);
      if (known) follow(told.session, known.record);
    },
    missed() {
      records.clear();
      for (const session of local.all()) {
        if (settings.has(session) && (session.connections > 0 || streams.holds(session.id))) rereading.add(session.id, () => rereadSession(session.id));
      }
    },
    close() {
      timer?.stop();
      rereading.end();
    },
  };
}
