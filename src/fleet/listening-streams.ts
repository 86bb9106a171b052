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

/** The records of sessions, as streams use them. */
export interface StreamRecords {
  /** Reads the record from the store. */
  record(id: string): Promise<StoredRecord | undefined>;
  /**
   * Replaces a session's record, unless `next` returns undefined. Returns the record that is valid then; undefined: the
   * session has ended.
   */
  change(id: string, next: (record: StoredRecord) => StoredRecord | undefined): Promise<StoredRecord | undefined>;
  /** Called when this process begins to write the GET stream of this session. */
  listens(session: Session): void;
}

/** The GET streams that this process writes: at most one per session. */
export interface ListeningStreams {
  /** Returns the stream of this session. */
  holder(session: string): SharedStream | undefined;
  /** Removes a stream to which nothing more will be written. */
  forget(stream: SharedStream): void;
  /** Answers a GET without `Last-Event-ID`: its stream replaces the session's previous stream. */
  open(request: HttpRequest, session: Session): Promise<void>;
  /**
   * Replaces a stream whose process can no longer write it by a new stream of this process, and tells the client that
   * all lists and resources may have changed. `asked`: the client has just named the stream; otherwise its connection
   * ends if another stream has replaced it meanwhile.
   */
  succeed(one: ResumedStream, asked: boolean): Promise<void>;
  /** Sends a text over the GET stream, whichever process writes it. Rejects if no such stream is open. */
  announce(session: string, text: string): Promise<void>;
  /** Tells the client that these resources may have changed. */
  refresh(session: string, watched: readonly string[]): void;
  /** Called with the record of a session: ends the stream here if the record names another one. */
  settle(session: string, record: StoredRecord): void;
}

/** How many GET streams that the client has replaced are remembered. */
const mostReplaced = 4;
/** Milliseconds by which the clocks of two machines may differ. */
const clocksDifferMs = 5000;
const lists = ['tools', 'prompts', 'resources'] as const;

/**
 * `make` makes a GET stream that this process writes. Long function: its short functions share the streams in `held`
 * and `claiming`.
 */
export function listeningStreams(
  self: StoringProcess, services: EndpointServices, records: StreamRecords, connections: EndpointConnections,
  make: (session: Session) => SharedStream,
): ListeningStreams {
  /** By session id. */
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
   * Makes a stream, and puts it into the session's record. The stream is written before that, so that a change that is
   * announced in between is heard by this process, the previous one, or both. Undefined if the record names another
   * stream, or the session has ended.
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
    // If a later GET of this process replaced the stream meanwhile, it is over, and nothing else would end its connection.
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
        throw new ConnectionError('closed', 'the client has no open stream for requests');
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
