import { internalError, toErrorObject } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import { failureText, notificationText } from '../jsonrpc/outlet.ts';
import { quote } from '../jsonrpc/quote.ts';
import * as columns from '../protocol/columns.ts';
import { readAccept } from '../transport/http/server/accept.ts';
import type { AnswerStream } from '../transport/http/server/sse-stream.ts';
import type { HttpRequest } from '../transport/http/server/http-request.ts';
import { refuse, refuseSession } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { carry, endOrDestroy, release } from './borrowed.ts';
import type { Borrowed, CarryingBench } from './borrowed.ts';
import type { Carrying } from './carrying.ts';
import { isUndeliverable } from './engine.ts';
import type { KeptStream } from './engine.ts';
import { getStreams } from './get-streams.ts';
import type { StreamRecords } from './get-streams.ts';
import { answers, headOf, questionIn } from './kept-stream.ts';
import { lend } from './lending.ts';
import type { Lent } from './lending.ts';
import type { Carried, FleetMessage, Handed, StreamHead, Take } from './messages.ts';
import { SharedStream } from './shared-stream.ts';
import { nameIn } from './side.ts';
import type { StoredSide } from './side.ts';
import type { StoredRecord } from './stored-record.ts';
import { getStreamName, isGetStream, readEventId } from './stream-names.ts';

/** The streams that this process writes, and those that it carries for others. */
export interface SharedStreams {
  /** Makes the stream that answers a POST. */
  answering(session: Session, request: RequestId | undefined): AnswerStream;
  /** Answers a GET. */
  listen(request: HttpRequest, session: Session): void;
  /** Whether the GET stream of this session is written here. */
  holds(session: string): boolean;
  /** Sends a text over the GET stream. Rejects where there is none. */
  announce(session: string, text: string): Promise<void>;
  /** Tells the client of a GET stream written here that these resources may have changed. */
  refresh(session: string, watched: readonly string[]): void;
  receive(message: Exclude<FleetMessage, Carried>): void;
  /** Another GET stream is the session's, as its record says. */
  settle(session: string, record: StoredRecord): void;
  /** The session has ended: so do its streams, and the store keeps nothing of them. */
  forget(session: string): void;
  /** Forgets the GET streams of sessions that have left the cache: who comes back begins another one. */
  sweep(): void;
  /** Ends the connections whose streams go on, so that their clients come back elsewhere. */
  drain(): void;
  /**
   * Messages may be lost: ends the connections that carry streams of another process, or of all others, so that their
   * clients come back.
   */
  giveBack(process?: string): void;
}

const gone = 'The process that served this request has gone';

