import { ConnectionError, internalError, toErrorObject } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import { failureText, notificationText } from '../jsonrpc/outlet.ts';
import { quote } from '../jsonrpc/quote.ts';
import { internalsOfPort } from '../server/server-core.ts';
import { readAccept } from '../transport/http/server/accept.ts';
import type { AnswerStream } from '../transport/http/server/fleet-port.ts';
import type { HttpRequest } from '../transport/http/server/http-request.ts';
import { refuse } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { Carrying } from './carrying.ts';
import type { KeptStream } from './engine.ts';
import { lend } from './lending.ts';
import type { Lent } from './lending.ts';
import type { Carried, FleetMessage, Handed, StreamHead, Take } from './messages.ts';
import { headOf, questionIn } from './kept-stream.ts';
import { SharedStream } from './shared-stream.ts';
import { nameIn } from './side.ts';
import type { StoredSide } from './side.ts';
import type { StoredRecord } from './stored-record.ts';

/** What streams need of the records of their sessions. */
export interface StreamRecords {
  /** As the store has it now. */
  record(id: string): Promise<StoredRecord | undefined>;
  /** Undefined: the session has ended. */
  change(id: string, next: (record: StoredRecord) => StoredRecord): Promise<StoredRecord | undefined>;
  /** The GET stream of this session is written here from now on. */
  listens(session: Session): void;
}

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
  /** Tells the client of a GET stream written here that these resources, and all lists, may have changed. */
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
  /** Messages may be lost: ends the connections that carry streams of other processes, so that their clients come back. */
  giveBack(): void;
}

/** A stream of another process that this one carries, or begins to. */
interface Borrowed {
  readonly session: Session;
  readonly stream: string;
  readonly request: HttpRequest;
  /** The number of the event that the client has. */
  readonly number: number;
  /** What the store said of it at first. */
  readonly kept: KeptStream | undefined;
  carrying: Carrying | undefined;
  /** Where the connection ends. */
  release: () => void;
}

const gone = 'The process that served this request has gone';
const lists = ['tools', 'prompts', 'resources'] as const;

