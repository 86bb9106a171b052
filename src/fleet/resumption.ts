import { quote } from '../bounds/quote.ts';
import { internalError, toErrorObject } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import { failureText, notificationText } from '../jsonrpc/outlet.ts';
import * as columns from '../protocol/columns.ts';
import type { HttpRequest } from '../transport/http/server/http-request.ts';
import { refuse, refuseSession } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { borrowed, carry, endOrDestroy, goOn, release } from './carrying.ts';
import type { Borrowed, Carrying, CarryingBench } from './carrying.ts';
import { isUndeliverable } from './engine.ts';
import type { ListeningStreams, StreamRecords } from './listening-streams.ts';
import type { Handed, Part, StreamHead, Take } from './messages.ts';
import { answers, headOf, questionIn } from './shared-stream.ts';
import { isListening, processIn } from './names.ts';
import type { StoringProcess } from './process.ts';
import type { WrittenStreams } from './written-streams.ts';

/**
 * Clients that have come back for a stream, and how it goes on: this process writes it, or borrows it from the one that
 * does, or ends it where that one has gone. 2025-11-25 basic/transports#resumability-and-redelivery.
 */
export interface ReturningClients {
  /** Answers a GET for what follows the event with this number. */
  resume(request: HttpRequest, session: Session, stream: string, number: number): Promise<void>;
  /** The process that writes the stream sends from now on what it writes. */
  handed(message: Handed): void;
  part(message: Part): void;
  /** Another process sends nothing for this ticket: its client comes back, or has another stream. */
  returned(ticket: string): void;
  /** The session has ended. */
  forget(session: string): void;
  /** Messages of another process, or of all others, may be lost: ends the connections that carry its streams. */
  giveBack(process?: string): void;
}

export function cannotResume(services: EndpointServices, request: HttpRequest, event: string): void {
  refuse(services, request, 400, `The stream cannot be resumed after event ${quote(event)}`);
}

/** Makes those of one endpoint. */
export function returningClients(
  self: StoringProcess, bench: CarryingBench, records: StreamRecords, written: WrittenStreams, gets: ListeningStreams,
): ReturningClients {
  const { services } = bench;
  /** What is carried here for others, by ticket. */
  const tickets = new Map<string, Borrowed>();

  async function resume(request: HttpRequest, session: Session, stream: string, number: number): Promise<void> {
    const listening = isListening(stream);
    const [kept, record] = await Promise.all([
      self.streams.after(session.id, stream, number), listening ? records.record(session.id) : undefined,
    ]);
    // Whether the session is over, or has only left the cache, the client hears when it asks again.
    if (session.ended) return request.destroy();
    if (listening && record === undefined) return refuseSession(services, request);
    const one = borrowed(bench, request, session, stream, number, kept);
    const { listener } = record ?? {};
    if (listener && listener.stream !== stream) {
      // Where the client has not opened another one itself, it has not heard of the one that took its place.
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
      const carrying = one.carrying = carry(bench, session, request, stream, number, true, () => release(here));
      if (kept) carrying.deliver(number + 1, kept.texts, kept.over, false);
      goOn(here, carrying);
      return;
    }
    const process = processIn(stream);
    if (process === undefined || process === self.name) return orphaned(one);
    borrow(one, process);
  }

  /** Asks the process that writes the stream for what follows. */
  function borrow(one: Borrowed, process: string): void {
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
    if (one.carrying?.closed) return;
    const take: Take = {
      kind: 'take', session: session.id, stream: instead ?? stream, by: self.name, ticket,
      ...instead !== undefined && { idle: true },
    };
    self.send(process, take).catch((thrown: unknown) => {
      // Its listeners would be called at the next check too.
      if (isUndeliverable(thrown)) self.failures.failed(process);
      else failed(one)(thrown);
    });
  }

  const failed = (one: Borrowed) => (thrown: unknown): void => {
    services.report(thrown);
    endOrDestroy(one);
  };

  function giveUp(one: Borrowed): void {
    if (one.kept) one.begin();
    endOrDestroy(one);
  }

  const cannot = ({ request, stream, number }: Borrowed): void => cannotResume(services, request, `${stream}-${number}`);

  /** Nobody writes the stream any more: what the store has is all, and this process ends it. */
  async function orphaned(one: Borrowed): Promise<void> {
    const { session, stream, number } = one;
    if (isListening(stream)) return gets.succeed(one, false);
    const [record, kept] = await Promise.all([
      records.record(session.id), self.streams.after(session.id, stream, one.carrying?.written ?? number),
    ]);
    if (record === undefined || session.ended) {
      return one.carrying || record ? endOrDestroy(one) : refuseSession(services, one.request);
    }
    if (kept === undefined) return one.carrying ? one.carrying.end() : cannot(one);
    const carrying = one.begin();
    await carrying.catchUp();
    if (!carrying.closed) await conclude(self, services, session, stream, carrying, headOf(kept));
  }

  return {
    resume,
    handed({ ticket, kept }) {
      const one = tickets.get(ticket);
      if (one === undefined) return;
      if (kept === undefined) return void orphaned(one).catch(failed(one));
      // The store has nothing of it: nothing was written yet, or what was is forgotten.
      if (one.carrying === undefined && kept !== one.number) {
        one.release();
        return isListening(one.stream) ? void gets.succeed(one, true).catch(failed(one)) : cannot(one);
      }
      const carrying = one.begin();
      if (kept > carrying.written) carrying.recover();
    },
    part({ ticket, first, texts, over, unkept }) {
      tickets.get(ticket)?.carrying?.deliver(first, texts, over, unkept);
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
 * What is still to be said on the stream of a request whose process has gone: its questions are withdrawn, and it gets an
 * error. Nothing where `texts`, the last ones that are kept, end with its answer.
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

/** Ends the stream of a request whose process has gone, in the store and for the client that has come back for it. */
export async function conclude(
  { name: process, streams }: StoringProcess, { limits }: EndpointServices, session: Session, stream: string, carrying: Carrying,
  { request }: StreamHead,
): Promise<void> {
  const { revision } = session.peer;
  const last = carrying.written;
  // Where the oldest events are forgotten, so are their questions.
  const kept = await streams.after(session.id, stream, 0) ?? await streams.after(session.id, stream, Math.max(0, last - 1));
  await streams.append({
    session: session.id, stream, head: kept?.head ?? JSON.stringify({ owner: process, request }),
    first: last + 1, texts: lastTexts(kept?.texts ?? [], request, revision && columns.nullErrorId(revision)),
    over: true, ttlMs: limits.sessionIdleMs,
  });
  // Another process may have been faster: what the store has counts.
  await carrying.catchUp();
  carrying.end();
}
