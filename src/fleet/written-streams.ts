import type { RequestId } from '../jsonrpc/message.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { lend } from './lending.ts';
import type { Lent } from './lending.ts';
import type { Take } from './messages.ts';
import { SharedStream } from './shared-stream.ts';
import type { StoredSide } from './side.ts';
import { isGetStream } from './stream-names.ts';

/** The streams that this process writes, and which of them another one carries. */
export interface WrittenStreams {
  make(session: Session, id: string, request: RequestId | undefined): SharedStream;
  /** The stream with this id, where it is this session's and is written here. */
  find(id: string, session: string): SharedStream | undefined;
  /** Another process asks for a stream, which is lent to it. */
  take(message: Take): void;
  /** The connection with this ticket, in another process, has ended. */
  dropped(ticket: string): void;
  /** The session has ended: so do its streams, and the store keeps nothing of them. */
  forget(session: string): void;
  /** Forgets the GET streams of sessions that have left the cache: who comes back begins another one. */
  sweep(): void;
}

/** `over` is called once for each stream to which nothing will be written any more. */
export function writtenStreams(
  side: StoredSide, services: EndpointServices, over: (stream: SharedStream) => void,
): WrittenStreams {
  const streams = new Map<string, SharedStream>();
  /** What others carry of them, by ticket. */
  const lent = new Map<string, Lent>();

  function remove(stream: SharedStream): void {
    streams.delete(stream.id);
    over(stream);
    stream.carrier?.end();
  }

  function find(id: string, session: string): SharedStream | undefined {
    const stream = streams.get(id);
    return stream?.session.id === session && !stream.session.ended ? stream : undefined;
  }

  return {
    make(session, id, request) {
      const stream = new SharedStream({ side, services, session, id, request, over: remove });
      streams.set(id, stream);
      return stream;
    },
    find,
    take(message) {
      const { session, stream: id, by, ticket, idle } = message;
      const stream = find(id, session);
      if (idle && stream?.carrier) side.insist(by, { kind: 'returned', session, ticket });
      else if (stream && !stream.broken && !idle) lent.set(ticket, lend(side, stream, message, () => lent.delete(ticket)));
      else side.insist(by, { kind: 'handed', session, ticket, kept: undefined });
    },
    dropped: (ticket) => lent.get(ticket)?.close(),
    forget(id) {
      for (const stream of [...streams.values()]) {
        if (stream.session.id !== id) continue;
        stream.forgotten = true;
        stream.finish();
      }
    },
    sweep() {
      for (const stream of streams.values()) if (isGetStream(stream.id) && stream.session.ended) remove(stream);
    },
  };
}
