import { quote } from '../bounds/quote.ts';
import { failureText, internalError, notificationText, toErrorObject } from '../jsonrpc/internal-exports.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import { nullErrorId } from '../protocol/internal-exports.ts';
import { refuse, refuseSession } from '../transport/internal-exports.ts';
import type { EndpointServices, HttpRequest, Session } from '../transport/internal-exports.ts';
import { connect, endOrDestroy, resumedStream } from './carrier.ts';
import type { EndpointConnections, ResumedStream, StreamConnection } from './carrier.ts';
import { isUndeliverable } from './engine.ts';
import type { ListeningStreams, StreamRecords } from './listening-streams.ts';
import type { Handed, Part, StreamHead, Take } from './messages.ts';
import { answers, goOn, headOf, questionIn, release } from './shared-stream.ts';
import { isListening, processIn } from './names.ts';
import type { StoringProcess } from './process.ts';
import type { WrittenStreams } from './written-streams.ts';

/**
 * Resumes streams for clients that come back. This process writes the stream, or borrows it from the process that
 * writes it, or ends it if that process has gone. 2025-11-25 basic/transports#resumability-and-redelivery.
 */
export interface Resumption {
  /** Answers a GET with `Last-Event-ID`, from the event after this number. */
  resume(request: HttpRequest, session: Session, stream: string, number: number): Promise<void>;
  /** Called when the process that writes the stream begins to send its events. */
  handed(message: Handed): void;
  part(message: Part): void;
  /** The other process sends nothing for this ticket: ends the connection, so that its client comes back. */
  returned(ticket: string): void;
  /** Ends the connections of a session that has ended. */
  forget(session: string): void;
  /** Called when messages of another process, or of all others, may be lost: ends the connections that carry its streams. */
  giveBack(process?: string): void;
}

export function cannotResume(services: EndpointServices, request: HttpRequest, event: string): void {
  refuse(services, request, 400, `The stream cannot be resumed after event ${quote(event)}`);
}

