import { ConnectionError } from '../jsonrpc/index.ts';
import { notificationText } from '../jsonrpc/internal-exports.ts';
import { internalsOf } from '../server/internal-exports.ts';
import { refuseSession } from '../transport/internal-exports.ts';
import type { EndpointServices, HttpRequest, Session } from '../transport/internal-exports.ts';
import { connect, endOrDestroy } from './carrier.ts';
import type { EndpointConnections, ResumedStream } from './carrier.ts';
import { goOn, release } from './shared-stream.ts';
import type { SharedStream } from './shared-stream.ts';
import type { StoringProcess } from './process.ts';
import type { ListenerRecord, StoredRecord } from './session-records.ts';

/** What streams need of the records of their sessions. */
export interface StreamRecords {
  /** As the store has it now. */
  record(id: string): Promise<StoredRecord | undefined>;
  /**
   * Puts another record in the place of a session's, unless `next` returns undefined. Returns the one that counts now;
   * undefined: the session has ended.
   */
  change(id: string, next: (record: StoredRecord) => StoredRecord | undefined): Promise<StoredRecord | undefined>;
  /** This process writes the GET stream of this session from now on. */
  listens(session: Session): void;
}

/** The GET streams that this process writes: one a session at most. */
export interface ListeningStreams {
  /** The one of this session. */
  holder(session: string): SharedStream | undefined;
  /** Nothing will be written to it any more. */
  forget(stream: SharedStream): void;
  /** A GET without `Last-Event-ID`: its stream takes the place of the one before. */
  open(request: HttpRequest, session: Session): Promise<void>;
  /**
   * A stream that cannot go on where it was written goes on as a new one of this process, and its client is told that
   * all may have changed. `asked`: the client has just named it; otherwise its connection ends where another stream has
   * taken its place meanwhile.
   */
  succeed(one: ResumedStream, asked: boolean): Promise<void>;
  /** Sends a text over the GET stream, whichever process writes it. Rejects if no such stream is open. */
  announce(session: string, text: string): Promise<void>;
  /** Tells the client that these resources may have changed. */
  refresh(session: string, watched: readonly string[]): void;
  /** The record says which stream is the session's. */
  settle(session: string, record: StoredRecord): void;
}

/** GET streams that a client has replaced itself and that are remembered. */
const mostReplaced = 4;
/** Milliseconds by which the clocks of two machines may differ. */
const clocksDifferMs = 5000;
const lists = ['tools', 'prompts', 'resources'] as const;

/**
 * `make` makes a GET stream that this process writes. Long function: its short functions share the streams that are
 * held and those that are claimed.
 */
export function listeningStreams(
  self: StoringProcess, services: EndpointServices, records: StreamRecords, connections: EndpointConnections,
  make: (session: Session) => SharedStream,
): ListeningStreams {
  /** By their sessions. */
  const held = new Map<string, SharedStream>();
  /** Streams that the records of their sessions do not name yet. */
  const claiming = new Set<SharedStream>();

  const holder = (session: string): SharedStream | undefined => {
    const stream = held.get(session);
    return stream?.session.ended ? undefined : stream;
  };

  function abandon(stream: SharedStream): void {
    stream.forgotten = true;
    stream.finish();
  }

  /**
   * Makes a stream and has the session's record name it. The stream is written before that: a change that is told
   * between the two is heard by this process, the one before, or both. Undefined: the record names another one, or the
   * session has ended.
   */
  async function claim(
    session: Session, next: (before: ListenerRecord | undefined, own: ListenerRecord) => ListenerRecord | undefined,
  ): Promise<{ stream: SharedStream; record: StoredRecord; before: ListenerRecord | undefined } | undefined> {
    const stream = make(session);
    claiming.add(stream);
    const replaced = held.get(session.id);
    held.set(session.id, stream);
    replaced?.finish();
    records.listens(session);
    let before: ListenerRecord | undefined;
    let record: StoredRecord | undefined;
    try {
      record = await records.change(session.id, (known) => {
        before = known.listener;
        const listener = next(before, { process: self.name, stream: stream.id });
        return listener && { ...known, listener };
      });
    } finally {
      claiming.delete(stream);
      if (record?.listener?.stream !== stream.id) abandon(stream);
    }
    // Where a later GET of this process took its place meanwhile, the stream is over, and nothing would ever end its connection.
    if (record?.listener?.stream !== stream.id || session.ended || held.get(session.id) !== stream) return undefined;
    records.listens(session);
    if (before && before.process !== self.name) {
      // If that process has gone, so has its stream.
      self.send(before.process, { kind: 'superseded', session: session.id, stream: before.stream }).catch(() => {});
    }
    return { stream, record, before };
  }

  function tellLists(stream: SharedStream): void {
    const { revision } = stream.session.peer;
    const declared = revision && internalsOf(services.server)?.capabilities(revision);
    for (const list of lists) {
      if (declared?.[list]?.listChanged) stream.write(notificationText(`notifications/${list}/list_changed`));
    }
  }

  function tellResources(stream: SharedStream, watched: readonly string[]): void {
    for (const uri of watched) stream.write(notificationText('notifications/resources/updated', { uri }));
  }

  /** Whether a list may have changed since the handshake. */
  function listsChanged({ opened }: StoredRecord): boolean {
    const { started, changed } = self.lists();
    return opened < started || opened < changed + clocksDifferMs;
  }

  return {
    holder,
    forget(stream) {
      const { id } = stream.session;
      if (held.get(id) === stream) held.delete(id);
    },
    async open(request, session) {
      const claimed = await claim(session, (before, own) => before
        ? { ...own, replaced: [before.stream, ...before.replaced ?? []].slice(0, mostReplaced) } : own);
      if (claimed === undefined) return session.ended ? refuseSession(services, request) : request.destroy();
      const { stream, record, before } = claimed;
      const connection = connect(connections, session, request, stream.id, 0, false, () => release(stream));
      goOn(stream, connection);
      // The client may have missed changes since the handshake, or since its last stream.
      if (before || listsChanged(record)) tellLists(stream);
      tellResources(stream, record.watched);
    },
    async succeed(one, asked) {
      const { session, request } = one;
      const claimed = await claim(session, (before, own) => asked || before?.stream === (one.instead ?? one.stream)
        ? { ...own, ...before?.replaced && { replaced: before.replaced } } : undefined);
      if (claimed === undefined) return endOrDestroy(one);
      const { stream, record } = claimed;
      if (one.connection === undefined && one.kept) one.begin();
      if (one.connection) {
        await one.connection.catchUp(false);
        one.release = () => release(stream);
        if (one.connection.closed) return;
        one.connection.continueAs(stream.id);
      } else {
        one.release = () => release(stream);
        one.connection = connect(connections, session, request, stream.id, 0, false, () => one.release());
      }
      goOn(stream, one.connection);
      tellLists(stream);
      tellResources(stream, record.watched);
    },
    async announce(id, text) {
      const stream = holder(id);
      if (stream) return stream.write(text);
      const listener = (await records.record(id))?.listener;
      if (listener === undefined || listener.process === self.name) {
        throw new ConnectionError('closed', 'the client has no stream open to be asked on');
      }
      await self.send(listener.process, { kind: 'announced', session: id, text });
    },
    refresh(id, watched) {
      const stream = holder(id);
      if (stream) tellResources(stream, watched);
    },
    settle(id, { listener }) {
      const stream = held.get(id);
      if (stream && !claiming.has(stream) && listener?.stream !== stream.id) stream.finish();
    },
  };
}
