import type { RequestId } from '../jsonrpc/index.ts';
import type { EndpointServices, Session } from '../transport/internal-exports.ts';
import type { StreamCarrier } from './carrier.ts';
import { isUndeliverable } from './engine.ts';
import type { FleetMessage, Take } from './messages.ts';
import { SharedStream } from './shared-stream.ts';
import type { StoringProcess } from './process.ts';
import { isListening } from './names.ts';

/** The streams that this process writes. Another process may carry them. */
export interface WrittenStreams {
  make(session: Session, id: string, request: RequestId | undefined): SharedStream;
  /** Returns the stream with this id if it belongs to this session and is written here. */
  find(id: string, session: string): SharedStream | undefined;
  /** Lends a stream to another process that asks for it. */
  take(message: Take): void;
  /** Called when the connection with this ticket, in another process, has ended. */
  dropped(ticket: string): void;
  /** Ends the streams of a session that has ended; the store keeps nothing of them. */
  forget(session: string): void;
  /** Forgets the GET streams of sessions that are not open here any more: a client that comes back gets a new stream. */
  sweep(): void;
}

/** Makes them. `over` is called once for each stream, when it is over. */
export function writtenStreams(
  self: StoringProcess, services: EndpointServices, over: (stream: SharedStream) => void,
): WrittenStreams {
  const streams = new Map<string, SharedStream>();
  /** The streams that other processes carry, by ticket. */
  const lent = new Map<string, LentStream>();

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
      const stream = new SharedStream({ self, services, session, id, request, over: remove });
      streams.set(id, stream);
      return stream;
    },
    find,
    take(message) {
      const { session, stream: id, by, ticket, idle } = message;
      const stream = find(id, session);
      if (idle && stream?.carrier) self.insist(by, { kind: 'returned', session, ticket });
      else if (stream && !stream.broken && !idle) lent.set(ticket, lend(self, stream, message, () => lent.delete(ticket)));
      else self.insist(by, { kind: 'handed', session, ticket, kept: undefined });
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
      for (const stream of streams.values()) if (isListening(stream.id) && stream.session.ended) remove(stream);
    },
  };
}

/** A stream of this process that another process carries. */
export interface LentStream extends StreamCarrier {
  /** Called when the other process does not hold the connection any more. */
  close(): void;
}

/** Sends the events of a stream to the process that the client came back to. `closed` is called once. */
export function lend(self: StoringProcess, stream: SharedStream, { session, by, ticket }: Take, closed: () => void): LentStream {
  let open = true;
  let sent: Promise<void> = Promise.resolve();
  // Messages go one after another. If that process has gone, its client comes back to another one.
  const push = (message: FleetMessage): void => {
    sent = sent.then(() => open || message.kind === 'part' ? self.send(by, message) : undefined).catch((thrown: unknown) => {
      lent.close();
      // That process lives, and its client waits for events that were not sent.
      if (!isUndeliverable(thrown)) self.insist(by, { kind: 'returned', session, ticket });
    });
  };
  const forgotten = self.failures.watch(by, () => lent.close());
  const lent: LentStream = {
    room: true,
    deliver(first, texts, over, unkept) {
      if (!open) return;
      push({ kind: 'part', session, ticket, first, texts, over, unkept });
      if (over) lent.close();
    },
    end() {
      // Ends the connection of that process, not the stream.
      lent.deliver(stream.kept + 1, [], true, true);
    },
    close() {
      if (!open) return;
      open = false;
      forgotten();
      stream.release(lent);
      stream.session.disconnected();
      closed();
    },
  };
  // The client is connected, though to another process.
  stream.session.connected();
  stream.take(lent);
  push({ kind: 'handed', session, ticket, kept: stream.kept });
  return lent;
}
