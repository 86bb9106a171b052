import type { HeaderFields, HttpRequest } from '../transport/http/server/http-request.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { SseStream } from '../transport/http/server/sse-stream.ts';
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
  /** Writes the events to the response. Its `seq` is the number of the event that was written last. */
  readonly #stream: SseStream;
  #primed: boolean;
  /** What came while the store was asked. */
  #waiting: Parameters<Carrier['deliver']>[] | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** Opens the response. */
  constructor(options: CarryingOptions) {
    const { services, session, request, fields, stream, written, primed, listening } = this.#options = options;
    this.request = request;
    this.#primed = primed;
    this.#stream = new SseStream(services, session, stream, false);
    this.#stream.seq = written;
    this.#stream.onLost = options.ended;
    this.#stream.attach(request, { fields, listening });
    if (listening) this.prime();
  }

  get room(): boolean {
    return this.#stream.room;
  }

  /** The number of the event that was written last. */
  get written(): number {
    return this.#stream.seq;
  }

  get closed(): boolean {
    return !this.#stream.live;
  }

  end(): void {
    if (this.closed) return;
    this.#stream.detach();
    this.#options.ended();
  }

  /** Sends an id before anything else, so that the client can resume from here. */
  prime(): void {
    if (this.#primed) return;
    this.#primed = true;
    this.#stream.prime(this.#options.listening);
  }

  /** From now on it carries another stream, from its beginning. */
  continueAs(stream: string): void {
    this.#stream.id = stream;
    this.#stream.seq = 0;
    this.#primed = false;
    this.prime();
  }

  deliver(first: number, texts: readonly string[], over: boolean, unkept: boolean): void {
    if (this.closed) return;
    if (this.#waiting) return void this.#waiting.push([first, texts, over, unkept]);
    if (!unkept && first > this.written + 1) {
      // The bus has lost a part, or brought two in the wrong order: the store has it.
      this.#waiting = [];
      return this.recover();
    }
    // Nobody can resume after what could not be kept.
    if (!unkept) this.prime();
    const news = texts.slice(Math.max(0, this.written + 1 - first));
    if (news.length > 0) this.#stream.replay(this.written, news, !unkept);
    this.#stream.seq += news.length;
    if (over) this.end();
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
    if (this.closed) return;
    this.#waiting ??= [];
    const { streams, session } = this.#options;
    const kept = await streams.after(session.id, this.#stream.id, this.written);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (kept) this.deliver(this.written + 1, kept.texts, kept.over && mayEnd, false);
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
