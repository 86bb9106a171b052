import type { RequestId } from '../jsonrpc/index.ts';
import { readAccept, refuse } from '../transport/internal-exports.ts';
import type { AnswerStream, EndpointServices, HttpRequest, Session } from '../transport/internal-exports.ts';
import type { EndpointConnections } from './carrier.ts';
import { listeningStreams } from './listening-streams.ts';
import type { StreamRecords } from './listening-streams.ts';
import type { CarriedMessage, FleetMessage } from './messages.ts';
import { cannotResume, resumption } from './resumption.ts';
import type { StoringProcess } from './process.ts';
import type { StoredRecord } from './session-records.ts';
import { listeningName, readEventId } from './names.ts';
import { writtenStreams } from './written-streams.ts';

/** The streams that this process writes, and the streams of other processes that it carries. */
export interface SharedStreams {
  /** Makes the stream that answers a POST. */
  answering(session: Session, request: RequestId | undefined): AnswerStream;
  /** Answers a GET. */
  listen(request: HttpRequest, session: Session): void;
  /** Whether this process writes the GET stream of this session. */
  holds(session: string): boolean;
  /** Sends a text over the GET stream. Rejects if no such stream is open. */
  announce(session: string, text: string): Promise<void>;
  /** Tells the client that these resources may have changed, if this process writes its GET stream. */
  refresh(session: string, watched: readonly string[]): void;
  receive(message: Exclude<FleetMessage, CarriedMessage>): void;
  /** Called with a new record of a session: it may name another GET stream. */
  settle(session: string, record: StoredRecord): void;
  /** Ends the streams of a session that has ended; the store keeps nothing of them. */
  forget(session: string): void;
  /** Forgets the GET streams of sessions that are not open here any more: a client that comes back gets a new stream. */
  sweep(): void;
  /** Ends the connections whose streams go on, so that their clients come back elsewhere. */
  drain(): void;
  /**
   * Called when messages may be lost: ends the connections that carry streams of another process, or of all others, so
   * that their clients come back.
   */
  giveBack(process?: string): void;
}

/** Makes the streams of one endpoint. */
export function sharedStreams(self: StoringProcess, services: EndpointServices, records: StreamRecords): SharedStreams {
  const connections: EndpointConnections = { services, streams: self.streams, lasting: new Set() };
  const written = writtenStreams(self, services, (stream) => gets.forget(stream));
  const gets = listeningStreams(self, services, records, connections, (session) =>
    written.make(session, listeningName(self.newName()), undefined));
  const returning = resumption(self, connections, records, written, gets);

  return {
    answering: (session, request) => written.make(session, self.newName(), request),
    listen(request, session) {
      if (!readAccept(request.header('accept'))?.sse) {
        return refuse(services, request, 406, 'Not acceptable: Accept must list text/event-stream');
      }
      const last = request.header('last-event-id');
      const named = last === undefined ? undefined : readEventId(last);
      if (last !== undefined && named === undefined) return cannotResume(services, request, last);
      (named ? returning.resume(request, session, ...named) : gets.open(request, session)).catch((thrown: unknown) => {
        services.report(thrown);
        request.destroy();
      });
    },
    holds: (session) => gets.holder(session) !== undefined,
    announce: gets.announce,
    refresh: gets.refresh,
    receive(message) {
      switch (message.kind) {
        case 'take': return written.take(message);
        case 'handed': return returning.handed(message);
        case 'part': return returning.part(message);
        case 'dropped': return written.dropped(message.ticket);
        case 'returned': return returning.returned(message.ticket);
        case 'superseded': return written.find(message.stream, message.session)?.finish();
        case 'announced': return gets.holder(message.session)?.write(message.text);
      }
    },
    settle: gets.settle,
    forget(id) {
      written.forget(id);
      returning.forget(id);
    },
    sweep: written.sweep,
    drain() {
      for (const connection of [...connections.lasting]) connection.end();
    },
    giveBack: returning.giveBack,
  };
}
