import * as columns from '../protocol/columns.ts';
import type { HeaderFields, HttpRequest } from '../transport/http/server/http-request.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { Wire } from '../transport/http/server/wire.ts';
import { sseEvent } from '../transport/http/sse-writer.ts';
import type { KeptStream, StreamStore } from './engine.ts';
import type { SharedStream } from './shared-stream.ts';
import { isListening } from './names.ts';

/** Where the events of a stream go: a connection of this process, or another process that holds the connection. */
export interface Carrier {
  /** Whether the client reads what is written, or is away. */
  readonly room: boolean;
  /** Events as they were kept, or as they could not be kept. `over`: nothing follows. */
  deliver(first: number, texts: readonly string[], over: boolean, unkept: boolean): void;
  /** Something else carries the stream now, or nothing does: the connection ends. */
  end(): void;
}

/** What begins to carry a stream. */
export interface CarryingOptions {
  readonly services: EndpointServices;
  readonly streams: StreamStore;
  readonly session: Session;
  readonly stream: string;
  readonly request: HttpRequest;
  readonly fields?: HeaderFields | undefined;
  /** The number of the event that the client has received last. */
  readonly written: number;
  /** The client knows an id of the stream. */
  readonly primed: boolean;
  /** It is the stream of a GET: it ends when its credentials expire. */
  readonly listening: boolean;
  /** Called once when the connection has ended, from whichever side. */
  readonly ended: () => void;
}

