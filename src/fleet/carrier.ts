import { SseStream } from '../transport/internal-exports.ts';
import type { EndpointServices, HeaderFields, HttpRequest, Session } from '../transport/internal-exports.ts';
import type { KeptStream, StreamStore } from './engine.ts';
import { isListening } from './names.ts';

/** The receiver of a stream's events: a connection of this process, or another process that holds the connection. */
export interface StreamCarrier {
  /** False while the client has too much unread data. */
  readonly room: boolean;
  /** Takes events; `first` is the number of the first one. `over`: the stream ends. `unkept`: the store does not have them. */
  deliver(first: number, texts: readonly string[], over: boolean, unkept: boolean): void;
  /** Ends the connection, not the stream: there is a new carrier, or the client must come back. */
  end(): void;
}

/** The options of `StreamConnection`. */
export interface StreamConnectionOptions {
  readonly services: EndpointServices;
  readonly streams: StreamStore;
  readonly session: Session;
  readonly stream: string;
  readonly request: HttpRequest;
  readonly fields?: HeaderFields | undefined;
  /** The number of the last event that the client has received. */
  readonly written: number;
  /** The client already knows an event id of the stream. */
  readonly primed: boolean;
  /** A GET opened the connection: it ends when its credentials expire. */
  readonly listening: boolean;
  /** Called once when either side has ended the connection. */
  readonly ended: () => void;
}

/** A response of this process that carries a stream of any process. Each event goes out once and in order. */
export class StreamConnection implements StreamCarrier {
  readonly request: HttpRequest;
  readonly #options: StreamConnectionOptions;
  /** Writes the events to the response. Its `seq` is the number of the last event written. */
  readonly #stream: SseStream;
  #primed: boolean;
  /** The deliveries during a reading of the store; undefined if there is no reading. */
  #waiting: Parameters<StreamCarrier['deliver']>[] | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** Opens the response. */
  constructor(options: StreamConnectionOptions) {
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

  /** The number of the last event written. */
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

  /** Carries another stream from now on, from its first event. */
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
      // The bus has lost a part, or swapped two. The store has the missing events.
      this.#waiting = [];
      return this.recover();
    }
    // The client gets no event id that it could not resume from.
    if (!unkept) this.prime();
    const news = texts.slice(Math.max(0, this.written + 1 - first));
    if (news.length > 0) this.#stream.replay(this.written, news, !unkept);
    this.#stream.seq += news.length;
    if (over) this.end();
  }

  /** Reads the next events from the store. Events that are delivered meanwhile wait, and go out after these. */
  recover(): void {
    this.catchUp().catch((thrown: unknown) => {
      this.#options.services.report(thrown);
      // The client comes back with the id of its last event.
      this.end();
    });
  }

  /**
   * Like `recover`, but rejects if the store cannot be reached. `mayEnd`: ends the connection if the store says that
   * the stream is over.
   */
  catchUp(mayEnd = true): Promise<void> {
    const read = (): Promise<void> => this.#read(mayEnd);
    // Readings run one after another: each begins after the last event that was written.
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

/** A stream that a client resumes here, and that this process carries or will carry. */
export interface ResumedStream {
  readonly session: Session;
  readonly stream: string;
  readonly request: HttpRequest;
  /** The number of the last event that the client has. */
  readonly number: number;
  /** The events that the store had when the client came back. */
  readonly kept: KeptStream | undefined;
  connection: StreamConnection | undefined;
  /** The newer GET stream of the client. If that one has a connection, this one ends. */
  instead: string | undefined;
  /** Opens the response if necessary, with the events of `kept`. */
  begin(): StreamConnection;
  /** Called when the connection has ended. */
  release: () => void;
}

/** The connections of an endpoint, and the services for opening one. */
export interface EndpointConnections {
  readonly services: EndpointServices;
  readonly streams: StreamStore;
  /** Connections whose streams go on when they end. */
  readonly lasting: Set<StreamConnection>;
}

/** Opens a response that carries a stream after the event `number`. `primed`: the client already knows an event id of it. */
export function connect(
  { services, streams, lasting }: EndpointConnections, session: Session, request: HttpRequest, stream: string, number: number,
  primed: boolean, ended: () => void,
): StreamConnection {
  const connection: StreamConnection = new StreamConnection({
    services, streams, session, request, stream, written: number, primed, listening: isListening(stream),
    ended: () => {
      lasting.delete(connection);
      ended();
    },
  });
  if (!connection.closed) lasting.add(connection);
  return connection;
}

/** A stream that a client resumes, before its writer is found. `kept`: the stored events after `number`. */
export function resumedStream(
  connections: EndpointConnections, request: HttpRequest, session: Session, stream: string, number: number, kept: KeptStream | undefined,
): ResumedStream {
  const one: ResumedStream = {
    request, session, stream, number, kept,
    connection: undefined,
    instead: undefined,
    begin() {
      if (one.connection) return one.connection;
      const connection = one.connection = connect(connections, session, request, stream, number, true, () => one.release());
      // A GET stream that is over in the store may go on as another stream, which the session's record names.
      if (kept) connection.deliver(number + 1, kept.texts, kept.over && !isListening(stream), false);
      return connection;
    },
    release: () => {},
  };
  return one;
}

/** Ends the connection, so that its client comes back. */
export function endOrDestroy({ connection, request, release }: ResumedStream): void {
  release();
  if (connection) connection.end();
  else request.destroy();
}