/** Makes the `Resumption` of one endpoint. Long function: its short functions share the borrowed streams. */
export function resumption(
  self: StoringProcess, connections: EndpointConnections, records: StreamRecords, written: WrittenStreams, gets: ListeningStreams,
): Resumption {
  const { services } = connections;
  /** The streams that this process has borrowed, by ticket. */
  const tickets = new Map<string, ResumedStream>();

  async function resume(request: HttpRequest, session: Session, stream: string, number: number): Promise<void> {
    const listening = isListening(stream);
    const [kept, record] = await Promise.all([
      self.streams.after(session.id, stream, number), listening ? records.record(session.id) : undefined,
    ]);
    // The client's next request shows whether the session has ended or has only left this process.
    if (session.ended) return request.destroy();
    if (listening && record === undefined) return refuseSession(services, request);
    const one = resumedStream(connections, request, session, stream, number, kept);
    const { listener } = record ?? {};
    if (listener && listener.stream !== stream) {
      // Another process replaced this stream, and the client does not know the new one.
      if (!listener.replaced?.includes(stream)) return gets.succeed(one, true);
      one.instead = listener.stream;
      if (listener.process !== self.name) return borrow(one, listener.process);
      return written.find(listener.stream, session.id)?.carrier ? giveUp(one) : gets.succeed(one, true);
    }
    const here = written.find(stream, session.id);
    if (here) {
      if (here.broken || (kept === undefined && here.kept !== number)) {
        return listening ? gets.succeed(one, true) : cannot(one);
      }
      const connection = one.connection = connect(connections, session, request, stream, number, true, () => release(here));
      if (kept) connection.deliver(number + 1, kept.texts, kept.over, false);
      goOn(here, connection);
      return;
    }
    const process = processIn(stream);
    if (process === undefined || process === self.name) return orphaned(one);
    borrow(one, process);
  }

  /** Asks the process that writes the stream for its next events. */
  function borrow(one: ResumedStream, process: string): void {
    const { session, kept, instead, stream } = one;
    const ticket = self.newName();
    tickets.set(ticket, one);
    const stopped = self.failures.watch(process, () => {
      one.release = () => {};
      tickets.delete(ticket);
      orphaned(one).catch(failed(one));
    });
    one.release = () => {
      one.release = () => {};
      stopped();
      tickets.delete(ticket);
      self.send(process, { kind: 'dropped', session: session.id, stream, ticket }).catch(() => {});
    };
    if (kept) one.begin();
    if (one.connection?.closed) return;
    const take: Take = {
      kind: 'take', session: session.id, stream: instead ?? stream, by: self.name, ticket,
      ...instead !== undefined && { idle: true },
    };
    self.send(process, take).catch((thrown: unknown) => {
      // Its listeners would also be called at the next check.
      if (isUndeliverable(thrown)) self.failures.failed(process);
      else failed(one)(thrown);
    });
  }

  const failed = (one: ResumedStream) => (thrown: unknown): void => {
    services.report(thrown);
    endOrDestroy(one);
  };

  function giveUp(one: ResumedStream): void {
    if (one.kept) one.begin();
    endOrDestroy(one);
  }

  const cannot = ({ request, stream, number }: ResumedStream): void => cannotResume(services, request, `${stream}-${number}`);

  /** The process of the stream has gone: the store has all of its events, and this process ends it. */
  async function orphaned(one: ResumedStream): Promise<void> {
    const { session, stream, number } = one;
    if (isListening(stream)) return gets.succeed(one, false);
    const [record, kept] = await Promise.all([
      records.record(session.id), self.streams.after(session.id, stream, one.connection?.written ?? number),
    ]);
    if (record === undefined || session.ended) {
      return one.connection || record ? endOrDestroy(one) : refuseSession(services, one.request);
    }
    if (kept === undefined) return one.connection ? one.connection.end() : cannot(one);
    const connection = one.begin();
    await connection.catchUp();
    if (!connection.closed) await conclude(self, services, session, stream, connection, headOf(kept));
  }

  return {
    resume,
    handed({ ticket, kept }) {
      const one = tickets.get(ticket);
      if (one === undefined) return;
      if (kept === undefined) return void orphaned(one).catch(failed(one));
      // The store has no event of the stream: nothing was written yet, or it was forgotten.
      if (one.connection === undefined && kept !== one.number) {
        one.release();
        return isListening(one.stream) ? void gets.succeed(one, true).catch(failed(one)) : cannot(one);
      }
      const connection = one.begin();
      if (kept > connection.written) connection.recover();
    },
    part({ ticket, first, texts, over, unkept }) {
      tickets.get(ticket)?.connection?.deliver(first, texts, over, unkept);
    },
    returned(ticket) {
      const one = tickets.get(ticket);
      if (one) giveUp(one);
    },
    forget(id) {
      for (const one of [...tickets.values()]) if (one.session.id === id) endOrDestroy(one);
    },
    giveBack(process) {
      for (const one of [...tickets.values()]) {
        if (process === undefined || processIn(one.stream) === process) endOrDestroy(one);
      }
    },
  };
}

const gone = 'The process that served this request has gone';

/**
 * Returns the messages that end the stream of a request whose process has gone: they cancel its questions and answer it
 * with an error. Empty if the stored events `texts` end with its answer.
 */
export function lastTexts(texts: readonly string[], request: RequestId | undefined, nullErrorId?: boolean): string[] {
  const end = texts.at(-1);
  if (end !== undefined && request !== undefined && answers(end, request)) return [];
  const questions = texts.map(questionIn).filter((id) => id !== undefined);
  return [
    ...questions.map((requestId) => notificationText('notifications/cancelled', { requestId, reason: gone })),
    failureText(request ?? null, toErrorObject(internalError(gone)), nullErrorId),
  ];
}

/** Ends the stream of a request whose process has gone, in the store and for the client that resumes it. */
export async function conclude(
  { name: process, streams }: StoringProcess, { limits }: EndpointServices, session: Session, stream: string, connection: StreamConnection,
  { request }: StreamHead,
): Promise<void> {
  const { revision } = session.peer;
  const last = connection.written;
  // If the oldest events were forgotten, their questions cannot be cancelled.
  const kept = await streams.after(session.id, stream, 0) ?? await streams.after(session.id, stream, Math.max(0, last - 1));
  await streams.append({
    session: session.id, stream, head: kept?.head ?? JSON.stringify({ owner: process, request }),
    first: last + 1, texts: lastTexts(kept?.texts ?? [], request, revision && nullErrorId(revision)),
    over: true, ttlMs: limits.sessionIdleMs,
  });
  // Another process may have ended the stream first: the client gets what the store has.
  await connection.catchUp();
  connection.end();
}