/** Makes the streams of one endpoint. */
export function sharedStreams(side: StoredSide, services: EndpointServices, records: StreamRecords): SharedStreams {
  /** What this process writes, by its id. */
  const own = new Map<string, SharedStream>();
  /** What others carry of them, by ticket. */
  const lent = new Map<string, Lent>();
  /** What is carried here for others, by ticket. */
  const borrowed = new Map<string, Borrowed>();
  const bench: CarryingBench = { services, streams: side.streams, lasting: new Set() };
  const gets = getStreams(side, services, records, bench, (session) =>
    make(session, getStreamName(side.newName()), undefined));

  const report = (thrown: unknown): void => services.report(thrown);

  function make(session: Session, id: string, request: RequestId | undefined): SharedStream {
    const stream = new SharedStream({
      side, services, session, id, request,
      over: ({ carrier }) => {
        own.delete(id);
        gets.forget(stream);
        carrier?.end();
      },
    });
    own.set(id, stream);
    return stream;
  }

  /** The stream with this id, where it is this session's and is written here. */
  function written(id: string, session: string): SharedStream | undefined {
    const stream = own.get(id);
    return stream?.session.id === session && !stream.session.ended ? stream : undefined;
  }

  /** 2025-11-25 basic/transports#resumability-and-redelivery. */
  async function resume(request: HttpRequest, session: Session, stream: string, number: number): Promise<void> {
    const listening = isGetStream(stream);
    const [kept, record] = await Promise.all([
      side.streams.after(session.id, stream, number), listening ? records.record(session.id) : undefined,
    ]);
    // Whether the session is over, or has only left the cache, the client hears when it asks again.
    if (session.ended) return request.destroy();
    if (listening && record === undefined) return refuseSession(services, request);
    const one = returning(request, session, stream, number, kept);
    const { listener } = record ?? {};
    if (listener && listener.stream !== stream) {
      // Where the client has not opened another one itself, it has not heard of the one that took its place.
      if (!listener.replaced?.includes(stream)) return gets.succeed(one, true);
      one.instead = listener.stream;
      if (listener.process !== side.process) return borrow(one, listener.process);
      return written(listener.stream, session.id)?.carrier ? returned(one) : gets.succeed(one, true);
    }
    const here = written(stream, session.id);
    if (here) {
      if (here.broken || (kept === undefined && here.kept !== number)) {
        return listening ? gets.succeed(one, true) : cannot(one);
      }
      const carrying = one.carrying = carry(bench, session, request, stream, number, true, () => release(here));
      if (kept) carrying.deliver(number + 1, kept.texts, kept.over, false);
      here.take(carrying);
      if (here.kept > carrying.written) carrying.recover();
      return;
    }
    const process = nameIn(stream);
    if (process === undefined || process === side.process) return orphaned(one);
    borrow(one, process);
  }

  function returning(
    request: HttpRequest, session: Session, stream: string, number: number, kept: KeptStream | undefined,
  ): Borrowed {
    const one: Borrowed = {
      request, session, stream, number, kept,
      carrying: undefined,
      instead: undefined,
      begin() {
        if (one.carrying) return one.carrying;
        const carrying = one.carrying = carry(bench, session, request, stream, number, true, () => one.release());
        // What is over may be a GET stream whose process has closed: whoever has read its record ends it.
        if (kept) carrying.deliver(number + 1, kept.texts, kept.over && !isGetStream(stream), false);
        return carrying;
      },
      release: () => {},
    };
    return one;
  }

  /** Asks the process that writes the stream for what follows. */
  function borrow(one: Borrowed, process: string): void {
    const { session, kept, instead, stream } = one;
    const ticket = side.newName();
    borrowed.set(ticket, one);
    const stopped = side.watch.on(process, () => {
      one.release = () => {};
      borrowed.delete(ticket);
      orphaned(one).catch(failed(one));
    });
    one.release = () => {
      one.release = () => {};
      stopped();
      borrowed.delete(ticket);
      side.send(process, { kind: 'dropped', session: session.id, stream, ticket }).catch(() => {});
    };
    if (kept) one.begin();
    if (one.carrying?.closed) return;
    const take: Take = {
      kind: 'take', session: session.id, stream: instead ?? stream, by: side.process, ticket,
      ...instead !== undefined && { idle: true },
    };
    side.send(process, take).catch((thrown: unknown) => {
      // The watch tells it too, later.
      if (isUndeliverable(thrown)) side.watch.left(process);
      else failed(one)(thrown);
    });
  }

  const failed = (one: Borrowed) => (thrown: unknown): void => {
    report(thrown);
    endOrDestroy(one);
  };

  /** Another process sends nothing: its client comes back, or has another stream. */
  function returned(one: Borrowed): void {
    if (one.kept) one.begin();
    endOrDestroy(one);
  }

  function cannot({ request, stream, number }: Borrowed): void {
    refuse(services, request, 400, `The stream cannot be resumed after event ${quote(`${stream}-${number}`)}`);
  }

  /** Nobody writes the stream any more: what the store has is all, and this process ends it. */
  async function orphaned(one: Borrowed): Promise<void> {
    const { session, stream, number } = one;
    if (isGetStream(stream)) return gets.succeed(one, false);
    const [record, kept] = await Promise.all([
      records.record(session.id), side.streams.after(session.id, stream, one.carrying?.written ?? number),
    ]);
    if (record === undefined || session.ended) {
      return one.carrying || record ? endOrDestroy(one) : refuseSession(services, one.request);
    }
    if (kept === undefined) return one.carrying ? one.carrying.end() : cannot(one);
    const carrying = one.begin();
    await carrying.catchUp();
    if (carrying.closed) return;
    await conclude(one, carrying, headOf(kept));
  }

  /** Ends the stream of a request whose process has gone: its questions are withdrawn, and it gets an error. */
  async function conclude(one: Borrowed, carrying: Carrying, { request }: StreamHead): Promise<void> {
    const { session, stream } = one;
    const { revision } = session.peer;
    const last = carrying.written;
    const all = await side.streams.after(session.id, stream, 0);
    const end = all?.texts.at(-1) ?? (await side.streams.after(session.id, stream, Math.max(0, last - 1)))?.texts.at(-1);
    // The process went when it had answered and not yet said that this was all.
    const answered = end !== undefined && request !== undefined && answers(end, request);
    // Where the oldest events are forgotten, so are their questions.
    const questions = answered ? [] : (all?.texts ?? []).map(questionIn).filter((id) => id !== undefined);
    const texts = questions.map((requestId) =>
      notificationText('notifications/cancelled', { requestId, reason: gone }));
    const error = toErrorObject(internalError(gone));
    if (!answered) texts.push(failureText(request ?? null, error, revision && columns.nullErrorId(revision)));
    await side.streams.append({
      session: session.id, stream, head: all?.head ?? JSON.stringify({ owner: side.process, request }),
      first: last + 1, texts, over: true, ttlMs: services.limits.sessionIdleMs,
    });
    // Another process may have been faster: what the store has counts.
    await carrying.catchUp();
    carrying.end();
  }

  /** The process that writes the stream sends from now on what it writes. */
  function handed({ ticket, kept }: Handed): void {
    const one = borrowed.get(ticket);
    if (one === undefined) return;
    if (kept === undefined) return void orphaned(one).catch(failed(one));
    // The store has nothing of it: nothing was written yet, or what was is forgotten.
    if (one.carrying === undefined && kept !== one.number) {
      one.release();
      if (isGetStream(one.stream)) gets.succeed(one, true).catch(failed(one));
      else cannot(one);
      return;
    }
    const carrying = one.begin();
    if (kept > carrying.written) carrying.recover();
  }

  function take(message: Take): void {
    const { session, stream: id, by, ticket } = message;
    const stream = written(id, session);
    if (message.idle && stream?.carrier) side.insist(by, { kind: 'returned', session, ticket });
    else if (stream && !stream.broken && !message.idle) lent.set(ticket, lend(side, stream, message, () => lent.delete(ticket)));
    else side.insist(by, { kind: 'handed', session, ticket, kept: undefined });
  }

  return {
    answering: (session, request) => make(session, side.newName(), request),
    listen(request, session) {
      if (!readAccept(request.header('accept'))?.sse) {
        return refuse(services, request, 406, 'Not acceptable: Accept must list text/event-stream');
      }
      const last = request.header('last-event-id');
      const named = last === undefined ? undefined : readEventId(last);
      if (last !== undefined && named === undefined) {
        return refuse(services, request, 400, `The stream cannot be resumed after event ${quote(last)}`);
      }
      (named ? resume(request, session, ...named) : gets.open(request, session)).catch((thrown: unknown) => {
        report(thrown);
        request.destroy();
      });
    },
    holds: (session) => gets.holder(session) !== undefined,
    announce: gets.announce,
    refresh: gets.refresh,
    receive(message) {
      switch (message.kind) {
        case 'take': return take(message);
        case 'handed': return handed(message);
        case 'part': {
          const { first, texts, over, unkept } = message;
          return borrowed.get(message.ticket)?.carrying?.deliver(first, texts, over, unkept);
        }
        case 'dropped': return lent.get(message.ticket)?.close();
        case 'returned': {
          const one = borrowed.get(message.ticket);
          return one && returned(one);
        }
        case 'superseded': return written(message.stream, message.session)?.finish();
        case 'announced': return gets.holder(message.session)?.write(message.text);
      }
    },
    settle: gets.settle,
    forget(id) {
      for (const stream of [...own.values()]) {
        if (stream.session.id !== id) continue;
        stream.forgotten = true;
        stream.finish();
      }
      for (const one of [...borrowed.values()]) if (one.session.id === id) endOrDestroy(one);
    },
    sweep() {
      for (const stream of own.values()) {
        if (!isGetStream(stream.id) || !stream.session.ended) continue;
        own.delete(stream.id);
        gets.forget(stream);
        stream.carrier?.end();
      }
    },
    drain() {
      for (const carrying of [...bench.lasting]) carrying.end();
    },
    giveBack(process) {
      for (const one of [...borrowed.values()]) {
        if (process === undefined || nameIn(one.stream) === process) endOrDestroy(one);
      }
    },
  };
}