/** One response that carries a stream, whichever process writes it. Each event of it goes out once and in order. */
export class Carrying implements Carrier {
  readonly request: HttpRequest;
  readonly #options: CarryingOptions;
  /** Undefined while it is being opened. */
  readonly #wire: Wire | undefined;
  #stream: string;
  #written: number;
  #primed: boolean;
  #closed = false;
  /** What came while the store was asked. */
  #waiting: Parameters<Carrier['deliver']>[] | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** Opens the response. */
  constructor(options: CarryingOptions) {
    const { services, session, request, fields, stream, written, primed } = this.#options = options;
    this.request = request;
    this.#stream = stream;
    this.#written = written;
    this.#primed = primed;
    session.connected();
    this.#wire = new Wire(services, request, {
      gone: () => this.#over(),
      expired: () => {
        this.#wire?.write(': the credentials that opened this stream have expired\n\n');
        this.end();
      },
    }, fields, options.listening ? session.auth?.expiresAt : undefined);
    if (options.listening) this.prime();
  }

  get room(): boolean {
    return this.#wire?.room ?? true;
  }

  /** The number of the event that was written last. */
  get written(): number {
    return this.#written;
  }

  get closed(): boolean {
    return this.#closed;
  }

  #over(): void {
    if (this.#closed) return;
    this.#closed = true;
    const { session, ended } = this.#options;
    session.disconnected();
    // A client that left before: who opens the response knows it by then.
    if (this.#wire === undefined) queueMicrotask(ended);
    else ended();
  }

  end(): void {
    if (this.#closed) return;
    this.#wire?.end();
    this.#over();
  }

  /** Sends an id before anything else, so that the client can resume from here. */
  prime(): void {
    if (this.#primed) return;
    this.#primed = true;
    const { session, listening, services: { limits, tracing } } = this.#options;
    const id = `${this.#stream}-${this.#written}`;
    // 2025-11-25 basic/transports: an event with an id and an empty data field.
    const { revision } = session.peer;
    if (revision && columns.ssePolling(revision)) {
      const fields = { id, retry: limits.retryMs };
      this.#wire?.write(sseEvent({ ...fields, data: '' }));
      tracing?.event(fields, '', this.request);
      // Older clients would read an empty message. An id without data sets the last event id and is no event.
    } else if (listening) this.#wire?.write(`id: ${id}\n\n`);
  }

  /** From now on it carries another stream, from its beginning. */
  continueAs(stream: string): void {
    this.#stream = stream;
    this.#written = 0;
    this.#primed = false;
    this.prime();
  }

  deliver(first: number, texts: readonly string[], over: boolean, unkept: boolean): void {
    if (this.#closed) return;
    if (this.#waiting) return void this.#waiting.push([first, texts, over, unkept]);
    if (!unkept && first > this.#written + 1) {
      // The bus has lost a part, or brought two in the wrong order: the store has it.
      this.#waiting = [];
      return this.recover();
    }
    // Nobody can resume after what could not be kept.
    if (!unkept) this.prime();
    this.#write(first, texts, unkept);
    if (over) this.end();
  }

  #write(first: number, texts: readonly string[], unkept: boolean): void {
    const news = texts.slice(Math.max(0, this.#written + 1 - first));
    const { tracing } = this.#options.services;
    const events = news.map((data) => {
      const id = `${this.#stream}-${++this.#written}`;
      tracing?.message('sent', data, this.request, unkept ? {} : { id });
      // The text is JSON of our own making, which holds no line break, and so is the id.
      return `${unkept ? '' : `id: ${id}\n`}data: ${data}\n\n`;
    });
    if (events.length > 0) this.#wire?.write(events.join(''));
  }

  /** Reads in the store what follows, while what comes waits; then goes on with what has come. */
  recover(): void {
    this.catchUp().catch((thrown: unknown) => {
      this.#options.services.report(thrown);
      // The client comes back, and says what it has.
      this.end();
    });
  }

  /**
   * The same. Rejects where the store cannot be reached. `mayEnd`: the connection ends where the store says that the
   * stream is over.
   */
  catchUp(mayEnd = true): Promise<void> {
    const read = (): Promise<void> => this.#read(mayEnd);
    // One after the other: each goes on after what the one before has written.
    return this.#reading = this.#reading.then(read, read);
  }

  async #read(mayEnd: boolean): Promise<void> {
    if (this.#closed) return;
    this.#waiting ??= [];
    const { streams, session } = this.#options;
    const kept = await streams.after(session.id, this.#stream, this.#written);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (kept) this.deliver(this.#written + 1, kept.texts, kept.over && mayEnd, false);
    else if (waiting.length > 0) return this.end();
    for (const part of waiting) this.deliver(...part);
  }
}

/** A stream that a client has come back for and that this process carries, or begins to. */
export interface Borrowed {
  readonly session: Session;
  readonly stream: string;
  readonly request: HttpRequest;
  /** The number of the event that the client has. */
  readonly number: number;
  /** What the store said of it at first. */
  readonly kept: KeptStream | undefined;
  carrying: Carrying | undefined;
  /** The stream that its client has opened instead; it counts where that one has a connection. */
  instead: string | undefined;
  /** Opens the response with what the store had. */
  begin(): Carrying;
  /** Where the connection ends. */
  release: () => void;
}

/** What opens the responses of an endpoint. */
export interface CarryingBench {
  readonly services: EndpointServices;
  readonly streams: StreamStore;
  /** Connections whose streams outlive them. */
  readonly lasting: Set<Carrying>;
}

/** Opens a response that carries a stream after the event with this number. `primed`: its client knows an id of it. */
export function carry(
  { services, streams, lasting }: CarryingBench, session: Session, request: HttpRequest, stream: string, number: number,
  primed: boolean, ended: () => void,
): Carrying {
  const carrying: Carrying = new Carrying({
    services, streams, session, request, stream, written: number, primed, listening: isListening(stream),
    ended: () => {
      lasting.delete(carrying);
      ended();
    },
  });
  if (!carrying.closed) lasting.add(carrying);
  return carrying;
}

/** What a client has come back for, before it is known who writes it. `kept`: what the store has after that event. */
export function borrowed(
  bench: CarryingBench, request: HttpRequest, session: Session, stream: string, number: number, kept: KeptStream | undefined,
): Borrowed {
  const one: Borrowed = {
    request, session, stream, number, kept,
    carrying: undefined,
    instead: undefined,
    begin() {
      if (one.carrying) return one.carrying;
      const carrying = one.carrying = carry(bench, session, request, stream, number, true, () => one.release());
      // What is over may be a GET stream whose process has closed: whoever has read its record ends it.
      if (kept) carrying.deliver(number + 1, kept.texts, kept.over && !isListening(stream), false);
      return carrying;
    },
    release: () => {},
  };
  return one;
}

/** Its connection has ended: the stream goes on without one. */
export function release(stream: SharedStream): void {
  const { carrier } = stream;
  if (carrier instanceof Carrying && carrier.closed) stream.release(carrier);
}

/** From now on the response carries this stream, after what the response has. */
export function goOn(stream: SharedStream, carrying: Carrying): void {
  stream.take(carrying);
  if (stream.kept > carrying.written) carrying.recover();
}

/** Ends a connection that nothing follows on: its client comes back. */
export function endOrDestroy({ carrying, request, release }: Borrowed): void {
  release();
  if (carrying) carrying.end();
  else request.destroy();
}