/** Makes the streams of one endpoint. */
export function sharedStreams(side: StoredSide, services: EndpointServices, records: StreamRecords): SharedStreams {
  /** What this process writes, by its id. */
  const own = new Map<string, SharedStream>();
  /** The GET streams among them, by their sessions. */
  const held = new Map<string, SharedStream>();
  /** What others carry of them, by ticket. */
  const lent = new Map<string, Lent>();
  /** What is carried here for others, by ticket. */
  const borrowed = new Map<string, Borrowed>();
  /** Connections whose streams outlive them. */
  const lasting = new Set<Carrying>();

  const report = (thrown: unknown): void => services.report(thrown);

  function make(session: Session, request: RequestId | undefined, listening: boolean): SharedStream {
    const stream = new SharedStream({
      side, services, session, request, listening,
      over: ({ id, carrier }) => {
        own.delete(id);
        if (held.get(session.id) === stream) held.delete(session.id);
        carrier?.end();
      },
    });
    own.set(stream.id, stream);
    return stream;
  }

  /** The stream with this id, where it is this session's and is written here. */
  function written(id: string, session: string): SharedStream | undefined {
    const stream = own.get(id);
    return stream?.session.id === session && !stream.session.ended ? stream : undefined;
  }

  function hold(session: Session, stream: SharedStream): void {
    const before = held.get(session.id);
    held.set(session.id, stream);
    if (before !== stream) before?.finish();
    records.listens(session);
  }

  const holder = (session: string): SharedStream | undefined => {
    const stream = held.get(session);
    return stream?.session.ended ? undefined : stream;
  };

  /** Makes a stream the GET stream of its session; the one before it ends. False: the session has ended. */
  async function supersede(session: Session, stream: SharedStream): Promise<boolean> {
    let before: StoredRecord['listener'];
    const record = await records.change(session.id, (known) => {
      before = known.listener;
      return { ...known, listener: { process: side.process, stream: stream.id } };
    });
    if (record === undefined) return false;
    if (before && before.process !== side.process) {
      // One whose process has gone has ended.
      side.send(before.process, { kind: 'superseded', session: session.id, stream: before.stream }).catch(() => {});
    }
    return true;
  }

  function carry(
    session: Session, request: HttpRequest, stream: string, number: number, listening: boolean, ended: () => void,
  ): Carrying {
    const carrying: Carrying = new Carrying({
      services, session, request, stream, listening, streams: side.streams, written: number,
      primed: request.header('last-event-id') !== undefined,
      ended: () => {
        lasting.delete(carrying);
        ended();
      },
    });
    lasting.add(carrying);
    return carrying;
  }

  async function open(request: HttpRequest, session: Session): Promise<void> {
    const stream = make(session, undefined, true);
    if (!await supersede(session, stream) || session.ended) return notFound(request);
    stream.take(carry(session, request, stream.id, 0, true, () => release(stream)));
    hold(session, stream);
  }

  /** The GET stream of a session cannot go on after what its client has: another one begins, and all may have changed. */
  async function beginAnew(request: HttpRequest, session: Session): Promise<void> {
    await open(request, session);
    refresh(session.id, (await records.record(session.id))?.watched ?? []);
  }

  /** Its connection has ended: the stream goes on without one. */
  function release(stream: SharedStream): void {
    const { carrier } = stream;
    if (carrier instanceof Carrying && carrier.closed) stream.release(carrier);
  }

  const notFound = (request: HttpRequest): void => refuse(services, request, 404, 'Session not found');

  /** 2025-11-25 basic/transports#resumability-and-redelivery. */
  async function resume(request: HttpRequest, session: Session, stream: string, number: number): Promise<void> {
    const kept = await side.streams.after(session.id, stream, number);
    if (session.ended) return notFound(request);
    const here = written(stream, session.id);
    const process = nameIn(stream);
    if (here) {
      if (here.broken || (kept === undefined && here.kept !== number)) {
        return here.listening ? beginAnew(request, session) : cannot(request, stream, number);
      }
      const carrying = carry(session, request, stream, number, here.listening, () => release(here));
      if (kept) carrying.deliver(number + 1, kept.texts, kept.over, false);
      here.take(carrying);
      if (here.kept > carrying.written) carrying.recover();
      return;
    }
    const one: Borrowed = { session, stream, request, number, kept, carrying: undefined, release: () => {} };
    if (process === undefined || process === side.process) return orphaned(one);
    const ticket = side.newName();
    borrowed.set(ticket, one);
    const forgotten = side.watch.on(process, () => {
      one.release = () => {};
      drop(ticket);
      orphaned(one).catch(fail);
    });
    const fail = (thrown: unknown): void => {
      report(thrown);
      cut(one);
    };
    one.release = () => {
      forgotten();
      drop(ticket);
      const message = { kind: 'dropped', session: session.id, stream, ticket } as const;
      side.send(process, message).catch(() => {});
    };
    if (kept) begin(one, kept);
    if (one.carrying?.closed) return;
    await side.send(process, { kind: 'take', session: session.id, stream, by: side.process, ticket })
      // The watch tells it too, later.
      .catch(() => side.watch.left(process));
  }

  const drop = (ticket: string): void => void borrowed.delete(ticket);

  /** Opens the response with what the store has. */
  function begin(one: Borrowed, kept?: KeptStream): Carrying {
    const { session, request, stream, number } = one;
    const listening = kept !== undefined && headOf(kept).listening === true;
    const carrying = one.carrying ??= carry(session, request, stream, number, listening, () => one.release());
    // What is over may be a GET stream whose process has closed: whoever has read its record ends it.
    if (kept) carrying.deliver(number + 1, kept.texts, kept.over && !listening, false);
    return carrying;
  }

  function cannot(request: HttpRequest, stream: string, number: number): void {
    refuse(services, request, 400, `The stream cannot be resumed after event ${quote(`${stream}-${number}`)}`);
  }

  /** Ends a connection that nothing follows on: its client comes back, or is refused. */
  function cut({ carrying, request, stream, number }: Borrowed): void {
    if (carrying) carrying.end();
    else cannot(request, stream, number);
  }

  /** Nobody writes the stream any more: what the store has is all, and this process ends it. */
  async function orphaned(one: Borrowed): Promise<void> {
    const { session, stream, number } = one;
    const record = await records.record(session.id);
    const kept = await side.streams.after(session.id, stream, one.carrying?.written ?? number);
    if (record === undefined || session.ended) return one.carrying ? one.carrying.end() : notFound(one.request);
    const last = record.listener?.stream === stream;
    // Of a GET stream alone the client learns an id before the store has anything.
    const listening = kept ? headOf(kept).listening === true : number === 0;
    if (!last && one.carrying === undefined) {
      // One that took its place never reached the client, or it would name that; one that is over was replaced by the client.
      if (listening && !kept?.over) return beginAnew(one.request, session);
      if (kept === undefined) return cut(one);
    }
    if (one.carrying) one.carrying.deliver(one.carrying.written + 1, kept?.texts ?? [], false, false);
    else begin(one, kept);
    const carrying = begin(one);
    if (carrying.closed) return;
    if (last) return adopt(session, carrying, one, record);
    if (kept === undefined || kept.over || listening) return carrying.end();
    await conclude(one, carrying, headOf(kept));
  }

  /** The GET stream of the session goes on as one of this process. */
  async function adopt(session: Session, carrying: Carrying, one: Borrowed, { watched }: StoredRecord): Promise<void> {
    const stream = make(session, undefined, true);
    if (!await supersede(session, stream)) return carrying.end();
    one.release = () => release(stream);
    if (carrying.closed) return;
    carrying.continueAs(stream.id);
    stream.take(carrying);
    hold(session, stream);
    refresh(session.id, watched);
  }

  /** Ends the stream of a request whose process has gone: its questions are withdrawn, and it gets an error. */
  async function conclude(one: Borrowed, carrying: Carrying, { request }: StreamHead): Promise<void> {
    const { session, stream } = one;
    const all = await side.streams.after(session.id, stream, 0);
    const last = carrying.written;
    // Where the oldest events are forgotten, so are their questions.
    const questions = (all?.texts ?? []).map(questionIn).filter((id) => id !== undefined);
    const texts = questions.map((requestId) =>
      notificationText('notifications/cancelled', { requestId, reason: gone }));
    texts.push(failureText(request ?? null, toErrorObject(internalError(gone)), session.peer.revision?.nullErrorId));
    await side.streams.append({
      session: session.id, stream, head: all?.head ?? JSON.stringify({ owner: side.process, request }),
      first: last + 1, texts, over: true, ttlMs: services.limits.sessionIdleMs,
    });
    // Another process may have been faster: what the store has counts.
    await carrying.catchUp();
    carrying.end();
  }

  function refresh(id: string, watched: readonly string[]): void {
    const stream = holder(id);
    const { revision } = stream?.session.peer ?? {};
    if (stream === undefined || revision === undefined) return;
    const declared = internalsOfPort(services.server)?.catalogue.capabilities(revision);
    for (const list of lists) {
      if (declared?.[list]?.listChanged) stream.write(notificationText(`notifications/${list}/list_changed`));
    }
    for (const uri of watched) stream.write(notificationText('notifications/resources/updated', { uri }));
  }

  /** The process that writes the stream sends from now on what it writes. */
  function handed({ ticket, kept }: Handed): void {
    const one = borrowed.get(ticket);
    if (one === undefined) return;
    if (kept === undefined) return void orphaned(one).catch((thrown: unknown) => {
      report(thrown);
      cut(one);
    });
    // The store has nothing of it: nothing was written yet, or what was is forgotten.
    if (one.carrying === undefined && kept !== one.number) {
      one.release();
      unkept(one).catch((thrown: unknown) => {
        report(thrown);
        cut(one);
      });
      return;
    }
    const carrying = begin(one);
    if (kept > carrying.written) carrying.recover();
  }

  /** The events after what the client has are forgotten. */
  async function unkept({ request, session, stream, number }: Borrowed): Promise<void> {
    const record = await records.record(session.id);
    if (record?.listener?.stream === stream) return beginAnew(request, session);
    cannot(request, stream, number);
  }

  function take(message: Take): void {
    const { session, stream: id, by, ticket } = message;
    const stream = written(id, session);
    if (stream && !stream.broken) lent.set(ticket, lend(side, stream, message, () => lent.delete(ticket)));
    else side.send(by, { kind: 'handed', session, ticket, kept: undefined }).catch(report);
  }

  return {
    answering: (session, request) => make(session, request, false),
    listen(request, session) {
      if (!readAccept(request.header('accept'))?.sse) {
        return refuse(services, request, 406, 'Not acceptable: Accept must list text/event-stream');
      }
      const last = request.header('last-event-id');
      const [, stream, digits] = /^([a-z\d]{1,40}-[a-z\d]{1,40})-(\d{1,15})$/.exec(last ?? '') ?? [];
      if (last !== undefined && stream === undefined) {
        return refuse(services, request, 400, `The stream cannot be resumed after event ${quote(last)}`);
      }
      (stream === undefined ? open(request, session) : resume(request, session, stream, Number(digits)))
        .catch((thrown: unknown) => {
          report(thrown);
          request.destroy();
        });
    },
    holds: (session) => holder(session) !== undefined,
    async announce(id, text) {
      const stream = holder(id);
      if (stream) return stream.write(text);
      const listener = (await records.record(id))?.listener;
      if (listener === undefined || listener.process === side.process) {
        throw new ConnectionError('closed', 'the client has no stream open to be asked on');
      }
      await side.send(listener.process, { kind: 'announced', session: id, text });
    },
    refresh,
    receive(message) {
      switch (message.kind) {
        case 'take': return take(message);
        case 'handed': return handed(message);
        case 'part': {
          const { first, texts, over, unkept } = message;
          return borrowed.get(message.ticket)?.carrying?.deliver(first, texts, over, unkept);
        }
        case 'dropped': return lent.get(message.ticket)?.close();
        case 'superseded': return written(message.stream, message.session)?.finish();
        case 'announced': return holder(message.session)?.write(message.text);
      }
    },
    settle(id, { listener }) {
      const stream = held.get(id);
      if (stream && listener?.stream !== stream.id) stream.finish();
    },
    forget(id) {
      for (const stream of [...own.values()]) {
        if (stream.session.id !== id) continue;
        stream.forgotten = true;
        stream.finish();
      }
      for (const { session, carrying } of [...borrowed.values()]) if (session.id === id) carrying?.end();
    },
    sweep() {
      for (const stream of own.values()) {
        if (!stream.listening || !stream.session.ended) continue;
        own.delete(stream.id);
        if (held.get(stream.session.id) === stream) held.delete(stream.session.id);
        stream.carrier?.end();
      }
    },
    drain() {
      for (const carrying of [...lasting]) carrying.end();
    },
    giveBack() {
      for (const { carrying } of [...borrowed.values()]) carrying?.end();
    },
  };
}
